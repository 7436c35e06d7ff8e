import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useCompileCache } from '../../src/settings/compile-cache.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const original = Object.getOwnPropertyDescriptor(nodeModule, 'enableCompileCache');
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
  expect(enabled).toEqual([directory]);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
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

it('does without a cache if there is no place for one', () => {
  const file = join(temporaryDirectory(), 'a-file');
  writeFileSync(file, '');
  useCompileCache({ BOTCTL_CONFIG_DIR: file });
  expect(enabled).toEqual([]);
});
