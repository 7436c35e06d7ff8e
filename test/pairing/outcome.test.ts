import { describe, expect, it } from 'vitest';
import { failureAfter } from '../../src/pairing/outcome.ts';

const device = { id: 'd-1', name: 'Front desk', label: 'Front desk', word: 'Front desk' };
const begun = { canConnect: true, interactive: true };
const expired = { kind: 'failed', at: 9, reason: undefined, because: 'expired' } as const;

describe('the failure of a pairing', () => {
  it('has the same message as the places that showed it', () => {
    const words = 'rate-overlimit';
    const failure = failureAfter({ ...expired, because: 'limited', words }, device, begun);
    expect(failure.message).toBe(
      'Front desk was not paired. Further attempts to pair it are refused for now. The service says: rate-overlimit.',
    );
  });

  it.each([
    [{}, 'botctl device connect "Front desk"'],
    [{ interactive: false }, 'botctl device connect "Front desk" --wait'],
    [{ word: 'd-1' }, 'botctl device connect d-1'],
  ])('names a command that works for %j', (parts, line) => {
    const { hint } = failureAfter(expired, { ...device, ...parts }, { ...begun, ...parts });
    expect(String(hint)).toBe(`Try again with new codes: ${line}`);
  });

  it('suggests watching if this command did not connect the device', () => {
    const timeout = { kind: 'timeout', at: 9, after: 60_000 } as const;
    const { hint } = failureAfter(timeout, device, { ...begun, canConnect: false });
    expect(String(hint)).toContain('botctl device watch "Front desk" --timeout 30m');
  });
});
