import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';
import {
  anyBytes,
  type HostileRequest,
  kind,
  paths,
  refused,
  taken,
  teamPlaceholder,
  unauthorized,
  utf8,
  validTeam,
  validTeamText,
  withBody,
} from './request.ts';

const { teams } = paths;
const creation = (body: string, headers = ''): string => withBody(teams, body, headers);

/** The places of a team's body, each as it stands in the text. */
const members = [
  ...Object.entries(validTeam.user),
  ...Object.entries(validTeam.team),
  ...Object.entries(validTeam.team.quotas),
  ...Object.entries(validTeam),
].map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
const anyMember = fc.constantFrom(...members);
/** Puts something in the place of a member. */
const changed = (member: string, text: string): string => creation(validTeamText.replace(member, () => text));
const textOfValue = (member: string): string => member.slice(member.indexOf(':') + 1);
const nameOf = (member: string): string => member.slice(0, member.indexOf(':'));

const count = fc.constantFrom(...members.filter((member) => member.endsWith(':1')));
const nest = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

const strangeText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constantFrom('', ' ', '\u202e', '\ufeff', 'x'.repeat(100_000)),
);
const strangeValue = fc.oneof(
  fc.jsonValue(),
  strangeText,
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom<unknown>(
    null,
    {},
    [],
    [[]],
    { length: 1 },
    { toString: 1 },
    { $ne: null },
    '0000-00-00',
    -0,
    2 ** 31,
  ),
);

const json = fc.oneof(
  kind(
    'text that is no JSON',
    fc
      .oneof(
        anyBytes.map((text) => `{${text}`),
        fc.constantFrom(
          '',
          ' ',
          '\0',
          'null',
          '[]',
          '1',
          '"',
          "{'a':1}",
          '{"a":1,}',
          '{}{}',
          '{a:1}',
          'NaN',
          '/*x*/{}',
          'name=Acme',
          '<a/>',
        ),
      )
      .map((body) => creation(body)),
    refused,
  ),
  kind(
    'JSON that is cut',
    fc.nat({ max: validTeamText.length - 1 }).map((length) => creation(validTeamText.slice(0, length))),
    refused,
  ),
  kind(
    'JSON and more',
    ['x', ',', '}', '\0', '{}', '\ufeff'].map((more) => creation(utf8(`${validTeamText}${more}`))),
    refused,
  ),
  kind(
    'another character set',
    [Buffer.from(validTeamText, 'utf16le'), Buffer.from(`\ufeff${validTeamText}`, 'utf16le')].map((bytes) =>
      creation(bytes.toString('latin1'), 'Content-Type: application/json; charset=utf-16\r\n'),
    ),
    refused,
  ),
  kind(
    'bytes that are not UTF-8',
    fc
      .constantFrom('\xe9', '\xff', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\xe2\x82')
      .map((bytes) => creation(validTeamText.replace('Ana', `A${bytes}`))),
    refused,
  ),
  kind(
    'a character that is no text',
    fc
      .constantFrom('\\ud800', '\\udc00\\ud800', '\\u0000', 'a\\uDFFFb')
      .map((text) => creation(validTeamText.replace('Ana', () => text))),
    refused,
  ),
  kind(
    'a character that ends a line',
    ['\n', '\t', '\x01'].map((text) => creation(validTeamText.replace('Ana', text))),
    refused,
  ),
  kind(
    'a member that is not there',
    fc
      .tuple(
        anyMember,
        fc.constantFrom(
          '__proto__',
          'constructor',
          'prototype',
          'toString',
          '',
          ' ',
          'id',
          '\\u0000',
          '\\ud800',
          '$set',
        ),
      )
      .map(([member, name]) => changed(member, `"${name}":{"admin":true},${member}`)),
    refused,
  ),
  kind(
    'a member that is missing',
    fc
      .constantFrom(...members.filter((member) => !member.startsWith('"quotas"') && !member.endsWith(':1')))
      .map((member) => changed(member, `"x":${textOfValue(member)}`)),
    refused,
  ),
  kind(
    'a member twice, the last one right',
    anyMember.map((member) => changed(member, `${nameOf(member)}:null,${member}`)),
    taken,
  ),
  kind(
    'a member twice, the last one wrong',
    anyMember.map((member) => changed(member, `${member},${nameOf(member)}:[]`)),
    refused,
  ),
  kind(
    'a number that is none to count with',
    fc
      .tuple(
        count,
        fc.constantFrom(
          '1e999',
          '-1e999',
          '1.5',
          '-1',
          '9007199254740993',
          '2147483648',
          '9'.repeat(400),
          '1e-7',
          '"1"',
          'true',
          'null',
          '[1]',
          '01',
          '+1',
          '0x1',
          'NaN',
        ),
      )
      .map(([member, text]) => changed(member, `${nameOf(member)}:${text}`)),
    refused,
  ),
  kind(
    'a deep nest',
    fc
      .tuple(anyMember, fc.constantFrom(65, 1000, 50_000), fc.constantFrom(['[', ']'], ['{"a":', '}']))
      .map(([member, depth, [open = '', close = '']]) =>
        changed(member, `${nameOf(member)}:${nest(depth, open, close)}`),
      ),
    refused,
  ),
  kind(
    'a value of another kind',
    fc
      .tuple(anyMember, strangeValue)
      .map(([member, value]) =>
        changed(member, `${nameOf(member)}:${utf8(JSON.stringify(value) ?? 'null')}`),
      ),
    [[200, 400]],
  ),
  kind(
    'many members',
    [
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`m${at}`, at])),
      Array.from({ length: 100_000 }, () => []),
    ].map((value) => creation(`{"user":${JSON.stringify(value)},"team":1}`)),
    refused,
  ),
  kind(
    'a body that is too large',
    [creation(`{"user":"${'x'.repeat(1_100_000)}"}`), creation(`${' '.repeat(1_100_000)}${validTeamText}`)],
    refused,
  ),
  kind(
    'a packed body',
    ['gzip', 'br', 'x', 'identity, gzip'].map((encoding) =>
      creation(validTeamText, `Content-Encoding: ${encoding}\r\n`),
    ),
    refused,
  ),
  kind(
    'a byte order mark, or white space',
    ['\ufeff', '\r\n\t '].map((before) => creation(utf8(`${before}${validTeamText}`))),
    taken,
  ),
  kind(
    'a media type that is none',
    ['nonsense', 'text/html; charset=\xff', 'application/json; charset=utf-7', '', '/', 'image/png'].map(
      (type) => creation(validTeamText, `Content-Type: ${type}\r\n`),
    ),
    taken,
  ),
  kind(
    'a form in the place of JSON',
    [creation(validTeamText, 'Content-Type: multipart/form-data; boundary=x\r\n')],
    refused,
  ),
);

const others = fc.oneof(
  kind(
    'credentials that are none',
    fc
      .tuple(strangeText, strangeText)
      .map(([id, secret]) => withBody(paths.token, utf8(JSON.stringify({ key_id: id, key_secret: secret })))),
    [[400, 401]],
  ),
  kind(
    'long credentials',
    ['x'.repeat(500_000)].map((text) =>
      withBody(paths.token, JSON.stringify({ key_id: text, key_secret: text })),
    ),
    unauthorized,
  ),
  kind(
    'a day that is none to expire on',
    [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59-23:59',
      '2099-02-30T00:00:00Z',
      '2099-01-01T24:00:00Z',
      '+275760-09-13T00:00:00Z',
      '2099-01-01T00:00:60Z',
      '2099-01-01',
      'tomorrow',
      '',
    ].map((day) => withBody(paths.keys, JSON.stringify({ name: 'x', expires_at: day }))),
    refused,
  ),
  kind(
    'a bot that is strange',
    fc
      .record(
        Object.fromEntries(
          [
            'role',
            'description',
            'instructions',
            'temperature',
            'questions',
            'document_ids',
            'actions',
            'identification_name',
          ].map((name) => [name, strangeValue]),
        ),
        { requiredKeys: [] },
      )
      .map((bot) =>
        withBody(paths.bots, utf8(JSON.stringify({ team_id: teamPlaceholder, name: 'x', ...bot }))),
      ),
    [[200, 400]],
  ),
  kind(
    'a message that is strange',
    fc
      .record(
        {
          message: strangeValue,
          destination_number: strangeValue,
          image_url: strangeValue,
          send_as_audio: strangeValue,
        },
        { requiredKeys: [] },
      )
      .map((body) => withBody(paths.send, utf8(JSON.stringify({ device_id: teamPlaceholder, ...body })))),
    [[400, 404]],
  ),
);

/** Bodies of JSON, and what is none. */
export const hostileJson: fc.Arbitrary<HostileRequest> = fc.oneof(json, others);
