import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseProcesses } from '../support/database-process.ts';
import { npmEnvironment } from '../support/package.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const start = databaseProcesses();
const newFile = (): string => join(temporaryDirectory('sqlite'), 'test.db');

let home: string;
const nodeOf = (version: string): string =>
  join(home, version, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'botctl-nodes-'));
  for (const version of ['20', '22', '24']) {
    const runtime = `node-${process.platform}-${process.arch}@${version}`;
    const args = ['install', '--no-save', '--prefix', join(home, version), runtime];
    await promisify(execFile)('npm', args, { env: npmEnvironment(home) });
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

const drivers = [
  ['20', 'libsql', { WITHOUT_NODE_SQLITE: '1' }],
  ['22', 'libsql', { WITHOUT_NODE_SQLITE: '1' }],
  ['22', 'node:sqlite', {}],
  ['24', 'libsql', { WITHOUT_NODE_SQLITE: '1' }],
  ['24', 'node:sqlite', {}],
] as const;

describe.each(drivers)('on Node %s, %s', (version, _, env) => {
  const run = (task: string, file: string, kind: 'shared' | 'private', argument: number | string = '') =>
    start(task, file, kind, argument, { node: nodeOf(version), env });

  it('reads what it wrote, and names the kinds of errors', async () => {
    const process = run('values', newFile(), 'shared');
    expect(JSON.parse(await process.finish())).toEqual({
      inserted: [['a é😀', true, new Date(5).toJSON(), { a: [1] }, Buffer.from('a\0b').toJSON(), 5, 0.5]],
      isBuffer: true,
      nulls: [[null, null, null, null, null]],
      types: [['integer', 'real', 'text', 'integer']],
      large: [[Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]],
      unique: 'unique',
      returning: 'unique',
      notNull: 'notNull',
      check: 'check',
      unstorable: ['other', 'other'],
      syntax: 'other',
    });
    expect(process.errors()).toBe('');
  });

  it('refuses a file that another process has locked', async () => {
    const file = newFile();
    const first = run('open', file, 'private');
    await first.until('opened');
    expect(JSON.parse(await run('open', file, 'private').finish())).toMatchObject({ error: 'busy' });
    expect(await first.finish()).toBe('opened');
    expect(await run('insert', file, 'private', 1).finish()).toBe('inserted');
  });

  it.each(['shared', 'private'] as const)('loses nothing that was committed to a %s file', async (kind) => {
    const file = newFile();
    for (let round = 0; round < 5; round += 1) {
      const writer = run('write', file, kind);
      while (writer.lines.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      await writer.kill();
      const { rows, isWhole } = JSON.parse(await run('read', file, kind).finish());
      expect(isWhole).toBe(true);
      expect(rows.length - Number(writer.lines.at(-1)) - 2).toBeOneOf([0, 2]);
    }
  });
});

it('processes on different versions share a file', async () => {
  const file = newFile();
  await start('read', file, 'shared').finish();
  const processes = drivers.map(([version, _, env]) =>
    start('count', file, 'shared', 2000, { node: nodeOf(version), env }),
  );
  const counts = (await Promise.all(processes.map(({ finish }) => finish()))).map((line) => JSON.parse(line));
  const sum = counts.reduce((total: number, { times }) => total + times, 0);
  expect(Math.max(...counts.map(({ count }) => count))).toBe(sum);
});
