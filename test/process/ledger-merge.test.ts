import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Ledger } from '../../src/resources/documents/sync/ledger.ts';
import type { LedgerLine } from '../../src/resources/documents/sync/ledger-text.ts';
import { needing } from '../support/needing.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const origin = 'http://127.0.0.1:1';

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, '.botctl-docs.json');
  mkdirSync(join(directory, 'handbook'));
});

const read = (team = 'aurora', from = path): Ledger =>
  Ledger.read(from, join(directory, 'handbook'), { origin, team });
const line = (file: string, id: string, at = '2026-01-01T00:00:00.000Z'): LedgerLine => ({
  ...{ path: file, id, name: file, sha256: `hash of ${id}`, at },
});
const text = (): string => readFileSync(path, 'utf8');
/** What it says of a team: the document of each file. */
const idsOf = (team: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries([...read(team).lines.values()].map((one) => [one.path, one.id]));

/** The documents of files, by team. */
type Held = Readonly<Record<string, Readonly<Record<string, string>>>>;

function textOf(held: Held): string {
  const from = join(directory, 'made.json');
  writeFileSync(from, '{"version":1,"lines":[]}');
  for (const [team, files] of Object.entries(held)) {
    const made = read(team, from);
    for (const [file, id] of Object.entries(files)) made.put(line(file, id));
    made.save();
  }
  return Object.keys(held).length > 0 ? readFileSync(from, 'utf8') : '';
}

const hasGit = spawnSync('git', ['--version']).status === 0;

/** What git makes of a ledger that two branches have changed, as merge=union has it. */
function merged(base: Held, ours: Held, theirs: Held, ...options: readonly string[]): string {
  const names = ['ours', 'base', 'theirs'].map((name) => join(directory, name));
  for (const [index, held] of [ours, base, theirs].entries()) writeFileSync(names[index] ?? '', textOf(held));
  const ran = spawnSync('git', ['merge-file', '-p', '--union', ...options, ...names], { encoding: 'utf8' });
  expect(ran.status, ran.stderr).toBe(0);
  return ran.stdout;
}

describe('a ledger merged by git with merge=union', needing('git', hasGit), () => {
  const merges: readonly (readonly [string, Held, Held, Held])[] = [
    ['a ledger begun by both', {}, { aurora: { a: '1', b: '2' } }, { borealis: { a: '3' } }],
    [
      'a ledger begun by both for one team',
      {},
      { aurora: { a: '1', b: '2' } },
      { aurora: { b: '2', c: '3' } },
    ],
    [
      'both added a team',
      { cumulus: { a: '0' } },
      { cumulus: { a: '0' }, aurora: { a: '1', b: '2' } },
      { cumulus: { a: '0' }, borealis: { a: '3', b: '4', c: '5' } },
    ],
    [
      'both added files',
      { aurora: { a: '1', z: '9' } },
      { aurora: { a: '1', b: '2', c: '3', z: '9' } },
      { aurora: { a: '1', b: '2', d: '4', z: '9' } },
    ],
  ];
  it.each(merges)('has the files and teams of both branches: %s', (_, base, ours, theirs) => {
    for (const style of [[], ['--diff3']]) {
      for (const [one, other] of [
        [ours, theirs],
        [theirs, ours],
      ] as const) {
        writeFileSync(path, merged(base, one, other, ...style));
        for (const team of ['aurora', 'borealis', 'cumulus'])
          expect(idsOf(team), text()).toEqual({ ...base[team], ...ours[team], ...theirs[team] });
      }
    }
  });

  it('keeps the later of two documents of a file, and the other as an earlier one', () => {
    const base = { aurora: { a: '1', b: '2' } };
    writeFileSync(path, merged(base, { aurora: { a: '3', b: '2' } }, { aurora: { a: '4', b: '2' } }));
    const a = read().lines.get('a');
    expect([a?.id, ...(a?.earlier ?? [])].toSorted()).toEqual(['3', '4']);
    expect(read().lines.get('b')).toEqual(line('b', '2'));
  });
});
