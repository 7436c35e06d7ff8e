import fc from 'fast-check';
import {
  chunk,
  chunked,
  get,
  type HostileRequest,
  kind,
  known,
  paths,
  placeholders,
  refused,
  taken,
  validTeamText,
  visible,
  withBody,
} from './request.ts';

const { teams } = paths;
const list = get(teams);
const creation = withBody(teams, validTeamText);

/** Lines that come before the head's end. */
const headerLine = (line: string): string => get(teams, `${line}\r\n`);

const notHttp = fc.oneof(
  kind(
    'a first line that is none',
    [
      ...['get', 'FOO', 'G@T', 'GE', 'P\0ST'].map((method) => list.replace('GET', method)),
      ...['HTTP/1.2', 'HTTP/3', 'HTTP/1', 'HTTP/1.10', 'HTP/1.1', 'http/1.1'].map((version) =>
        list.replace('HTTP/1.1', version),
      ),
      list.replace(teams, `${teams} ${teams}`),
      list.replace(teams, `${teams}\xe9`),
      list.replace(teams, `${teams}\x7f`),
      list.replace(teams, `${teams}?name=a\0b`),
      list.replace(`${teams} `, ''),
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'hello there\r\n\r\n',
      '\x16\x03\x01\0\xca\x01\0\0\xc6\x03\x03',
      `* 1 FETCH\r\n\r\n`,
    ],
    refused,
  ),
  kind(
    'a header that is none',
    fc
      .tuple(visible, fc.constantFrom(...' ()<>@,;\\"/[]?={}\t\0\x7f\xe9'), visible)
      .map(([name, wrong, value]) => headerLine(`x${name.replace(/[^\w-]/g, '')}${wrong}y: ${value}`)),
    refused,
  ),
  kind(
    'a header whose value is none',
    fc
      .tuple(visible, fc.constantFrom('\0', '\x7f', '\x01', '\rx'), visible)
      .map((parts) => headerLine(`x: ${parts.join('')}`)),
    refused,
  ),
  kind('a header without colon', ['nonsense', ': no name', ' folded: 1'].map(headerLine), refused),
  kind(
    'lines that end in LF, or CR, alone',
    [list.replaceAll('\r\n', '\n'), list.replaceAll('\r\n', '\r')],
    refused,
  ),
  kind(
    'a head that is too large',
    fc
      .tuple(
        fc.constantFrom(...['x', 'cookie', 'authorization', 'accept']),
        fc.integer({ min: 16_400, max: 65_536 }),
      )
      .map(([name, length]) => headerLine(`${name}: ${'x'.repeat(length)}`)),
    refused,
  ),
  kind('too many headers', [headerLine('name: value\r\n'.repeat(2000).trimEnd())], refused),
  kind(
    'a path that is too long',
    [get(`${teams}/${'x'.repeat(20_000)}`), get(`${teams}?${'x=1&'.repeat(5000)}`)],
    refused,
  ),
  kind(
    'a head that is cut',
    fc.nat({ max: known.length + 30 }).map((length) => get(teams, 'Accept: */*\r\n').slice(0, 1 + length)),
    refused,
    { ends: true },
  ),
);

const lengths = [
  '-1',
  '+5',
  '0x5',
  '5.0',
  '5,5',
  '5 5',
  '1e1',
  '',
  'five',
  '99999999999999999999999',
  '\xb2',
];
const sizes = ['zz', '-1', '0x5', '', '+1', '1.5', 'ffffffffffffffffff', '1 1', 'g', '\0'];

const framing = fc.oneof(
  kind(
    'a length that is none',
    lengths.map((length) => creation.replace(/Content-Length: \d+/, `Content-Length: ${length}`)),
    refused,
  ),
  kind(
    'two lengths',
    fc
      .tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }))
      .map(([one, other]) =>
        creation.replace(/Content-Length: \d+/, `Content-Length: ${one}\r\nContent-Length: ${other}`),
      ),
    refused,
  ),
  kind(
    'a length that is too large',
    fc
      .integer({ min: 1, max: 1_000_000 })
      .map((more) =>
        creation.replace(/Content-Length: \d+/, `Content-Length: ${validTeamText.length + more}`),
      ),
    refused,
    { ends: true },
  ),
  kind(
    'a length that is too small',
    fc
      .nat({ max: validTeamText.length - 1 })
      .map((length) => creation.replace(/Content-Length: \d+/, `Content-Length: ${length}`)),
    [[400], [400]],
  ),
  kind(
    'a body that is cut',
    fc.nat({ max: validTeamText.length - 1 }).map((cut) => creation.slice(0, creation.length - 1 - cut)),
    refused,
    { ends: true },
  ),
  kind(
    'a length and chunks',
    [
      chunked(teams, `${chunk('{}')}0\r\n\r\n`, 'Content-Length: 5\r\n'),
      withBody(teams, '0\r\n\r\n', 'Transfer-Encoding: chunked\r\n'),
    ],
    refused,
  ),
  kind(
    'another transfer encoding',
    [
      'gzip',
      'chunked, gzip',
      'chunked, chunked',
      'identity',
      'chunkedd',
      'chunked\r\nTransfer-Encoding: gzip',
    ].map((encoding) => chunked(teams, '0\r\n\r\n').replace('chunked', encoding)),
    refused,
  ),
  kind(
    'a chunk whose size is none',
    fc.constantFrom(...sizes).map((size) => chunked(teams, `${size}\r\n{}\r\n0\r\n\r\n`)),
    refused,
  ),
  kind(
    'a chunk of another size',
    fc
      .integer({ min: 1, max: validTeamText.length - 1 })
      .map((size) => chunked(teams, `${size.toString(16)}\r\n${validTeamText}\r\n0\r\n\r\n`)),
    refused,
  ),
  kind(
    'chunks without end',
    [chunked(teams, chunk(validTeamText)), chunked(teams, '5\r\n{'), chunked(teams, '')],
    refused,
    { ends: true },
  ),
  kind(
    'endless words beside a chunk',
    [chunked(teams, `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    refused,
  ),
  kind('endless trailers', [chunked(teams, `${chunk('{}')}0\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)], refused),
  kind(
    'many small chunks',
    fc
      .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 })
      .map((cuts) => chunked(teams, `${inChunks(validTeamText, cuts)}0\r\nx: y\r\n\r\n`)),
    taken,
  ),
);

/** Cuts text up to the first placeholder, and leaves the rest whole. */
function inChunks(text: string, cuts: readonly number[]): string {
  const last = text.indexOf(placeholders.unique);
  const places = cuts.map((_, at) => cuts.slice(0, at + 1).reduce((sum, length) => sum + length, 0));
  const starts = [0, ...places.filter((place) => place < last)];
  return starts.map((from, at) => chunk(text.slice(from, starts[at + 1]))).join('');
}

/** What is no HTTP, or no whole body. */
export const hostileFraming: fc.Arbitrary<HostileRequest> = fc.oneof(notHttp, framing);
