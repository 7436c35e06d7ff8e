import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerPlace, ledgerLine } from '../documents/sync/ledger-place.ts';
import { needing } from '../support/needing.ts';

let place: LedgerPlace;
let path: string;
beforeEach(() => {
  place = new LedgerPlace();
  ({ path } = place);
});

const read: LedgerPlace['read'] = (...args) => place.read(...args);
const text = (): string => place.text();

/** The documents of files, by team. */
type Held = Readonly<Record<string, Readonly<Record<string, string>>>>;

function textOf(held: Held): string {
  const from = join(place.directory, 'made.json');
  writeFileSync(from, '{"version":1,"lines":[]}');
  for (const [team, files] of Object.entries(held)) {
    const made = read(team, from);
    for (const [file, id] of Object.entries(files)) made.put(ledgerLine(file, id));
    made.save();
  }
  return Object.keys(held).length > 0 ? readFileSync(from, 'utf8') : '';
}

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Returns the result of git's merge=union for a ledger that two branches have changed. */
function merged(base: Held, ours: Held, theirs: Held, ...options: readonly string[]): string {
  const names = ['ours', 'base', 'theirs'].map((name) => join(place.directory, name));
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
          expect(place.idsOf(team), text()).toEqual({ ...base[team], ...ours[team], ...theirs[team] });
      }
    }
  });

  it('keeps the later of two documents of a file, and the other as an earlier one', () => {
    const base = { aurora: { a: '1', b: '2' } };
    writeFileSync(path, merged(base, { aurora: { a: '3', b: '2' } }, { aurora: { a: '4', b: '2' } }));
    const a = read().lines.get('a');
    expect([a?.id, ...(a?.earlier ?? [])].toSorted()).toEqual(['3', '4']);
    expect(read().lines.get('b')).toEqual(ledgerLine('b', '2'));
  });
});
