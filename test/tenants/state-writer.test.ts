import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StateWriter } from '../../src/tenants/apply/state-writer.ts';
import { readState } from '../../src/tenants/state-file.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { acquiredLock, stealLock } from '../support/steal-lock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { idFor } from './world.ts';

describe('the lock while an apply changes it', () => {
  const origin = 'https://api.example';
  let folder: string;
  let clock: FakeClock;
  let keeper: StateWriter;

  beforeEach(() => {
    folder = join(temporaryDirectory(), 'locks');
    mkdirSync(folder);
    clock = new FakeClock({ byHand: true });
    keeper = new StateWriter(
      acquiredLock(turn()),
      join(folder, 'lock.json'),
      origin,
      { origin, entries: new Map() },
      clock,
    );
  });

  const turn = (): string => join(folder, 'lock.json.apply');
  const entryOf = (address: string) => ({ id: idFor(address), applied: {} });
  const soon = (address: string): Promise<void> => keeper.keepSoon(address, entryOf(address));
  const kept = (): readonly string[] => [...readState(join(folder, 'lock.json')).entries.keys()];

  it('is written at once, then with all that came in the quarter of a second after that, which is known before', async () => {
    await soon('a');
    expect(kept()).toEqual(['a']);
    const others = [soon('b'), soon('c')];
    await new Promise(setImmediate);
    expect([kept(), [...keeper.entries.keys()]]).toEqual([['a'], ['a', 'b', 'c']]);
    clock.advance(250);
    await Promise.all(others);
    expect([kept(), clock.waits]).toEqual([['a', 'b', 'c'], [250]]);
  });

  it('lets nothing wait with what has to be there before anything goes on, nor at the end', async () => {
    await soon('a');
    const other = soon('b');
    await new Promise(setImmediate);
    await keeper.keep('c', entryOf('c'));
    await other;
    expect(kept()).toEqual(['a', 'b', 'c']);
    const last = soon('d');
    keeper.hurry();
    await last;
    expect(kept()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is broken once another process has taken over its turn, and stays as it is', async () => {
    await soon('a');
    stealLock(turn());
    await expect(keeper.keep('b', entryOf('b'))).rejects.toThrow('Another process has taken over the lock');
    expect([kept(), keeper.isBroken]).toEqual([['a'], true]);
  });

  it('is broken once it could not be written, which all are told that waited for it', async () => {
    await soon('a');
    const others = [soon('b'), soon('c')];
    rmSync(folder, { recursive: true });
    keeper.hurry();
    const outcomes = await Promise.allSettled(others);
    expect([outcomes.map(({ status }) => status), keeper.isBroken]).toEqual([['rejected', 'rejected'], true]);
  });
});
