import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storedLine } from '../../src/documents/sync/sync-plan.ts';
import {
  isRecordedValue,
  moveEntries,
  readState,
  recordedValue,
  type State,
  type StateEntry,
  stateText,
  updateState,
  writeState,
} from '../../src/tenants/state-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { idFor } from './world.ts';

const origin = 'https://api.example';

const lockOf = (...addresses: readonly string[]): State => ({
  origin,
  entries: new Map(
    addresses.map((address): [string, StateEntry] => [address, { id: idFor(address), applied: {} }]),
  ),
});

function written(text: string): string {
  const path = join(temporaryDirectory(), 'tenants.lock.json');
  writeFileSync(path, text);
  return path;
}

describe('the state file', () => {
  it('reads UTF-16, and refuses invalid Unicode with its position', () => {
    const lock = lockOf('aurora');
    const path = written('');
    writeFileSync(path, Buffer.from(`\ufeff${stateText(lock)}`, 'utf16le'));
    expect(readState(path, origin)).toEqual(lock);
    writeFileSync(path, Buffer.from(stateText(lock).replace('aurora', 'aur\xf3ra'), 'latin1'));
    expect(() => readState(path, origin)).toThrow(
      /is not UTF-8 at line 5, byte \d+; it looks like WINDOWS-1252\./,
    );
  });

  it('reads back what was written in any order, and leaves no other file', async () => {
    const path = join(temporaryDirectory(), 'tenants.lock.json');
    expect(readState(path, `${origin}/prefix`)).toEqual({ origin, entries: new Map() });
    const lock = lockOf('borealis', 'aurora/bots/front', 'aurora');
    writeState(path, lock);
    expect(readState(path, origin)).toEqual(lock);
    expect(stateText(lockOf('aurora', 'borealis', 'aurora/bots/front'))).toBe(readFileSync(path, 'utf8'));
    expect(readdirSync(join(path, '..'))).toEqual(['tenants.lock.json']);
  });

  it('keeps what another process added since it was read', async () => {
    const path = join(temporaryDirectory(), 'tenants.lock.json');
    writeState(path, lockOf('aurora'));
    const add = (address: string): void =>
      updateState({ check: () => undefined }, path, origin, ({ entries, ...lock }) => ({
        ...lock,
        entries: new Map([...entries, ...lockOf(address).entries]),
      }));
    add('borealis');
    writeFileSync(path, stateText(lockOf('aurora', 'borealis', 'corona')));
    add('delta');
    expect(readState(path, origin)).toEqual(lockOf('aurora', 'borealis', 'corona', 'delta'));
  });

  it('keeps every line of other addresses when one is added, so that git can merge two branches', () => {
    const linesOf = (lock: State): readonly string[] => stateText(lock).split('\n');
    const before = linesOf(lockOf('aurora', 'borealis', 'corona'));
    for (const added of ['aaa', 'aurora/bots/front', 'delta']) {
      const after = linesOf(lockOf('aurora', 'borealis', 'corona', added));
      expect(after.filter((line) => !before.includes(line))).toEqual([expect.stringContaining(`"${added}"`)]);
      expect(before.filter((line) => !after.includes(line))).toEqual([]);
    }
  });

  it('refuses two lines of one address, as merge=union leaves them, and names the lines', () => {
    const text = stateText(lockOf('aurora', 'aurora/bots/desk'));
    const twice = text.replace(/^.*aurora\/bots\/desk.*$/m, (line) =>
      [line, line.replace(idFor('aurora/bots/desk'), idFor('theirs'))].join('\n'),
    );
    expect(() => readState(written(twice), origin)).toThrow(
      'it has "aurora/bots/desk" 2 times, on lines 6 and 7',
    );
  });

  it('refuses a duplicate member of its head, but not equal text within its entries', () => {
    const text = stateText(lockOf('aurora', 'borealis'));
    const twice = text.replace(/^.*"origin".*$/m, '$&\n  "origin" : "https://other.example",');
    expect(() => readState(written(twice), origin)).toThrow('it has "origin" 2 times, on lines 3 and 4');
    const name = 'a "origin": {, "aurora": [';
    const entries = new Map([['aurora', { id: idFor('aurora'), applied: { name, plan_name: name } }]]);
    expect(readState(written(stateText({ origin, entries })), origin).entries).toEqual(entries);
  });

  it('stores all facts that a ledger stores about a file, and reads them back', () => {
    const [now, before] = [idFor('aurora/documents/menu'), idFor('before')];
    const first = storedLine(
      { key: 'aurora/documents/menu', name: 'menu.txt', size: 4, sha256: 'a' },
      before,
      { chars: 4, text: 'b' },
      [],
    );
    const second = { key: first.path, name: 'menu.txt', size: 9, sha256: 'c' };
    const refused = { sha256: 'd', reason: 'empty', error: 'It is empty.', counted: 'collapsed' };
    const line = { ...storedLine(second, now, { chars: 9, text: 'e' }, [first]), refused };
    const text = stateText({ origin, entries: new Map([[line.path, line]]) });
    expect(readState(written(text), origin).entries.get(line.path)).toEqual(line);
    const { at, path, ...members } = line;
    const [stored] = text.split('\n').filter((one) => one.includes(path));
    expect(at).toBeUndefined();
    expect(stored).toBe(`    "${path}": ${JSON.stringify(members)},`);
  });

  it('reads version 1, in which a document had its name among the applied fields, and writes it as version 2', () => {
    const [team, menu, before] = ['aurora', 'aurora/documents/menu', 'before'].map(idFor);
    const earlier = { earlier: [before], held: [{ id: before, name: 'menu.txt', sha256: 'b' }] };
    const objects = {
      aurora: { id: team, created: true, applied: { name: 'Aurora' } },
      'aurora/documents/menu': { id: menu, applied: { name: 'menu.txt' }, sha256: 'a', size: 4, ...earlier },
      'aurora/documents/other': { id: idFor('other'), applied: {} },
      '~': 'end',
    };
    const state = readState(written(JSON.stringify({ version: 1, origin, objects })), origin);
    expect([...state.entries.values()]).toEqual([
      objects.aurora,
      { path: 'aurora/documents/menu', id: menu, name: 'menu.txt', sha256: 'a', size: 4, ...earlier },
      { path: 'aurora/documents/other', id: idFor('other') },
    ]);
    const text = stateText(state);
    expect(JSON.parse(text)).toMatchObject({ version: 2, objects: { aurora: objects.aurora } });
    expect(readState(written(text), origin)).toEqual(state);
    // Git merges a line that a branch of version 1 changed into the file of version 2.
    const line = (of: string): string => of.split('\n').find((one) => one.includes('documents/menu')) ?? '';
    const before1 = `    "aurora/documents/menu": ${JSON.stringify(objects['aurora/documents/menu'])},`;
    const merged = text.replace(line(text), before1);
    expect(merged).not.toBe(text);
    expect(readState(written(merged), origin)).toEqual(state);
  });

  it.each([
    [
      'another origin',
      stateText(lockOf('aurora')),
      'https://other.example',
      /belongs to https:\/\/api\.example, not to https:\/\/other\.example/,
    ],
    ['marks of a merge', `<<<<<<< ours\n${stateText(lockOf('aurora'))}`, origin, /merge conflict/],
    ['half of it', stateText(lockOf('aurora')).slice(0, 60), origin, /is incomplete/],
    [
      'a newer version',
      JSON.stringify({ version: 3, shape: 'another' }),
      origin,
      /it was written by a newer version of botctl/,
    ],
    [
      'an id that is none',
      stateText(lockOf('aurora')).replace(idFor('aurora'), 'x'),
      origin,
      /objects aurora.* is not valid/,
    ],
  ])('refuses %s', (_, text, baseUrl, words) => {
    expect(() => readState(written(text), baseUrl)).toThrow(words);
  });

  it('stores the hash of a long value, which the order of members does not change', () => {
    expect(recordedValue('short')).toBe('short');
    const long = { one: 'x'.repeat(600), two: 2 };
    const kept = recordedValue(long);
    expect(kept).toEqual({ sha256: expect.stringMatching(/^[\da-f]{64}$/) });
    expect(isRecordedValue(kept, { two: 2, one: long.one })).toBe(true);
    expect(isRecordedValue(kept, { ...long, two: 3 })).toBe(false);
  });

  it('moves a changed key once, with its children', () => {
    const place = { file: 'a.yaml', line: 1, column: 1 };
    const move = { from: 'aurora', to: 'nord', place };
    const lock = moveEntries(lockOf('aurora', 'aurora/bots/front', 'auroras'), [move]);
    expect([...lock.entries.keys()].sort()).toEqual(['auroras', 'nord', 'nord/bots/front']);
    expect(moveEntries(lock, [move])).toEqual(lock);
    const inner = { from: 'nord/bots/front', to: 'nord/bots/desk', place };
    expect(
      [...moveEntries(lockOf('aurora', 'aurora/bots/front'), [inner, move]).entries.keys()].sort(),
    ).toEqual([...['nord', 'nord/bots/desk']]);
    const both = lockOf('aurora', 'nord');
    expect(moveEntries(both, [move])).toEqual(both);
  });
});
