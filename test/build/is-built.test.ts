import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = join('src', 'build', 'is-built.mjs');

it('a build is done again where a source was changed or removed, where it broke off, and where it is gone', () => {
  const root = temporaryDirectory('is-built');
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  mkdirSync(dirname(join(root, script)), { recursive: true });
  copyFileSync(join(packageRoot(), script), join(root, script));
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return status;
  };
  const build = (): void => {
    run('--begin');
    run('--end');
  };
  const found: Record<string, number | null> = {};
  write('src/one.ts', 'one');
  found['never built'] = run();
  write('dist/start.cjs', '');
  build();
  found['just built'] = run();
  write('src/one.ts', 'another');
  found['a file changed'] = run();
  run('--begin');
  write('src/one.ts', 'a third one');
  run('--end');
  found['a file changed meanwhile'] = run();
  build();
  run('--begin');
  found['broken off'] = run();
  build();
  rmSync(join(root, 'src/one.ts'));
  found['a file is gone'] = run();
  build();
  rmSync(join(root, 'dist'), { recursive: true });
  found['the result is gone'] = run();
  const { 'just built': built, ...others } = found;
  expect({ built, ...others }).toEqual({
    built: 0,
    ...Object.fromEntries(Object.keys(others).map((key) => [key, 1])),
  });
});
