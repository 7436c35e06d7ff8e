import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { tryLock } from '../../src/lib/files/lock.ts';
import { acquireApplyLock, changeLocked } from '../../src/tenants/apply-lock.ts';
import { holdTime } from '../support/hold-time.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the lock of a state file', () => {
  beforeEach(holdTime);

  const note = (): void => undefined;
  const { signal } = new AbortController();

  it('makes short changes wait for a short time', async () => {
    const path = join(temporaryDirectory(), 'tenants.lock.json');
    const other = tryLock(`${path}.apply`);
    const notes: unknown[] = [];
    const reporter = { note: (text: unknown) => void notes.push(text) };
    const changing = changeLocked({ signal, reporter }, path, undefined, (lock) => lock).catch(
      (thrown: unknown) => thrown,
    );
    await vi.advanceTimersByTimeAsync(9_000);
    expect(notes).toEqual([expect.stringContaining('waiting until it has')]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await changing).toMatchObject({
      kind: 'invalidInput',
      hint: 'Run it again when that has ended.',
    });
    if (other.state === 'acquired') other.lock.release();
    expect(existsSync(`${path}.apply`)).toBe(false);
  });

  it('is released on a signal', async () => {
    const path = join(temporaryDirectory(), 'tenants.lock.json');
    const aborted = AbortSignal.abort(new Failure('interrupted', 'Interrupted.'));
    const context = { signal: aborted, reporter: { note } };
    await expect(acquireApplyLock(context, path, 0)).rejects.toMatchObject({
      kind: 'interrupted',
    });
    expect(existsSync(`${path}.apply`)).toBe(false);
  });
});
