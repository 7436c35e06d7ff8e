import {
  chunked,
  get,
  type HostileKind,
  kind,
  paths,
  placeholders,
  teamPlaceholder,
  validTeamText,
  withBody,
  words,
} from './request.ts';

const { teams, keys, devices } = paths;
const list = get(teams);
const creation = withBody(teams, validTeamText);
const headerLine = (line: string): string => get(teams, `${line}\r\n`);
const withLength = (lines: string): string => creation.replace(/Content-Length: \d+/, lines);

/** Requests that are not valid HTTP, or whose end a service and a proxy in front of it may interpret differently. */
export const brokenRequests: readonly HostileKind[] = [
  kind(
    'a broken head',
    [
      'hello there\r\n\r\n',
      '\x16\x03\x01\0\xca\x01\0\0\xc6\x03\x03',
      list.replaceAll('\r\n', '\n'),
      ...['nonsense', 'x: a\rInjected: b', 'x: a\0b', 'x y: z'].map(headerLine),
    ],
    400,
  ),
  kind(
    'a head that is too large',
    [headerLine(`cookie: ${'x'.repeat(20_000)}`), get(`${teams}/${'x'.repeat(20_000)}`)],
    400,
  ),
  kind(
    'an ambiguous length',
    [
      ...['-1', '+5', '0x5', '5,5', '', '9'.repeat(23)].map((length) =>
        withLength(`Content-Length: ${length}`),
      ),
      withLength('Content-Length: 1\r\nContent-Length: 2'),
      chunked(teams, '2\r\n{}\r\n0\r\n\r\n', 'Content-Length: 5\r\n'),
      ...['gzip', 'chunked, gzip', 'chunked\r\nTransfer-Encoding: gzip'].map((encoding) =>
        chunked(teams, '0\r\n\r\n').replace('chunked', encoding),
      ),
      ...['zz', '-1', '0x5', 'f'.repeat(18)].map((size) => chunked(teams, `${size}\r\n{}\r\n0\r\n\r\n`)),
    ],
    400,
  ),
  kind(
    'a body that is cut',
    [1, 20, validTeamText.length].map((missing) => creation.slice(0, -missing)),
    400,
    { ends: true },
  ),
  kind('CONNECT', ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'], 400),
];

/** Texts in place of an id that match nothing. */
const noIds = [
  ...words('% %zz %2e%2e .. %00 %c0%af %ed%a0%80 %ff %2f * {id} __proto__ constructor null 0 -1 1e99'),
  ...words("'-- %27%20OR%201=1 77777777-7777-4777-8777-77777777777"),
  `${teamPlaceholder}%00`,
  `${teamPlaceholder};a=1`,
  'x'.repeat(8000),
];

const places: readonly HostileKind[] = [
  kind(
    'an id that is none',
    [teams, paths.bots, keys, paths.documents].flatMap((path) => noIds.map((id) => get(`${path}/${id}`))),
    404,
  ),
  kind(
    'an id that is none before a verb',
    noIds.map((id) => withBody(`${devices}/${id}/connect`, '')),
    404,
  ),
  kind(
    'an unknown path',
    [
      ...words('/ // /% /.. /api/../api/openapi/v1/teams /API/openapi/v1/teams /.env /__proto__ http://x *'),
      ...[devices, paths.token, `${teams}/`, `${teams}%2f`, `/${teams}`, `${teams}//${teamPlaceholder}`],
      `/${'a/'.repeat(4000)}`,
    ].map((path) => get(path)),
    404,
  ),
  kind(
    'an unknown method',
    words('OPTIONS TRACE PUT DELETE PROPFIND').map((method) => list.replace('GET', method)),
    404,
  ),
  kind('HEAD', [list.replace('GET', 'HEAD')], 404, { isHead: true }),
];

const queries: readonly HostileKind[] = [
  kind(
    'a wrong query',
    [
      ...words('page= page=0 page=-1 page=1e2 page=%201 page=9007199254740993 page=NaN page[$gt]=1'),
      ...words('limit=101 limit=0x1 paying=1 paying=null name=%00 page=1&page=1 name=a&name=b'),
      ...words('__proto__=1 __proto__[x]=1 constructor=1 =1 %=1 %ff=1 name=%E9 name=caf%C3 Name=acme'),
      '__proto__=1&'.repeat(1000),
    ].map((query) => get(`${teams}?${query}`)),
    400,
  ),
  kind('a query where none is known', [get(`${keys}?page=1`), get(`${teams}/${teamPlaceholder}?a`)], 400),
  kind(
    'an odd query',
    words('& name=% name=_ name=\\ name=%27 page=999999999')
      .concat(`name=${'x'.repeat(8000)}`)
      .map((query) => get(`${teams}?${query}`)),
    200,
  ),
];

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const authorization = (value: string): string => list.replace(`Bearer ${placeholders.token}`, () => value);

const strangers: readonly HostileKind[] = [
  kind(
    'no valid token',
    [
      list.replace(/Authorization: .*\r\n/, ''),
      withBody(teams, '{').replace(/Authorization: .*\r\n/, ''),
      ...['', 'Bearer', 'Basic YTpi', placeholders.token, 'Bearer \xe9', 'Bearer a.b.c'].map(authorization),
      ...[' x', 'x', '.x'].map((more) => authorization(`Bearer ${placeholders.token}${more}`)),
      authorization(`Bearer ${'x.'.repeat(5000)}`),
      ...words('null [] {} {"alg":"none"} {"alg":"HS256"} {"alg":"RS256"} {"__proto__":{"alg":"HS256"}}')
        .concat('{"alg":"HS256","crit":["b64"],"b64":false}')
        .map((head) => authorization(`Bearer ${base64(head)}.${base64('{"sub":"x","exp":9999999999}')}.`)),
    ],
    401,
  ),
];

const harmless = kind(
  'more than callers need',
  [
    list.replace('HTTP/1.1', 'HTTP/1.0'),
    list.replace('Host: x\r\n', ''),
    list.replace(teams, `http://elsewhere.example${teams}`),
    ...[
      'Connection: Upgrade\r\nUpgrade: websocket',
      'Range: bytes=0-1',
      'X-HTTP-Method-Override: DELETE',
      'Accept: nothing/here',
      '__proto__: x',
      'x-request-id: mine',
      'Content-Type: multipart/form-data',
    ].map(headerLine),
    withBody(teams, 'nonsense', '', 'GET'),
    withBody(teams, validTeamText, 'Expect: 100-continue\r\n'),
    chunked(teams, `${validTeamText.length.toString(16)}\r\n${validTeamText}\r\n0\r\nx: y\r\n\r\n`),
  ],
  200,
);

/** Valid requests whose address or headers are hostile, or whose caller is not authenticated. */
export const hostileTargets = [...places, ...queries, ...strangers, harmless];
