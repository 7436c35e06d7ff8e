import { describe, expect, it } from 'vitest';
import { openTwice } from '../support/counters.ts';

describe('an advisory lock of PostgreSQL', () => {
  it('is not awaited by a transaction that tries, and several may share it', async () => {
    const [one, other] = await openTwice();
    await one.db.transaction().execute(async (mine) => {
      await one.shareLock(mine, 7);
      await other.db.transaction().execute(async (theirs) => {
        await other.shareLock(theirs, 7);
        expect(await other.tryLock(theirs, 7)).toBe(false);
      });
    });
    await one.db.transaction().execute(async (mine) => {
      await one.lock(mine, 7);
      const trying = other.db.transaction().execute((theirs) => other.tryLock(theirs, 7));
      expect(await trying).toBe(false);
    });
  });
});
