import { describe, expect, it } from 'vitest';
import { failureAfter, nothingSeen, withEvent } from '../../src/pairing/outcome.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';

const device = { id: 'd-1', name: 'Front desk', label: 'Front desk', word: 'Front desk' };
const begun = { canConnect: true, interactive: true };

function code(fingerprint: string, round: number): PairingEvent {
  const read = { payload: new Secret(`payload ${fingerprint}`), fingerprint, picture: Buffer.of() };
  return { kind: 'code', at: 0, code: read, number: 1, since: 0, life: 60_000, round };
}

function failureOf(events: readonly PairingEvent[], parts: Partial<typeof begun & typeof device> = {}) {
  const seen = events.reduce(withEvent, nothingSeen);
  return failureAfter(seen, { ...device, ...parts }, { ...begun, ...parts });
}

describe('what a pairing failed with', () => {
  const expired: PairingEvent = { kind: 'failed', at: 9, reason: undefined, because: 'expired' };

  it('counts each code once, however often it was read, and the rounds', () => {
    const failure = failureOf([code('a', 1), code('a', 1), code('b', 1), code('c', 2), expired]);
    expect(failure.message).toBe(
      'Front desk was not paired: nobody scanned any of its 3 codes, in 2 rounds.',
    );
  });

  it.each([
    [{}, 'botctl device connect "Front desk"'],
    [{ interactive: false }, 'botctl device connect "Front desk" --wait'],
    [{ word: 'd-1' }, 'botctl device connect d-1'],
  ])('names a command that works for %j', (parts, line) => {
    const { hint } = failureOf([code('a', 1), expired], parts);
    expect(String(hint)).toBe(`Start over with new codes: ${line}`);
  });

  it('goes on looking where this command did not connect the device', () => {
    const { hint } = failureOf([{ kind: 'timeout', at: 9, after: 60_000 }], { canConnect: false });
    expect(String(hint)).toContain('botctl device watch "Front desk" --timeout 30m');
  });
});
