import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/client/answer.ts';
import { Failure } from '../../../../src/lib/errors.ts';
import type { JsonObject } from '../../../../src/lib/json-object.ts';
import { deviceStatus } from '../../../../src/resources/devices/device-status.ts';
import {
  pairInRounds,
  pauseBefore,
  Renewals,
  type RoundsOptions,
} from '../../../../src/resources/devices/pairing/rounds.ts';
import type { PairingEvent } from '../../../../src/resources/devices/pairing/watch-pairing.ts';
import { dataUrl, drawCode } from '../../../../src/sandbox/code-picture.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const starting: JsonObject = { device_id: 'd', status: 'started', connected: false, logged_in: false };
const stopped: JsonObject = {
  ...starting,
  status: 'stopped',
  last_disconnect_reason: 'QR refs attempts ended',
};
const ready: JsonObject = { ...starting, connected: true, logged_in: true, phone_number: '5511912345678' };
const withCode = (text: string): JsonObject => ({ ...starting, qr_code: dataUrl(drawCode(text)) });

/** Pairs a device whose status reads follow these steps in each connection; the last step of each repeats. */
async function paired(
  connections: readonly (readonly JsonObject[])[],
  options: Partial<RoundsOptions> = {},
  onEvent: (event: PairingEvent, renewals: Renewals) => void = () => undefined,
) {
  const clock = new FakeClock();
  const renewals = new Renewals();
  let connection = 0;
  let reads = 0;
  const asked: boolean[] = [];
  const events: PairingEvent[] = [];
  const following = pairInRounds({
    clock,
    renewals,
    signal: new AbortController().signal,
    timeout: undefined,
    justConnected: true,
    startTimeoutMs: 10_000,
    rounds: 3,
    async read() {
      const steps = connections[connection] ?? [];
      const step = steps[Math.min(reads, steps.length - 1)] ?? starting;
      reads += 1;
      return deviceStatus(step);
    },
    async startOver(isAsked) {
      asked.push(isAsked);
      connection += 1;
      reads = 0;
    },
    ...options,
  });
  for await (const event of following) {
    events.push(event);
    onEvent(event, renewals);
  }
  return { events, kinds: events.map(({ kind }) => kind), asked, waits: clock.waits };
}

/** Returns a 429 as a call throws it. */
function rateLimited(retryAfter: string): Failure {
  const cause = new ServiceError('rateLimited', 'Slow down.', 429, { retryAfter, isEnvelope: true });
  return new Failure('rateLimited', 'No more requests.', { cause });
}

const expiring = (text: string) => [withCode(text), stopped];

describe('pairing in rounds', () => {
  it('reports the age of the first code only for a round that it started itself', async () => {
    const joined = { justConnected: false };
    const { events } = await paired([expiring('one'), [withCode('two'), ready]], joined);
    const codes = events.filter(({ kind }) => kind === 'code');
    expect(codes).toMatchObject([{ life: undefined }, { life: 60_000 }]);
  });

  it('starts over when all codes have expired, and counts the time from the start', async () => {
    const { kinds, events, asked } = await paired([expiring('one'), [withCode('two'), ready]]);
    expect(kinds).toEqual(['code', 'renewing', 'code', 'scanned', 'connected']);
    expect(events[1]).toMatchObject({ round: 2, pause: 0 });
    expect(events[2]).toMatchObject({ number: 1, round: 2, life: 60_000 });
    expect(events.at(-1)).toMatchObject({ took: Number(events.at(-2)?.at) - Number(events[0]?.at) });
    expect(asked).toEqual([false]);
  });

  it('starts over as often as it may, with growing pauses, and then fails', async () => {
    const all = ['one', 'two', 'three', 'four', 'five'].map(expiring);
    const { events, kinds } = await paired(all);
    const renewing = events.filter((event) => event.kind === 'renewing');
    expect(renewing.map(({ pause }) => pause)).toEqual([0, 5000, 15_000]);
    expect(renewing.map(({ round }) => round)).toEqual([2, 3, 4]);
    expect(kinds.at(-1)).toBe('failed');
    expect((await paired(all, { rounds: 0 })).kinds).toEqual(['code', 'failed']);
    expect(pauseBefore(1, new FakeClock({ random: 0.5 }))).toBe(5500);
    expect(pauseBefore(99, new FakeClock())).toBe(60_000);
  });

  it('does not start over if a device fails for another reason', async () => {
    const unlinked = { ...stopped, last_disconnect_reason: '401 logged out' };
    const { kinds, asked } = await paired([[withCode('one'), unlinked]]);
    expect(kinds).toEqual(['code', 'failed']);
    expect(asked).toEqual([]);
  });

  it('is not ended by a service that temporarily does not have the device', async () => {
    const gone = new Failure('notFound', 'No such device.');
    let calls = 0;
    const starting = (failures: number) => async () => {
      calls += 1;
      if (calls <= failures) throw gone;
    };
    const lapse = await paired([[withCode('one'), stopped, withCode('two'), ready]], {
      startOver: starting(3),
      timeout: 60_000,
    });
    expect(lapse.kinds.filter((kind) => kind === 'unreachable')).toHaveLength(3);
    calls = 0;
    await expect(paired([[withCode('one'), stopped]], { startOver: starting(4) })).rejects.toBe(gone);
  });

  it('requests no new codes on its own if the service rate-limits it', async () => {
    const limited = { ...starting, message: 'rate-overlimit: cannot link new devices at this time' };
    const { kinds, asked } = await paired([[withCode('one'), limited], [withCode('two')]]);
    expect(kinds).toEqual(['code', 'starting', 'failed']);
    expect(asked).toEqual([]);
  });

  it('starts over at once when the user asks, which does not count as a round', async () => {
    const { kinds, asked, events } = await paired(
      [[withCode('one')], expiring('two'), [withCode('three'), ready]],
      { rounds: 1 },
      (event, renewals) => {
        if (event.kind === 'code' && event.round === 1) renewals.request();
      },
    );
    expect(kinds).toEqual(['code', 'renewing', 'code', 'renewing', 'code', 'scanned', 'connected']);
    expect(asked).toEqual([true, false]);
    expect(events[1]).toMatchObject({ round: 2, pause: 0 });
    expect(events[3]).toMatchObject({ round: 3, pause: 0 });
  });

  it('ends with the timeout, and nothing else, if starting over takes too long', async () => {
    const clock = new FakeClock();
    const { kinds } = await paired([expiring('one')], {
      timeout: 1500,
      clock,
      startOver: (_isAsked, signal) => clock.hang(signal),
    });
    expect(kinds).toEqual(['code', 'renewing', 'timeout']);
  });

  it('ignores a request while new codes are on their way', async () => {
    let renewals: Renewals | undefined;
    const connections = [expiring('one'), [withCode('two'), ready]];
    let connection = 0;
    const { kinds } = await paired(
      [],
      {
        read: async () => deviceStatus(connections[connection]?.shift() ?? ready),
        startOver: async () => {
          connection += 1;
          renewals?.request();
        },
      },
      (_event, those) => {
        renewals = those;
      },
    );
    expect(kinds).toEqual(['code', 'renewing', 'code', 'scanned', 'connected']);
  });

  it('ends with the timeout, in a pause too', async () => {
    const all = ['one', 'two', 'three', 'four'].map(expiring);
    const { kinds, events, waits } = await paired(all, { timeout: 4000 });
    expect(kinds).toEqual(['code', 'renewing', 'code', 'renewing', 'timeout']);
    expect(events.at(-1)).toMatchObject({ after: 4000 });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(4000);
  });

  it.each([
    ['the network failed', new Failure('network', 'No answer.'), 2000],
    ['the service asks for fewer requests', rateLimited('7'), 7000],
  ])('retries if %s, with all rounds used up, and reports that', async (_what, failure, pause) => {
    const asked: boolean[] = [];
    const connections = [[withCode('one')], [withCode('two'), ready]];
    const { kinds, events, waits } = await paired(
      [],
      {
        rounds: 0,
        async read() {
          const [steps = []] = connections;
          return deviceStatus((steps.length > 1 ? steps.shift() : steps[0]) ?? ready);
        },
        async startOver(isAsked) {
          asked.push(isAsked);
          if (asked.length === 1) throw failure;
          connections.shift();
        },
      },
      (event, renewals) => {
        if (event.kind === 'code' && event.round === 1) renewals.request();
      },
    );
    expect(kinds).toEqual(['code', 'renewing', 'unreachable', 'code', 'scanned', 'connected']);
    expect(events[2]).toMatchObject({ problem: failure.message });
    expect(waits[0]).toBe(pause);
    expect(asked).toEqual([true, true]);
  });

  it('retries until the timeout, but never what the service refused', async () => {
    const failing = (failure: Failure) => {
      let tries = 0;
      const startOver = async (): Promise<void> => {
        tries += 1;
        throw failure;
      };
      return { startOver, tried: () => tries };
    };
    const network = failing(new Failure('network', 'No answer.'));
    const down = await paired([expiring('one')], { startOver: network.startOver, timeout: 60_000 });
    expect(down.kinds.slice(0, 3)).toEqual(['code', 'renewing', 'unreachable']);
    expect(down.events.at(-1)).toMatchObject({ kind: 'timeout', after: 60_000 });
    expect(network.tried()).toBe(6);
    const late = failing(rateLimited('3600'));
    const held = await paired([expiring('one')], { startOver: late.startOver, timeout: 60_000 });
    expect(held.kinds).toEqual(['code', 'renewing', 'unreachable', 'timeout']);
    const refused = failing(new Failure('rejected', 'Not today.'));
    await expect(paired([expiring('one')], { startOver: refused.startOver })).rejects.toThrow('Not today.');
    expect(refused.tried()).toBe(1);
  });

  it('accepts a key as soon as the pause is reported', async () => {
    const all = [expiring('one'), expiring('two'), [withCode('three'), ready]];
    const { kinds, asked, waits } = await paired(all, {}, (event, renewals) => {
      if (event.kind === 'renewing' && event.pause > 0) renewals.request();
    });
    expect(kinds.at(-1)).toBe('connected');
    expect(asked).toEqual([false, true]);
    expect(waits).not.toContain(5000);
  });

  it('ends with the reason of its signal in a pause', async () => {
    const abort = new AbortController();
    const reason = new Failure('interrupted', 'Interrupted.');
    const all = ['one', 'two', 'three'].map(expiring);
    const following = paired(all, { signal: abort.signal }, (event) => {
      if (event.kind === 'renewing' && event.pause > 0) abort.abort(reason);
    });
    await expect(following).rejects.toBe(reason);
  });
});
