import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StateWriter } from '../../src/tenants/apply/state-writer.ts';
import { readState } from '../../src/tenants/state-file.ts';
import { acquiredLock, stealLock } from '../support/steal-lock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { idFor } from './world.ts';

describe('the state file during an apply', () => {
  const origin = 'https://api.example';
  let folder: string;
  let keeper: StateWriter;

  beforeEach(() => {
    folder = join(temporaryDirectory(), 'locks');
    mkdirSync(folder);
    keeper = new StateWriter(acquiredLock(turn()), join(folder, 'lock.json'), origin, {
      origin,
      entries: new Map(),
    });
  });

  const turn = (): string => join(folder, 'lock.json.apply');
  const entryOf = (address: string) => ({ id: idFor(address), applied: {} });
  const keep = (address: string): Promise<void> => keeper.set(address, entryOf(address));
  const kept = (): readonly string[] => [...readState(join(folder, 'lock.json')).entries.keys()];

  it('is written with all concurrent changes', async () => {
    const written = ['a', 'b', 'c'].map(keep);
    expect([...keeper.entries.keys()]).toEqual(['a', 'b', 'c']);
    await written[0];
    expect(kept()).toEqual(['a', 'b', 'c']);
    await Promise.all(written);
    await keeper.set('a', undefined);
    expect(kept()).toEqual(['b', 'c']);
  });

  it('is broken once another process has taken over its lock, and stays unchanged', async () => {
    await keep('a');
    stealLock(turn());
    await expect(keeper.set('b', entryOf('b'))).rejects.toThrow('Another process has taken over the lock');
    expect([kept(), keeper.isBroken]).toEqual([['a'], true]);
  });

  it('is broken once it could not be written, which all waiting callers are told', async () => {
    await keep('a');
    const others = [keep('b'), keep('c')];
    rmSync(folder, { recursive: true });
    const outcomes = await Promise.allSettled(others);
    expect([outcomes.map(({ status }) => status), keeper.isBroken]).toEqual([['rejected', 'rejected'], true]);
  });
});
