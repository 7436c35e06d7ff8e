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
  words,
} from './request.ts';

const { teams, documents } = paths;
const creation = (body: string, headers = ''): string => withBody(teams, body, headers);

/** The members of a team's body, each as it stands in the text. */
const members = [
  ...Object.entries(validTeam.user),
  ...Object.entries(validTeam.team),
  ...Object.entries(validTeam.team.quotas),
  ...Object.entries(validTeam),
].map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
const anyMember = fc.constantFrom(...members);
const count = fc.constantFrom(...members.filter((member) => member.endsWith(':1')));
/** Replaces a member. */
const changed = (member: string, text: string): string => creation(validTeamText.replace(member, () => text));
const nameOf = (member: string): string => member.slice(0, member.indexOf(':'));

const strangeText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constantFrom('', ' ', '\u202e', '\ufeff', 'x'.repeat(100_000)),
);
const strangeValue = fc.oneof(
  fc.jsonValue(),
  strangeText,
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom<unknown>({ length: 1 }, { toString: 1 }, { $ne: null }, '0000-00-00', 2 ** 31),
);
const strange = (names: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, strangeValue])), { requiredKeys: [] });

const json = fc.oneof(
  kind(
    'text that is no JSON',
    fc
      .oneof(
        anyBytes.map((text) => `{${text}`),
        fc.nat({ max: validTeamText.length - 1 }).map((length) => validTeamText.slice(0, length)),
        fc.constantFrom(...words(`null [] 1 " {'a':1} {"a":1,} {}{} NaN /*x*/{} name=Acme <a/>`), ' ', '\0'),
        fc.constantFrom('x', ',', '}', '\0', '{}').map((more) => `${validTeamText}${more}`),
      )
      .map((body) => creation(body)),
    refused,
  ),
  kind(
    'a text in another character set, or with bytes or characters that are none',
    [
      creation(
        Buffer.from(validTeamText, 'utf16le').toString('latin1'),
        'Content-Type: application/json; charset=utf-16\r\n',
      ),
      ...['\xe9', '\xff', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\n', '\x01']
        .concat(words('\\ud800 \\udc00\\ud800 \\u0000 a\\uDFFFb'))
        .map((text) => creation(validTeamText.replace('Ana', () => text))),
    ],
    refused,
  ),
  kind(
    'an unknown member',
    fc
      .tuple(
        anyMember,
        fc.constantFrom(...words('__proto__ constructor toString id $set \\u0000 \\ud800'), '', ' '),
      )
      .map(([member, name]) => changed(member, `"${name}":{"admin":true},${member}`)),
    refused,
  ),
  kind(
    'a missing member',
    fc
      .constantFrom(...members.filter((member) => !member.startsWith('"quotas"') && !member.endsWith(':1')))
      .map((member) => changed(member, `"x":${member.slice(member.indexOf(':') + 1)}`)),
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
    'a number that is no count',
    fc
      .tuple(
        count,
        fc.constantFrom(
          ...words('1e999 -1e999 1.5 -1 9007199254740993 2147483648 1e-7 "1" true null [1] 01 0x1 NaN'),
          '9'.repeat(400),
        ),
      )
      .map(([member, text]) => changed(member, `${nameOf(member)}:${text}`)),
    refused,
  ),
  kind(
    'a deep nest',
    fc
      .tuple(anyMember, fc.constantFrom(65, 50_000), fc.constantFrom(['[', ']'], ['{"a":', '}']))
      .map(([member, depth, [open = '', close = '']]) =>
        changed(member, `${nameOf(member)}:${open.repeat(depth)}1${close.repeat(depth)}`),
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
    'a body that is too large, packed or a form',
    [
      creation(`{"user":"${'x'.repeat(1_100_000)}"}`),
      creation(`{"user":[${'[],'.repeat(100_000)}[]],"team":1}`),
      ...['gzip', 'identity, gzip'].map((encoding) =>
        creation(validTeamText, `Content-Encoding: ${encoding}\r\n`),
      ),
      creation(validTeamText, 'Content-Type: multipart/form-data; boundary=x\r\n'),
    ],
    refused,
  ),
  kind(
    'JSON by another name',
    [
      ...['\ufeff', '\r\n\t '].map((before) => creation(utf8(`${before}${validTeamText}`))),
      ...['nonsense', 'application/json; charset=utf-7', '', 'image/png'].map((type) =>
        creation(validTeamText, `Content-Type: ${type}\r\n`),
      ),
    ],
    taken,
  ),
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
    'an expiry that is no time',
    words(
      '0000-01-01T00:00:00Z 9999-12-31T23:59:59-23:59 2099-02-30T00:00:00Z +275760-09-13T00:00:00Z 2099-01-01',
    )
      .concat('')
      .map((day) => withBody(paths.keys, JSON.stringify({ name: 'x', expires_at: day }))),
    refused,
  ),
  kind(
    'a strange bot',
    strange(
      words('role description instructions temperature questions document_ids actions identification_name'),
    ).map((bot) =>
      withBody(paths.bots, utf8(JSON.stringify({ team_id: teamPlaceholder, name: 'x', ...bot }))),
    ),
    [[200, 400]],
  ),
  kind(
    'a strange message',
    strange(words('message destination_number image_url send_as_audio')).map((body) =>
      withBody(paths.send, utf8(JSON.stringify({ device_id: teamPlaceholder, ...body }))),
    ),
    [[400, 404]],
  ),
);

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

const forms = fc.oneof(
  kind(
    'a form without its boundary',
    ['multipart/form-data', 'multipart/form-data; boundary=', 'application/json', ''].map((type) =>
      form(file + fields, '', type),
    ),
    refused,
  ),
  kind(
    'a form that is cut or any bytes',
    fc.oneof(
      fc.nat({ max: 380 }).map((length) => unended((file + fields).slice(0, length))),
      anyBytes.map(unended),
    ),
    refused,
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
    refused,
  ),
  kind('a packed form', [form(file + fields, 'Content-Encoding: gzip\r\n')], refused),
  kind(
    'a name that leaves its directory',
    words('../../../a.txt ..\\..\\a.txt /etc/passwd.txt C:\\a.txt .. a.txt/ CON.txt %2e%2e%2fa.txt $(id).txt')
      .concat(`${'x'.repeat(5000)}.txt`, 'a.txt\u202e')
      .map((name) => form(filePart(utf8(name)) + fields)),
    [[200, 400]],
  ),
  kind(
    'parts with false headers, and text around a form',
    [
      ...['Content-Length: -1', 'Content-Type: image/png', 'Content-Transfer-Encoding: base64'].map((line) =>
        form(file.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`) + fields),
      ),
      unended(`preamble\r\n${file}${fields}--${boundary}--\r\nepilogue`),
    ],
    taken,
  ),
);

/** Requests whose body is hostile. */
export const hostileBody: fc.Arbitrary<HostileRequest> = fc.oneof(
  { arbitrary: json, weight: 2 },
  { arbitrary: forms, weight: 1 },
);

/** A form as a valid caller sends it. */
export const validForm = form(file + fields);
