import fc from 'fast-check';
import {
  anyBytes,
  type HostileRequest,
  kind,
  paths,
  refused,
  taken,
  teamPlaceholder,
  utf8,
  withBody,
} from './request.ts';

const { documents } = paths;
const boundary = '--------x';
const part = (head: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const filePart = (name: string, content = 'hello'): string =>
  part(`name="file"; filename="${name}"`, content);
const field = (name: string, value: string): string => part(`name="${name}"`, value);
const fields = field('team_id', teamPlaceholder) + field('chars', '5');
const form = (parts: string, headers = '', type = `multipart/form-data; boundary=${boundary}`): string =>
  withBody(documents, `${parts}--${boundary}--\r\n`, `Content-Type: ${type}\r\n${headers}`);

/** Forms of files. */
export const hostileForm: fc.Arbitrary<HostileRequest> = fc.oneof(
  kind(
    'a form without boundary',
    [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary',
      'multipart/form-data; x=y',
      'application/json',
      'text/plain',
      '',
    ].map((type) => form(filePart('a.txt') + fields, '', type)),
    refused,
  ),
  kind(
    'another boundary',
    fc
      .constantFrom('other', 'x', `${boundary}x`, 'x'.repeat(1000))
      .map((other) => form(filePart('a.txt') + fields, '', `multipart/form-data; boundary=${other}`)),
    refused,
  ),
  kind(
    'a form that is cut',
    fc
      .nat({ max: 380 })
      .map((length) =>
        withBody(
          documents,
          (filePart('a.txt') + fields).slice(0, length),
          `Content-Type: multipart/form-data; boundary=${boundary}\r\n`,
        ),
      ),
    refused,
  ),
  kind(
    'a form of any bytes',
    anyBytes.map((bytes) =>
      withBody(documents, bytes, `Content-Type: multipart/form-data; boundary=${boundary}\r\n`),
    ),
    refused,
  ),
  kind(
    'parts that are wrong',
    [
      fields,
      filePart('a.txt'),
      filePart('') + fields,
      filePart('  ') + fields,
      filePart('a\0b.txt') + fields,
      filePart('\xe9\xff.txt') + fields,
      filePart('a.txt') + filePart('b.txt') + fields,
      filePart('a.txt').replace('name="file"', 'name="other"') + fields,
      filePart('a.txt').replace('name="file"', 'name="__proto__"') + fields,
      filePart('a.txt').replace('name="file"; ', '') + fields,
      filePart('a.txt') + fields + field('__proto__', '1'),
      filePart('a.txt') + fields + field('constructor', '1'),
      filePart('a.txt') + fields + field('', '1'),
      filePart('a.txt') + fields + field('chars', '5'),
      filePart('a.txt') + field('team_id', teamPlaceholder) + field('chars', 'x'.repeat(70_000)),
      ...['-1', '1.5', '', ' 5', '5e0', '9'.repeat(30), 'NaN', '\0'].map(
        (chars) => filePart('a.txt') + field('team_id', teamPlaceholder) + field('chars', chars),
      ),
      ...['', 'x', '\0', `${teamPlaceholder} `, '00000000-0000-0000-0000-000000000000'].map(
        (team) => filePart('a.txt') + field('team_id', team) + field('chars', '5'),
      ),
      fields + filePart('a.txt').replace('Content-Disposition', 'X'),
      `--${boundary}\r\n\r\nno head\r\n`.repeat(1000),
      fields + filePart('a.txt').repeat(1000),
      field('x', '1').repeat(1000),
    ].map((parts) => form(parts)),
    refused,
  ),
  kind(
    'a packed form',
    ['gzip', 'br'].map((encoding) => form(filePart('a.txt') + fields, `Content-Encoding: ${encoding}\r\n`)),
    refused,
  ),
  kind(
    'a name that wants to leave its directory',
    [
      '../../../a.txt',
      '..\\..\\a.txt',
      '/etc/passwd.txt',
      'C:\\a.txt',
      'file:///a.txt',
      '~/a.txt',
      '.txt',
      '..',
      'a.txt/',
      `${'x'.repeat(5000)}.txt`,
      'CON.txt',
      'a.txt\u202e',
      '%2e%2e%2fa.txt',
      '$(id).txt',
      'a;b.txt',
    ].map((name) => form(filePart(utf8(name)) + fields)),
    [[200, 400]],
  ),
  kind(
    'parts that lie of themselves',
    [
      'Content-Length: 999999',
      'Content-Length: -1',
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      'X: y\r\n'.repeat(20).trimEnd(),
    ].map((line) => form(filePart('a.txt').replace('\r\n\r\n', `\r\n${line}\r\n\r\n`) + fields)),
    taken,
  ),
  kind(
    'words before and after a form',
    [
      withBody(
        documents,
        `preamble\r\n${filePart('a.txt')}${fields}--${boundary}--\r\nepilogue`,
        `Content-Type: multipart/form-data; boundary=${boundary}\r\n`,
      ),
    ],
    taken,
  ),
);

/** A form as a valid caller sends it. */
export const validForm = form(filePart('a.txt') + fields);
