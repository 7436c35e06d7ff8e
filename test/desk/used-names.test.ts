import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usedNames } from '../../src/desk/used-names.ts';
import { modeOf, temporaryDirectory, unwritableDirectory } from '../settings/support.ts';

const service = 'https://api.example.com';
const at = '2026-01-01T00:00:00.000Z';

it('stores the last device of a name, for each service', async () => {
  const directory = temporaryDirectory();
  const names = usedNames(directory, service);
  expect(names.find('Desk')).toBeUndefined();
  await names.set('Desk', 'a', at);
  await names.set('Desk', 'b', at);
  await usedNames(directory, 'https://other.example.com').set('Desk', 'c', at);
  expect(usedNames(directory, service).find('Desk')).toEqual({ id: 'b', usedAt: at });
  expect(names.find('__proto__')).toBeUndefined();
  await names.drop('b');
  expect(names.find('Desk')).toBeUndefined();
  expect(usedNames(directory, 'https://other.example.com').find('Desk')).toMatchObject({ id: 'c' });
  expect(modeOf(join(directory, 'used-names.ndjson'))).toBe(0o600);
});

it('writes nothing for a known device, and does not grow without limit', async () => {
  const directory = temporaryDirectory();
  const names = usedNames(directory, service);
  const text = () => readFileSync(join(directory, 'used-names.ndjson'), 'utf8');
  await names.set('Desk', 'a', at);
  const before = text();
  await names.set('Desk', 'a', '2026-02-01T00:00:00.000Z');
  await names.drop('b');
  expect(text()).toBe(before);
  for (let turn = 0; turn < 250; turn += 1) await names.set('Desk', `d${turn}`, at);
  expect(text().split('\n').length).toBeLessThan(205);
  expect(names.find('Desk')).toMatchObject({ id: 'd249' });
});

it('is empty if the file can be neither read nor written', async () => {
  const names = usedNames(unwritableDirectory(), service);
  await names.set('Desk', 'a', at);
  expect(names.find('Desk')).toBeUndefined();
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'used-names.ndjson'));
  const blocked = usedNames(directory, service);
  await blocked.set('Desk', 'a', at);
  expect(blocked.find('Desk')).toBeUndefined();
});
