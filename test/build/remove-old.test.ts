import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import { removeOld } from '../../src/build/remove-old.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('a build leaves nothing of earlier ones, and what others make', async () => {
  const home = temporaryDirectory('build');
  const dir = join(home, 'out');
  for (const directory of ['chunks', 'texts', 'worker']) mkdirSync(join(dir, directory), { recursive: true });
  for (const file of [
    'main.cjs',
    'old.cjs',
    'chunks/old.cjs',
    'page.1',
    'texts/help.txt',
    'texts/old.txt',
    'worker/any.cjs',
  ])
    writeFileSync(join(dir, file), 'old');
  writeFileSync(join(home, 'main.js'), "import('./part.js').then(({ part }) => globalThis.use(part));");
  writeFileSync(join(home, 'part.js'), 'export const part = 1;');
  await build({
    cwd: home,
    input: 'main.js',
    plugins: [removeOld(['page.1', 'texts/help.txt', 'not-there.txt', 'worker/'])],
    output: { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name].cjs' },
  });
  expect(readdirSync(dir).sort()).toEqual(['chunks', 'main.cjs', 'page.1', 'texts', 'worker']);
  expect(readdirSync(join(dir, 'worker'))).toEqual(['any.cjs']);
  expect(readdirSync(join(dir, 'chunks'))).toEqual(['part.cjs']);
  expect(readdirSync(join(dir, 'texts'))).toEqual(['help.txt']);
});
