import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { readByJsqr } from '../qr/readers.ts';
import { paint, wordsOf } from './picture.ts';

const directory = join(packageRoot(), 'test', 'pictures');
const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
const shown = [...readme.matchAll(/!\[([^\]]*)\]\(test\/pictures\/([^)]+)\)/g)].map(
  ([, description = '', file = '']) => ({ description, file }),
);
const svgOf = (file: string): string => readFileSync(join(directory, file), 'utf8');

describe('the pictures of the README', () => {
  it('are all there, and all shown', () => {
    expect(shown.map(({ file }) => file).sort()).toEqual(readdirSync(directory).sort());
  });

  it.each(shown)('show what the README says of $file', ({ description, file }) => {
    const quoted = [...description.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => phrase);
    expect(quoted.length).toBeGreaterThan(3);
    for (const phrase of quoted) expect(wordsOf(svgOf(file))).toContain(phrase);
  });

  it('have a code of a sandbox, which scans', () => {
    const payload = readByJsqr(paint(svgOf('pairing.svg')));
    expect(payload).toMatch(/^https:\/\/sandbox\.invalid\/pair#2@[\w,+/=-]+$/);
  });
});
