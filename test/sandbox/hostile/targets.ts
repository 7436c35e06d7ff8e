import fc from 'fast-check';
import {
  chunk,
  chunked,
  get,
  type HostileRequest,
  kind,
  known,
  notFound,
  paths,
  placeholders,
  refused,
  taken,
  teamPlaceholder,
  unauthorized,
  validTeamText,
  visible,
  withBody,
} from './request.ts';

const { teams, keys, devices } = paths;
const list = get(teams);

/** Lines that come before the head's end. */
const headerLine = (line: string): string => get(teams, `${line}\r\n`);

/** What names nothing where an id stands. */
const notAnId = fc.oneof(
  fc.constantFrom(
    ...[
      '%',
      '%zz',
      '%2e%2e',
      '..',
      '.',
      '%00',
      '%c0%af',
      '%c0%80',
      '%ed%a0%80',
      '%ff',
      '%f5%80%80%80',
      '%2f',
      '%25',
      '%u0041',
    ],
    ...[
      '*',
      ':id',
      '{id}',
      '__proto__',
      'constructor',
      'null',
      'undefined',
      'NaN',
      '0',
      '-1',
      '1e99',
      "'--",
      '%27%20OR%201=1',
      '$where',
    ],
    ...[
      '77777777-7777-4777-8777-77777777777',
      '77777777-7777-4777-8777-7777777777777',
      `${teamPlaceholder}%00`,
      `${teamPlaceholder};a=1`,
      `%20${teamPlaceholder}`,
      `{${teamPlaceholder}}`,
      teamPlaceholder.replaceAll('-', ''),
    ],
    ...['x'.repeat(101), 'x'.repeat(8000), '%41'.repeat(2000)],
  ),
  visible.map((text) => text.replace(/[/?#]/g, '%')),
);

const places = fc.oneof(
  kind(
    'an id that is none',
    fc
      .tuple(fc.constantFrom(teams, paths.bots, keys, paths.documents), notAnId)
      .map(([path, id]) => get(`${path}/${id}`)),
    notFound,
  ),
  kind(
    'an id that is none, below it more',
    notAnId.map((id) => withBody(`${devices}/${id}/connect`, '')),
    notFound,
  ),
  kind(
    'a path that is not there',
    [
      '/',
      '//',
      '/%',
      '/..',
      '/api/../api/openapi/v1/teams',
      '/api/openapi/v1/%74eam',
      '/API/openapi/v1/teams',
      `${teams}/`,
      `${teams}%2f`,
      `/${teams}`,
      `${teams}/${teamPlaceholder}/`,
      `${teams}//${teamPlaceholder}`,
      `${teams}/${teamPlaceholder}/x`,
      `${devices}`,
      '/api/openapi/v2/teams',
      '/.env',
      '/__proto__',
      '/toString',
      'http://x',
      'http://x?y',
      '*',
      `/${'a/'.repeat(4000)}`,
    ].map((path) => get(path)),
    notFound,
  ),
  kind(
    'a method that is not there',
    [
      'OPTIONS',
      'TRACE',
      'PUT',
      'DELETE',
      'PROPFIND',
      'PURGE',
      'SEARCH',
      'M-SEARCH',
      'SOURCE',
      'LINK',
      'SUBSCRIBE',
    ].flatMap((method) => [list.replace('GET', method), list.replace(`GET ${teams}`, `${method} *`)]),
    notFound,
  ),
  kind('HEAD', [list.replace('GET', 'HEAD'), list.replace('GET', 'HEAD').replace(teams, '/')], notFound, {
    isHead: true,
  }),
  kind(
    'CONNECT',
    ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', `CONNECT ${teams} HTTP/1.1\r\n${known}\r\nhello`],
    notFound,
  ),
);

/** A parameter that lists of teams don't have, or don't have so. */
const wrongParameter = fc.oneof(
  visible.map((text) => `x${text.replace(/[&#]/g, '')}`),
  fc.constantFrom(
    ...[
      'page=',
      'page=0',
      'page=-1',
      'page=01',
      'page=1e2',
      'page=1.0',
      'page=%201',
      'page=9007199254740993',
      'page=NaN',
      'page=١',
    ].map(encodeURI),
    ...[
      'limit=101',
      'limit=2147483648',
      'limit=-0',
      'limit=0x1',
      'paying=1',
      'paying=TRUE',
      'paying=null',
      'name=%00',
      'name=a%00b',
    ],
    ...[
      'page=1&page=1',
      'name=a&name=b',
      'page[]=1',
      'page[$gt]=1',
      '__proto__=1',
      '__proto__[x]=1',
      'constructor=1',
      '=1',
      '%00=1',
      '%=1',
      '%ff=1',
    ],
  ),
);

const queries = fc.oneof(
  kind(
    'a query that is wrong',
    fc
      .array(wrongParameter, { minLength: 1, maxLength: 5 })
      .map((parts) => get(`${teams}?${parts.join('&')}`)),
    refused,
  ),
  kind(
    'a thousand parameters',
    fc
      .constantFrom('x', 'page', '__proto__', '')
      .map((name) =>
        get(`${teams}?${Array.from({ length: 1000 }, (_, at) => `${name}${at % 7}=1`).join('&')}`),
      ),
    refused,
  ),
  kind('a query where none is', [get(`${keys}?page=1`), get(`${teams}/${teamPlaceholder}?a`)], refused),
  kind(
    'an odd query',
    [
      '',
      '&',
      '&&&',
      'name=%',
      'name=%zz',
      'name=%ff',
      'name=%c0%80',
      'name=%ed%a0%80',
      'name=%25',
      'name=_',
      'name=\\',
      'name=%27',
      `name=${'x'.repeat(8000)}`,
      'page=999999999',
      'limit=1&page=9007199254740991',
    ].map((query) => get(`${teams}?${query}`)),
    [[200, 400]],
  ),
);

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const authorization = (value: string): string => list.replace(`Bearer ${placeholders.token}`, () => value);

const strangers = fc.oneof(
  kind(
    'no token',
    [
      list.replace(/Authorization: .*\r\n/, ''),
      ...[
        '',
        'Bearer',
        'Bearer ',
        'Basic YTpi',
        'Bearer  ',
        `Bearer ${placeholders.token} x`,
        `${placeholders.token}`,
        `Bearer${placeholders.token}`,
        `Bearer ${placeholders.token}x`,
        `Bearer ${placeholders.token}.x`,
        'Bearer \xe9',
        'Bearer a.b.c',
        'Bearer ..',
        `Bearer ${'x.'.repeat(5000)}`,
      ].map(authorization),
      ...[
        'null',
        '[]',
        '1',
        '{}',
        '{"alg":"none"}',
        '{"alg":"HS256"}',
        '{"alg":"HS256","crit":["b64"],"b64":false}',
        '{"alg":"HS256","crit":1}',
        '{"alg":"RS256"}',
        '{"alg":{"toString":1}}',
        '{"__proto__":{"alg":"HS256"}}',
      ].map((head) => authorization(`Bearer ${base64(head)}.${base64('{"sub":"x","exp":9999999999}')}.`)),
    ],
    unauthorized,
  ),
  kind(
    'a token that is none',
    fc.tuple(visible, visible, visible).map((parts) => authorization(`Bearer ${parts.join('.')}`)),
    unauthorized,
  ),
  kind(
    'no token, and a body that is broken too',
    [
      withBody(teams, '{', 'x: y\r\n'),
      withBody(paths.documents, 'nonsense', 'Content-Type: multipart/form-data\r\n'),
    ].map((text) => text.replace(/Authorization: .*\r\n/, '')),
    unauthorized,
  ),
);

const harmless = fc.oneof(
  kind(
    'more than callers need',
    [
      headerLine('a:b\r\n'.repeat(2000).trimEnd()),
      `GET ${teams} HTTP/1.1\r\n${'a:b\r\n'.repeat(2500)}${known}\r\n`,
      list.replace('HTTP/1.1', 'HTTP/1.0'),
      list.replace('Host: x\r\n', ''),
      list.replace(teams, `http://elsewhere.example${teams}`),
      list.replace(teams, `https://a:b@[::1]:1${teams}?page=1`),
      `\r\n\r\n${list}`,
      ...[
        'x:',
        'x: \xe9\xff',
        'Expect: miracles',
        'Connection: Upgrade\r\nUpgrade: websocket',
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
        'Range: bytes=0-1',
        'If-None-Match: *',
        'X-HTTP-Method-Override: DELETE',
        'Accept: nothing/here',
        '__proto__: x',
        'constructor: x',
        'x-request-id: mine',
        'Content-Type: multipart/form-data',
        'Cookie: a=b',
        'Forwarded: for=x',
        'Date: never',
      ].map(headerLine),
      chunked(teams, `${chunk('x'.repeat(5000))}0\r\n\r\n`).replace('POST', 'GET'),
      withBody(teams, 'nonsense', '', 'GET'),
    ],
    taken,
  ),
  kind('a wish to go on', [withBody(teams, validTeamText, 'Expect: 100-continue\r\n')], taken),
);

/** Valid HTTP for another service, from strangers, or with more than callers need. */
export const hostileTarget: fc.Arbitrary<HostileRequest> = fc.oneof(places, queries, strangers, harmless);
