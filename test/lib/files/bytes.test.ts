import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chunksOf, concatBytes, fileBytes, linesOf, skipBytes } from '../../../src/lib/files/bytes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const newFile = () => join(temporaryDirectory(), 'people.csv');
const content = Buffer.from(Array.from({ length: 9000 }, (_, at) => `José ${at},+5511988880000\n`).join(''));

it('bytes of a file equal its content, for any slice', () => {
  const path = newFile();
  writeFileSync(path, content);
  const bytes = fileBytes(path);
  const place = fc.integer({ min: 0, max: content.length + 10 });
  fc.assert(
    fc.property(place, place, (from, to) => {
      expect(bytes.subarray(from, to).equals(content.subarray(from, to))).toBe(true);
    }),
    { numRuns: 100 },
  );
  expect(Buffer.concat([...chunksOf(bytes)]).equals(content)).toBe(true);
  expect([...linesOf(bytes)]).toEqual(content.toString('utf8').trimEnd().split('\n'));
});

it('bytes can be appended to others, and skip the first ones', () => {
  const head = Buffer.from('phone\n');
  const place = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(place, place, place, (from, to, start) => {
      const rest = Buffer.from('a list of nine');
      const whole = Buffer.concat([head, rest]);
      expect(concatBytes(head, rest).subarray(from, to).toString()).toBe(whole.subarray(from, to).toString());
      const less = skipBytes(rest, start);
      expect(less.subarray(from, to).toString()).toBe(rest.subarray(start).subarray(from, to).toString());
      expect(less.length).toBe(rest.subarray(start).length);
    }),
    { numRuns: 100 },
  );
});

it('bytes of a file that changes meanwhile are refused', () => {
  const path = newFile();
  writeFileSync(path, content);
  const bytes = fileBytes(path);
  expect(bytes.subarray(0, 4).toString()).toBe('Jos\ufffd');
  appendFileSync(path, 'Bia,+5511966665555\n');
  expect(() => bytes.subarray(content.length - 10, content.length)).toThrow('changed while it was read');
});
