import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = join('src', 'build', 'build.mjs');

/** The steps of a build, each of which adds a line to what is built; the second may fail, or change a source. */
const steps = {
  'src/build/bundle.mjs':
    "import fs from 'node:fs';\nfs.mkdirSync('dist', { recursive: true }); fs.appendFileSync('dist/start.cjs', 'built\\n');",
  'node_modules/.cache/botctl-build/man-page.cjs':
    "const fs = require('node:fs');\nif (fs.existsSync('meanwhile')) eval(fs.readFileSync('meanwhile', 'utf8'));",
};

let root: string;

beforeEach(() => {
  root = temporaryDirectory('build');
  for (const [name, text] of Object.entries(steps)) write(name, text);
  copyFileSync(join(packageRoot(), script), join(root, script));
  for (const name of ['src/one.ts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json'])
    write(name, 'one');
  expect(run()).toBe(0);
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root }).status;

/** Returns whether `--if-changed` builds. */
function isBuilt(): boolean {
  const builds = (): number => readFileSync(join(root, 'dist/start.cjs'), 'utf8').length;
  const before = builds();
  expect(run('--if-changed')).toBe(0);
  return builds() > before;
}

describe('building only if something changed', () => {
  it('builds nothing if nothing changed', () => {
    expect(isBuilt()).toBe(false);
  });

  it.each(['src/one.ts', 'package.json', 'node_modules/.package-lock.json'])(
    'builds after a change of %s that leaves its size and its time',
    (name) => {
      write(name, 'two');
      utimesSync(join(root, name), 1, 1);
      expect(isBuilt()).toBe(true);
      expect(isBuilt()).toBe(false);
    },
  );

  it('builds after a source was removed', () => {
    rmSync(join(root, 'src/one.ts'));
    expect(isBuilt()).toBe(true);
  });

  it('builds after what was built changed', () => {
    write('dist/chunks/one.cjs', '');
    expect(isBuilt()).toBe(true);
  });

  it('builds after a source changed during the build', () => {
    write('meanwhile', "fs.writeFileSync('src/one.ts', 'meanwhile')");
    expect(run()).toBe(0);
    rmSync(join(root, 'meanwhile'));
    expect(isBuilt()).toBe(true);
  });

  it('builds after a build that failed', () => {
    write('meanwhile', 'process.exitCode = 3');
    expect(run()).toBe(3);
    rmSync(join(root, 'meanwhile'));
    expect(isBuilt()).toBe(true);
  });
});

it('names what to install if the optional packages of the bundler were left out', () => {
  const alone = join(root, 'bundle.mjs');
  copyFileSync(join(packageRoot(), 'src', 'build', 'bundle.mjs'), alone);
  const { status, stderr } = spawnSync(process.execPath, [alone, 'config.mjs'], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('npm ci --include=optional');
  expect(stderr).not.toMatch(/^ +at /m);
});
