import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { useCompileCache } from '../../src/settings/compile-cache.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const original = Object.getOwnPropertyDescriptor(nodeModule, 'enableCompileCache');
const ownName = `${version}-${process.version}`;
let enabled: string[];

beforeEach(() => {
  enabled = [];
  Object.defineProperty(nodeModule, 'enableCompileCache', {
    configurable: true,
    value: (directory: string) => void enabled.push(directory),
  });
});

afterEach(() => {
  Reflect.deleteProperty(nodeModule, 'enableCompileCache');
  if (original) Object.defineProperty(nodeModule, 'enableCompileCache', original);
});

it('uses a directory that only the user can enter', () => {
  const home = temporaryDirectory();
  useCompileCache({ BOTCTL_CONFIG_DIR: home });
  const directory = join(home, 'cache', 'compiled-code');
  expect(enabled).toEqual([join(directory, ownName)]);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

it('removes the code of other versions after 30 days, once a version creates its own directory', () => {
  const home = temporaryDirectory();
  const all = join(home, 'cache', 'compiled-code');
  mkdirSync(all, { recursive: true, mode: 0o700 });
  const addOld = (name: string, days: number): void => {
    mkdirSync(join(all, name, 'v22-x64'), { recursive: true });
    const written = Date.now() / 1000 - days * 86_400;
    utimesSync(join(all, name), written, written);
  };
  addOld('0.0.1-v22.0.0', 31);
  addOld('0.0.2-v22.0.0', 29);
  useCompileCache({ BOTCTL_CONFIG_DIR: home });
  expect(readdirSync(all).toSorted()).toEqual(['0.0.2-v22.0.0', ownName].toSorted());
  // Only a new directory triggers a search for old ones.
  addOld('0.0.1-v22.0.0', 31);
  useCompileCache({ BOTCTL_CONFIG_DIR: home });
  expect(readdirSync(all)).toContain('0.0.1-v22.0.0');
});

it('uses no directory that others can write to', () => {
  const home = temporaryDirectory();
  const directory = join(home, 'cache', 'compiled-code');
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o777);
  useCompileCache({ BOTCTL_CONFIG_DIR: home });
  expect(enabled).toEqual([]);
});

it('follows no link to another directory', () => {
  const home = temporaryDirectory();
  const elsewhere = temporaryDirectory('elsewhere');
  mkdirSync(join(home, 'cache'));
  symlinkSync(elsewhere, join(home, 'cache', 'compiled-code'));
  useCompileCache({ BOTCTL_CONFIG_DIR: home });
  expect([enabled, readdirSync(elsewhere)]).toEqual([[], []]);
});

it('works without a cache if there is no place for one', () => {
  const file = join(temporaryDirectory(), 'a-file');
  writeFileSync(file, '');
  useCompileCache({ BOTCTL_CONFIG_DIR: file });
  expect(enabled).toEqual([]);
});
