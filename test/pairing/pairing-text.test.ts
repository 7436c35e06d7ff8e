import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/pairing/pairing-text.ts';
import { firstState, stateAfter } from '../../src/pairing/web-page/state.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';

const said = 'The service says: rate-overlimit.';

describe('the words for an event', () => {
  it.each<Exclude<PairingEvent, { kind: 'code' }>>([
    { kind: 'starting', at: 0, words: 'rate-overlimit' },
    { kind: 'starting', at: 0, words: 'rate-overlimit', doubt: { state: 'unknown', status: 'FAILED' } },
    { kind: 'stopped', at: 0, reason: undefined, words: 'rate-overlimit' },
    { kind: 'reconnecting', at: 0, words: 'rate-overlimit' },
    { kind: 'failed', at: 0, reason: undefined, because: 'limited', words: 'rate-overlimit' },
  ])('quote the service on the screen, in plain lines and on the web page: $kind', (event) => {
    const { screen, spoken = screen } = textOf(event, 0, (text) => text);
    for (const lines of [screen, spoken]) expect(lines).toContain(said);
    expect(stateAfter(event, firstState).detail).toContain(said);
  });

  it('promise nothing of a reason that nobody knows', () => {
    const offline = (reason?: string) => textOf({ kind: 'reconnecting', at: 0, reason }, 0, (text) => text);
    expect(offline('515 restart required').detail).toContain('by itself');
    expect(offline('solar flare').detail).not.toContain('by itself');
    expect(offline('solar flare').detail).toContain('solar flare');
  });
});
