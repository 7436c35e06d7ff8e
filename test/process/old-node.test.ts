import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { engines } from '../../package.json';
import { binary } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const least = engines.node.replace('>=', '').replace(/\.0$/, '');

it('the entry file contains no syntax that Node 12 lacks', () => {
  const code = readFileSync(binary, 'utf8');
  const written = (target: string, text = code): string =>
    transformSync('botctl.js', text, { target, lang: 'js', sourceType: 'script' }).code;
  expect(written('es2019')).toBe(written('esnext'));
  expect(written('es2019', 'a?.b ?? c;')).not.toBe(written('esnext', 'a?.b ?? c;'));
});

/** Runs a command as the entry point would on another version. */
function runAs(version: string, line: string) {
  const directory = temporaryDirectory();
  const disguise = join(directory, 'disguise.cjs');
  writeFileSync(
    disguise,
    `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });
const load = require('node:module')._load;
require('node:module')._load = (name, ...rest) => {
  if (/^node:|^[.]/.test(name)) throw new Error('old versions have no ' + name);
  return load(name, ...rest);
};`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', disguise, binary, line], {
    env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: directory },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const olderVersions = [
  ['12.22.12', '--version'],
  ['14.21.3', '--help'],
  ['18.20.8', 'whoami'],
  ['20.18.3', 'tour'],
] as const;

it.each(olderVersions)('on Node %s botctl %s prints its requirements, and nothing else', (version, line) => {
  expect(runAs(version, line)).toEqual({
    status: 2,
    stdout: '',
    stderr: `botctl needs Node.js ${least} or newer; this is ${version}.\n`,
  });
});
