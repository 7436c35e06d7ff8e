import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { takePictures } from '../../../src/build/pictures/scenes.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { hasZbar, readByJsqr, readByZbar } from '../../qr/readers.ts';
import { stable } from '../../readme/stable.ts';
import { isLong } from '../../support/long.ts';
import { look, paint } from './support.ts';

const directory = join(packageRoot(), 'test', 'pictures');
const committed = new Map(
  readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
);
const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
const shown = [...readme.matchAll(/!\[([^\]]*)\]\(test\/pictures\/([^)]+)\)/g)].map(
  ([, words = '', file = '']) => ({ words, file, svg: committed.get(file) ?? '' }),
);
const pairing = committed.get('pairing.svg') ?? '';

describe('the pictures of the README', () => {
  it('are all shown, and all there', () => {
    expect(shown.map(({ file }) => file).sort()).toEqual([...committed.keys()].sort());
  });

  it.each(shown)('$file shows what the README says of it', ({ words, svg }) => {
    const { title, text } = look(svg);
    const quoted = [...words.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => phrase);
    expect(quoted.length).toBeGreaterThan(3);
    for (const phrase of quoted) expect(`${title}\n${text}`).toContain(phrase);
  });

  it('have a code that scans', () => {
    const picture = paint(pairing);
    const payload = /^https:\/\/sandbox\.invalid\/pair#2@[\w,+/=-]+$/;
    expect(readByJsqr(picture)).toMatch(payload);
    if (hasZbar) expect(readByZbar(picture)).toMatch(payload);
  });
});

// A dozen processes take them, which is many seconds' work.
describe.runIf(isLong)('pictures taken now', { timeout: 60_000 }, () => {
  let taken: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    taken = await takePictures();
  }, 120_000);

  it.each([...committed])('say the same as %s, which npm run pictures makes', (file, svg) => {
    const [now, then] = [look(taken[file] ?? ''), look(svg)];
    expect(stable(now.text)).toBe(stable(then.text));
    expect({ ...now, text: '' }).toEqual({ ...then, text: '' });
  });

  it('have another code, which scans too', () => {
    const read = readByJsqr(paint(taken['pairing.svg'] ?? ''));
    expect(read).toContain('sandbox.invalid');
    expect(read).not.toBe(readByJsqr(paint(pairing)));
  });
});
