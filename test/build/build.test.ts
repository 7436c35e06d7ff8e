import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { isLong } from '../support/long.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = join('src', 'build', 'build.mjs');
const programs = join('node_modules', '.cache', 'botctl-build');

/** The steps of a build, each of which adds a line to what is built; the second may change a source, or fail. */
const steps = {
  'src/build/bundle.mjs':
    "fs.mkdirSync('dist', { recursive: true }); fs.appendFileSync('dist/start.cjs', 'built\\n');",
  [join(programs, 'man-page.cjs')]:
    "if (fs.existsSync('meanwhile')) eval(fs.readFileSync('meanwhile', 'utf8'));",
};

// It takes some sixty processes.
it.runIf(isLong)(
  'a build is done again where a source or a result is another than it was, and where it was not done whole',
  () => {
    const root = temporaryDirectory('build');
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    };
    for (const [name, does] of Object.entries(steps))
      write(
        name,
        `${name.endsWith('.mjs') ? "import fs from 'node:fs'" : "const fs = require('node:fs')"};\n${does}`,
      );
    copyFileSync(join(packageRoot(), script), join(root, script));
    for (const name of ['src/one.ts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json'])
      write(name, 'one');
    const builds = (): number => readFileSync(join(root, 'dist/start.cjs'), 'utf8').split('\n').length - 1;
    const run = (...args: string[]) => {
      const { status } = spawnSync(process.execPath, [join(root, script), ...args], { encoding: 'utf8' });
      return status;
    };
    const again: string[] = [];
    const look = (what: string): void => {
      const before = builds();
      expect(run('--if-changed'), what).toBe(0);
      if (builds() > before) again.push(what);
    };
    // As a file is that another build removes between the list and the look.
    symlinkSync('nowhere', join(root, 'src/gone.ts'));
    expect(run()).toBe(0);
    look('nothing');
    for (const name of ['src/one.ts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json']) {
      // Of the same size.
      write(name, 'two');
      utimesSync(join(root, name), 1, 1);
      look(name);
    }
    write('src/another.ts', '');
    look('a new source');
    rmSync(join(root, 'src/another.ts'));
    look('a source that is gone');
    write('dist/chunks/one.cjs', '');
    look('a result');
    write('meanwhile', "fs.writeFileSync('src/one.ts', 'meanwhile')");
    run();
    rmSync(join(root, 'meanwhile'));
    look('a source that was changed meanwhile');
    write('meanwhile', 'process.exitCode = 3');
    expect(run()).toBe(3);
    rmSync(join(root, 'meanwhile'));
    look('one that failed');
    look('nothing');
    expect(run()).toBe(0);
    expect(again).toEqual([
      'src/one.ts',
      'package.json',
      'tsconfig.json',
      'node_modules/.package-lock.json',
      'a new source',
      'a source that is gone',
      'a result',
      'a source that was changed meanwhile',
      'one that failed',
    ]);
  },
);
