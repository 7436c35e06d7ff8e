import { describe, expect, it } from 'vitest';
import { firstState, stateAfter } from '../../src/pairing/web-page/state.ts';
import { codeInWords, sentencesOf, wordsOf } from '../../src/pairing/words.ts';
import type { PairingEvent, ShownCode } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';

type Event = Exclude<PairingEvent, { kind: 'code' }>;
const said = (event: Event, now = 0): string => sentencesOf(wordsOf(event, now, (text) => text)).join(' ');

describe('the text for an event', () => {
  it.each<Event>([
    { kind: 'starting', at: 0, words: 'rate-overlimit' },
    { kind: 'starting', at: 0, words: 'rate-overlimit', doubt: { state: 'unknown', status: 'FAILED' } },
    { kind: 'stopped', at: 0, reason: undefined, words: 'rate-overlimit' },
    { kind: 'reconnecting', at: 0, words: 'rate-overlimit' },
    { kind: 'failed', at: 0, reason: undefined, because: 'limited', words: 'rate-overlimit' },
  ])('quotes the service, on the web page too: $kind', (event) => {
    expect(said(event)).toContain('The service says: rate-overlimit.');
    expect(stateAfter(event, firstState).detail).toContain('The service says: rate-overlimit.');
  });

  it('promises nothing for an unknown reason', () => {
    expect(said({ kind: 'reconnecting', at: 0, reason: '515 restart required' })).toContain('by itself');
    const unknown = said({ kind: 'reconnecting', at: 0, reason: 'solar flare' });
    expect(unknown).not.toContain('by itself');
    expect(unknown).toContain('solar flare');
  });

  it('contains how long ago, and when', () => {
    expect(said({ kind: 'stalled', at: 0, since: -30_000 })).toContain('30 s ago, but still not connected.');
    const renewing: Event = { kind: 'renewing', at: 0, round: 2, pause: 5000 };
    expect(said(renewing)).toContain('Round 2 starts in 5 s, with a new code.');
    expect(said(renewing, 6000)).toContain('starts now');
  });

  it('lists the likely causes of a stall, from the second failed scan on', () => {
    const causes = ['passkey', 'no internet', 'four linked devices'];
    const failed = (scans: number): string => said({ kind: 'scan_failed', at: 0, scans, reason: '515' });
    for (const cause of causes) {
      expect(said({ kind: 'stalled', at: 0, since: 0 })).toContain(cause);
      expect(failed(2)).toContain(cause);
      expect(failed(1)).not.toContain(cause);
    }
  });
});

describe('the text for a code', () => {
  const code: ShownCode = {
    code: { payload: new Secret('a code'), fingerprint: 'f', picture: Buffer.of() },
    number: 1,
    round: 1,
    since: 0,
    life: 60_000,
  };

  it('counts down to the next one, and marks an overdue one', () => {
    expect(codeInWords(code, 0).text).toBe('Code 1, round 1: a new one in about 1 min.');
    expect(codeInWords(code, 59_000).text).toBe('Code 1, round 1: a new one in about 1 s.');
    expect(codeInWords(code, 60_000)).toMatchObject({ text: expect.stringMatching(/^STALE/), tone: 'bad' });
  });

  it('promises nothing for one that existed before', () => {
    const { text } = codeInWords({ ...code, life: undefined }, 50_000);
    expect(text).toBe('Code 1, round 1: seen for 50 s, may be older.');
  });
});
