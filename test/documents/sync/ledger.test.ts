import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/documents/sync/ledger.ts';
import { stealLock } from '../../support/steal-lock.ts';
import { LedgerPlace, ledgerLine } from './ledger-place.ts';

let place: LedgerPlace;
let path: string;
beforeEach(() => {
  place = new LedgerPlace();
  ({ path } = place);
});

const read: LedgerPlace['read'] = (...args) => place.read(...args);
const text = (): string => place.text();

/** Returns the text of a ledger with the lines of `one` and a line of `other`. */
function pulled(one: Ledger, other: Ledger): string {
  const now = text();
  rmSync(path);
  for (const [ledger, lines] of [
    [read(), one.lines.values()],
    [other, [ledgerLine('x', 'x1')]],
  ] as const) {
    for (const each of lines) ledger.put(each);
    ledger.save();
  }
  const made = text();
  writeFileSync(path, now);
  return made;
}

describe('a ledger', () => {
  it('keeps unknown members of a line in place, and sorts its lines by path', () => {
    const ledger = read();
    for (const file of ['b', 'a/b', 'a']) ledger.put(ledgerLine(file, file));
    ledger.save();
    const files = text().split('\n').slice(2, -2);
    expect(files.map((one) => JSON.parse(one.slice(0, -1)).path)).toEqual(['a', 'a/b', 'b']);
    const before = text();
    const again = read();
    const { at, id, ...rest } = ledgerLine('a', 'a');
    again.put({ at, ...rest, id: String(id) });
    again.save();
    expect(text()).toBe(before);
  });

  it('is not written once another process has taken over its lock', async () => {
    const ledger = read();
    ledger.put(ledgerLine('a', '1'));
    ledger.save();
    const before = text();
    const lock = await ledger.lock();
    ledger.put(ledgerLine('b', '2'));
    stealLock(`${path}.lock`);
    expect(() => ledger.save()).toThrow('Another process has taken over the lock');
    expect([text(), ledger.isLost]).toEqual([before, true]);
    lock.release();
  });

  it('merges the sizes and options of two branches, as two headings of a section', () => {
    const ledger = read();
    ledger.put(ledgerLine('a', '1'));
    ledger.sizes.learn(1500, 2);
    ledger.choose({ nameBy: 'path' });
    ledger.save();
    const other = '"sizes":[[2400,2]],"include":["*.pdf"]}';
    writeFileSync(
      path,
      text().replace(/^(\{"section".*?),"sizes".*\n/m, (all, head) => `${all}${head},${other},\n`),
    );
    const merged = read();
    expect(merged.choice).toEqual({ nameBy: 'path', include: ['*.pdf'] });
    expect(merged.sizes.samples).toEqual([
      [1500, 2],
      [2400, 2],
    ]);
    expect(merged.choose({ nameBy: 'path', include: ['*.pdf'] })).toBe(false);
    // Another team of the same service shares the samples, and has its own choice.
    const beside = read('borealis');
    expect([beside.choice, beside.sizes.samples]).toEqual([{}, merged.sizes.samples]);
  });

  it('is not read if lines lack the heading of their section', () => {
    const ledger = read();
    ledger.put(ledgerLine('a', '1'));
    ledger.save();
    writeFileSync(path, text().replace(/^\{"section".*\n/m, ''));
    expect(() => read()).toThrow(/the heading of section [0-9a-f]{12} is missing/);
  });

  it('keeps concurrent changes of others during a run', () => {
    const begun = read();
    for (const file of ['a', 'b', 'c', 'd']) begun.put(ledgerLine(file, `${file}1`));
    begun.save();
    const run = read();
    run.put(ledgerLine('a', 'a2'));
    run.drop('b');
    run.save();
    // Changes from a git pull, which do not include this run's.
    begun.put(ledgerLine('c', 'c2'));
    begun.drop('d');
    begun.put(ledgerLine('e', 'e1'));
    const other = read('borealis');
    writeFileSync(path, pulled(begun, other));
    run.put(ledgerLine('f', 'f1'));
    run.save();
    expect(place.idsOf('aurora')).toEqual({ a: 'a2', c: 'c2', e: 'e1', f: 'f1' });
    expect(run.lines.get('e')).toEqual(ledgerLine('e', 'e1'));
    expect(place.idsOf('borealis')).toEqual({ x: 'x1' });
  });

  it('keeps the later of two lines if others wrote about the same file, and also its own earlier documents', () => {
    const run = read();
    run.put(ledgerLine('a', 'a1'));
    run.save();
    const before = text();
    run.put({ ...ledgerLine('a', 'a1'), name: 'menu' });
    run.save();
    // Its own earlier state does not count as a change by others.
    writeFileSync(path, before);
    run.save();
    expect(read().lines.get('a')).toMatchObject({ id: 'a1', name: 'menu' });
    const other = read();
    other.put(ledgerLine('a', 'a2', '2026-02-01T00:00:00.000Z'));
    other.save();
    run.save();
    expect(read().lines.get('a')).toMatchObject({ id: 'a2', earlier: ['a1'] });
  });

  it('is unchanged if the changes of others cannot be read', () => {
    const run = read();
    run.put(ledgerLine('a', 'a1'));
    run.save();
    const conflict = `<<<<<<< HEAD\n${text()}`;
    writeFileSync(path, conflict);
    run.put(ledgerLine('b', 'b1'));
    expect(() => run.save()).toThrow('it has merge conflicts');
    expect(text()).toBe(conflict);
  });

  it('is written once per hundredth of its lines, and every time while it is short', () => {
    const ledger = read();
    for (let number = 0; number < 100; number += 1) {
      ledger.put(ledgerLine(`${number}`, '1'));
      ledger.saveIfDue();
      expect(ledger.isWaiting).toBe(false);
    }
    for (let number = 100; number < 250; number += 1) ledger.put(ledgerLine(`${number}`, '1'));
    ledger.save();
    const written: string[] = [];
    const puts = ['a', 'b', 'c', 'd', 'e', 'f'].map((file) => {
      ledger.put(ledgerLine(file, '1'), () => written.push(file));
      ledger.saveIfDue();
      return written.length;
    });
    expect(puts).toEqual([0, 0, 3, 3, 3, 6]);
    ledger.drop('a');
    ledger.saveIfDue();
    expect([ledger.isWaiting, read().lines.size]).toEqual([true, 256]);
    ledger.save();
    expect([ledger.isWaiting, read().lines.size]).toEqual([false, 255]);
  });

  it('is created again if it was removed', () => {
    const run = read();
    run.put(ledgerLine('a', 'a1'));
    run.save();
    rmSync(path);
    run.put(ledgerLine('b', 'b1'));
    run.save();
    expect(place.idsOf('aurora')).toEqual({ a: 'a1', b: 'b1' });
  });
});
