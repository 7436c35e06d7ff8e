import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong, someOf } from '../support/long.ts';
import { needing } from '../support/needing.ts';
import { failuresOf, failuresOfPairs, hostileNames, knownHostile } from './hostile-names.ts';
import { Machine, type Session, shells } from './shell.ts';

describe.concurrent.each(['bash', 'zsh', 'fish'] as const)('a hostile name in a real %s', (shell) => {
  const isThere = shells.includes(shell);
  // M-* in bash takes the open quote away, and writes all that is offered.
  const keys = shell === 'bash' ? ['\t', '\u001b*'] : ['\t'];
  const machine = new Machine();
  let session: Session;

  beforeAll(async () => {
    if (isThere) session = await machine.open(shell);
  });
  afterAll(() => {
    session?.close();
    machine.remove();
  });

  it('is one argument in every quote, and nothing of it runs', {
    ...needing(shell, isThere),
    timeout: 60_000,
  }, async () => {
    const names = [...someOf(knownHostile, 6), ...hostileNames(isLong ? 5 : 1, 1)];
    for (const [turn, key] of keys.entries()) {
      const some = someOf(names, keys.length, turn);
      expect(await failuresOf({ shell, session, machine }, some, key)).toEqual([]);
    }
    expect(await failuresOfPairs({ shell, session, machine }, hostileNames(isLong ? 8 : 2, 2))).toEqual([]);
  });
});
