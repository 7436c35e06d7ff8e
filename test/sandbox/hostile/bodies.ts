import {
  type HostileKind,
  kind,
  paths,
  teamPlaceholder,
  utf8,
  validTeam,
  validTeamText,
  withBody,
  words,
} from './request.ts';

const { teams, documents } = paths;
const creation = (body: string, headers = ''): string => withBody(teams, body, headers);

/** The members of a team's body, each as written in the text. */
const members = [
  ...Object.entries(validTeam.user),
  ...Object.entries(validTeam.team),
  ...Object.entries(validTeam.team.quotas),
  ...Object.entries(validTeam),
].map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
const quota = '"bots":1';
/** Replaces a member. */
const changed = (member: string, text: string): string => creation(validTeamText.replace(member, () => text));
const nameOf = (member: string): string => member.slice(0, member.indexOf(':'));

const json: readonly HostileKind[] = [
  kind(
    'a body that is not JSON, or no object',
    [
      ...words(`null [] 1 " {'a':1} {"a":1,} {}{} NaN /*x*/{} name=Acme <a/>`),
      ...['', ' ', '\0', '{\xff}', validTeamText.slice(0, -1), validTeamText.slice(0, 40)],
      ...['x', ',', '}', '\0', '{}'].map((more) => `${validTeamText}${more}`),
    ].map((body) => creation(body)),
    400,
  ),
  kind(
    'a body in another character set, or with characters that are none',
    [
      creation(
        Buffer.from(validTeamText, 'utf16le').toString('latin1'),
        'Content-Type: application/json; charset=utf-16\r\n',
      ),
      ...['\xe9', '\xff', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\n', '\x01']
        .concat(words('\\ud800 \\udc00\\ud800 \\u0000 a\\uDFFFb'))
        .map((text) => creation(validTeamText.replace('Ana', () => text))),
    ],
    400,
  ),
  kind(
    'an unknown member',
    words('__proto__ constructor toString id $set \\u0000 \\ud800')
      .concat('', ' ')
      .flatMap((name) =>
        ['"user"', '"bots"'].map((before) => changed(before, `"${name}":{"admin":true},${before}`)),
      ),
    400,
  ),
  kind(
    'a missing member',
    members
      .filter((member) => !member.startsWith('"quotas"') && !member.endsWith(':1'))
      .map((member) => changed(member, `"x":${member.slice(member.indexOf(':') + 1)}`)),
    400,
  ),
  kind(
    'a member twice, the last one right',
    members.map((member) => changed(member, `${nameOf(member)}:null,${member}`)),
    200,
  ),
  kind(
    'a member twice, the last one wrong',
    members.map((member) => changed(member, `${member},${nameOf(member)}:[]`)),
    400,
  ),
  kind(
    'a number that is no count',
    words('1e999 -1e999 1.5 -1 9007199254740993 2147483648 1e-7 "1" true null [1] 01 0x1 NaN')
      .concat('9'.repeat(400))
      .map((text) => changed(quota, `"bots":${text}`)),
    400,
  ),
  kind(
    'a deep nest',
    [65, 50_000].flatMap((depth) =>
      [
        ['[', ']'],
        ['{"a":', '}'],
      ].map(([open = '', close = '']) =>
        changed(quota, `"bots":${open.repeat(depth)}1${close.repeat(depth)}`),
      ),
    ),
    400,
  ),
  kind(
    'a body that is too large, packed or a form',
    [
      creation(`{"user":"${'x'.repeat(5_000_000)}"}`),
      creation(`{"user":[${'[],'.repeat(100_000)}[]],"team":1}`),
      ...['gzip', 'identity, gzip'].map((encoding) =>
        creation(validTeamText, `Content-Encoding: ${encoding}\r\n`),
      ),
      creation(validTeamText, 'Content-Type: multipart/form-data; boundary=x\r\n'),
    ],
    400,
  ),
  kind(
    'JSON by another name',
    [
      ...['\ufeff', '\r\n\t '].map((before) => creation(utf8(`${before}${validTeamText}`))),
      ...['text/plain', 'nonsense', 'application/json; charset=utf-7', '', 'image/png'].map((type) =>
        creation(validTeamText, `Content-Type: ${type}\r\n`),
      ),
    ],
    200,
  ),
  kind(
    'long credentials',
    [withBody(paths.token, `{"key_id":"${'x'.repeat(500_000)}","key_secret":"${'x'.repeat(500_000)}"}`)],
    401,
  ),
  kind(
    'an expiry that is no time',
    words(
      '0000-01-01T00:00:00Z 9999-12-31T23:59:59-23:59 2099-02-30T00:00:00Z +275760-09-13T00:00:00Z 2099-01-01',
    )
      .concat('')
      .map((day) => withBody(paths.keys, JSON.stringify({ name: 'x', expires_at: day }))),
    400,
  ),
  kind(
    'a body where none is expected',
    ['application/json', 'multipart/form-data'].map((type) =>
      withBody(`${paths.devices}/${teamPlaceholder}/connect`, '{"a":', `Content-Type: ${type}\r\n`),
    ),
    404,
  ),
];

const boundary = '--------x';
const part = (head: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const filePart = (name: string): string => part(`name="file"; filename="${name}"`, 'hello');
const field = (name: string, value: string): string => part(`name="${name}"`, value);
const team = field('team_id', teamPlaceholder);
const fields = team + field('chars', '5');
const file = filePart('a.txt');
const form = (parts: string, headers = '', type = `multipart/form-data; boundary=${boundary}`): string =>
  withBody(documents, `${parts}--${boundary}--\r\n`, `Content-Type: ${type}\r\n${headers}`);
const unended = (bytes: string): string =>
  withBody(documents, bytes, `Content-Type: multipart/form-data; boundary=${boundary}\r\n`);

const forms: readonly HostileKind[] = [
  kind(
    'a form without its boundary',
    ['multipart/form-data', 'multipart/form-data; boundary=', 'application/json', ''].map((type) =>
      form(file + fields, '', type),
    ),
    400,
  ),
  kind(
    'a form that is cut, or none',
    ['nonsense', '\0\xff', ...[0, 5, 60, 100, 150, 300, 380].map((end) => (file + fields).slice(0, end))].map(
      unended,
    ),
    400,
  ),
  kind(
    'wrong parts',
    [
      fields,
      file,
      ...['', '  ', 'a\0b.txt', '\xe9\xff.txt'].map((name) => filePart(name) + fields),
      file + filePart('b.txt') + fields,
      ...['name="other"', 'name="__proto__"', 'x'].map((name) => file.replace('name="file"', name) + fields),
      ...['__proto__', 'constructor', '', 'chars'].map((name) => file + fields + field(name, '5')),
      ...['-1', '1.5', '', ' 5', '9'.repeat(30), '\0', 'x'.repeat(70_000)].map(
        (chars) => file + team + field('chars', chars),
      ),
      ...['', '\0', `${teamPlaceholder} `, '00000000-0000-0000-0000-000000000000'].map(
        (id) => file + field('team_id', id) + field('chars', '5'),
      ),
      `--${boundary}\r\n\r\nno head\r\n`.repeat(1000),
      fields + file.repeat(1000),
      field('x', '1').repeat(1000),
    ].map((parts) => form(parts)),
    400,
  ),
  kind('a packed form', [form(file + fields, 'Content-Encoding: gzip\r\n')], 400),
  kind(
    'a name that leaves its directory',
    words('../../../a.txt ..\\..\\a.txt /etc/passwd.txt C:\\a.txt .. a.txt/ CON.txt %2e%2e%2fa.txt $(id).txt')
      .concat(`${'x'.repeat(5000)}.txt`, 'a.txt\u202e')
      .map((name) => form(filePart(utf8(name)) + fields)),
    [200, 400],
  ),
  kind(
    'parts with false headers, and text around a form',
    [
      ...['Content-Length: -1', 'Content-Type: image/png', 'Content-Transfer-Encoding: base64'].map((line) =>
        form(file.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`) + fields),
      ),
      unended(`preamble\r\n${file}${fields}--${boundary}--\r\nepilogue`),
    ],
    200,
  ),
];

/** Requests whose body is hostile. */
export const hostileBodies = [...json, ...forms];

/** A valid form. */
export const validForm = form(file + fields);
