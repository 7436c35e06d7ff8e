import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing } from '../support/needing.ts';
import { givenSeed } from '../support/properties.ts';
import { failuresOf, failuresOfPairs, hostileNames, knownHostile } from './hostile-names.ts';
import { Machine, type Session, shells } from './shell.ts';

describe.concurrent.each(['bash', 'zsh', 'fish'] as const)('many hostile names in a real %s', (shell) => {
  const isThere = shells.includes(shell);
  // M-* in bash takes the open quote away, and writes all that is offered.
  const keys = shell === 'bash' ? ['\t', '\u001b*'] : ['\t'];
  const machine = new Machine();
  const seed = givenSeed ?? Date.now();
  let session: Session;

  beforeAll(async () => {
    if (isThere) session = await machine.open(shell);
  });
  afterAll(() => {
    session?.close();
    machine.remove();
  });

  it(
    `are one argument each in every quote, and nothing of them runs (seed ${seed})`,
    needing(shell, isThere),
    async () => {
      const names = hostileNames(800, seed);
      for (const key of keys) expect(await failuresOf({ shell, session, machine }, names, key)).toEqual([]);
      const pairs = [...knownHostile, ...hostileNames(300, seed + 1)];
      expect(await failuresOfPairs({ shell, session, machine }, pairs)).toEqual([]);
    },
  );
});
