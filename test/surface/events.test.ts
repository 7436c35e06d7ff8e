import { describe, expect, it } from 'vitest';
import { rowStates } from '../../src/campaigns/row-state.ts';
import type { SendEnd } from '../../src/campaigns/run/device-sender.ts';
import { watchRow } from '../../src/commands/device/watch/watch-row.ts';
import { Failure } from '../../src/lib/errors.ts';
import { interruptedResult } from '../../src/pairing/outcome.ts';
import { pairingRow } from '../../src/pairing/pairing-row.ts';
import { deviceStatus } from '../../src/resources/devices/device-status.ts';
import { stateWords } from '../../src/resources/devices/device-words.ts';
import { comparison } from '../../src/resources/devices/pairing/expected-number.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import type { WatchEvent } from '../../src/resources/devices/watch/watch-devices.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { homeFor, linesOf, quickly, reception } from '../commands/device/support.ts';
import { useSandbox } from '../support/sandbox.ts';
import { expectSurface } from './surface.ts';

const device = { id: 'd', name: 'Reception', label: 'Reception', word: 'Reception' };
const at = 0;
const since = 0;
const reason = 'reason';
const words = 'words';
const code = { payload: new Secret('code'), fingerprint: 'f', picture: Buffer.alloc(0) };

type Samples<Event extends { readonly kind: string }> = {
  readonly [Kind in Event['kind']]: Extract<Event, { kind: Kind }>;
};

/** One event of each kind, with every member that it can have. */
const pairing: Samples<PairingEvent> = {
  stopped: { kind: 'stopped', at, reason, words },
  starting: { kind: 'starting', at, words },
  reconnecting: { kind: 'reconnecting', at, reason, words },
  code: { kind: 'code', at, code, number: 1, since, life: 1, round: 1 },
  unconfirmed: { kind: 'unconfirmed', at, since },
  scan_failed: { kind: 'scan_failed', at, reason, scans: 1 },
  unreadable: { kind: 'unreadable', at, problem: reason, picture: undefined },
  scanned: { kind: 'scanned', at, since },
  stalled: { kind: 'stalled', at, since },
  unreachable: { kind: 'unreachable', at, problem: reason },
  renewing: { kind: 'renewing', at, round: 2, pause: 1 },
  connected: { kind: 'connected', at, phoneNumber: '+1', took: 1 },
  failed: { kind: 'failed', at, because: 'error', reason, words },
  timeout: { kind: 'timeout', at, after: 1, problem: reason, words },
};

const status = deviceStatus({});
const diagnosis = { state: 'ready', text: 'connected', next: undefined } as const;
const watching: Samples<WatchEvent> = {
  state: { kind: 'state', at, device, diagnosis, status, was: undefined },
  unreachable: { kind: 'unreachable', at, device, problem: reason, isGone: false },
  added: { kind: 'added', at, device },
  forgotten: { kind: 'forgotten', at, device },
  reached: { kind: 'reached', at },
  failed: { kind: 'failed', at, because: 'error', reason, missing: [device] },
  timeout: { kind: 'timeout', at, after: 1, missing: [device] },
};

/** The reasons why the devices of a campaign end. */
const ends: Readonly<Record<SendEnd['kind'], true>> = {
  done: true,
  closed: true,
  paused: true,
  cancelled: true,
  stuck: true,
  limited: true,
  stopped: true,
};

function membersOf(rows: readonly object[]): { readonly [event: string]: readonly string[] } {
  return Object.fromEntries(rows.map((row) => ['event' in row ? String(row.event) : '', Object.keys(row)]));
}

describe('the public surface', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('of events is the one in test/surface', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const connected = await quickly(['device', 'connect', 'Reception', '--no-wait', '-o', 'ndjson'], { env });
    const repaired = await quickly(['device', 'repair', 'Reception', '--force', '--yes', '-o', 'ndjson'], {
      env,
    });
    expect([connected.exitCode, repaired.exitCode], repaired.stderr).toEqual([0, 0]);
    const interrupted = AbortSignal.abort(new Failure('interrupted', 'Interrupted.'));
    expectSurface('events', {
      'of a pairing: device connect, device repair --wait, device status --watch of one device': membersOf([
        ...Object.values(pairing).map((event) => pairingRow(event, device, (secret) => secret.reveal())),
        interruptedResult(undefined, interrupted, undefined, device, 0, 0).row,
      ]),
      'more of a device that is connected, with --expect': Object.keys(comparison('1', '+1')),
      'of device connect --no-wait, by the state': membersOf(linesOf(connected.stdout)),
      'of device repair': membersOf(linesOf(repaired.stdout)),
      'of device status --watch': membersOf(
        Object.values(watching).map((event) => watchRow(event, 'ready', {})),
      ),
      'states of a device': Object.keys(stateWords),
      'states of a row of a campaign': rowStates,
      'ends of a device in campaigns run': Object.keys(ends),
    });
  });
});
