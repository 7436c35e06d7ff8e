import { expect, it } from 'vitest';
import { StateFilter, watchedStateNames } from '../../../../src/commands/device/watch/state-filter.ts';
import { deviceStatus } from '../../../../src/resources/devices/device-status.ts';
import { diagnose } from '../../../../src/resources/devices/diagnosis.ts';
import type { WatchEvent } from '../../../../src/resources/devices/watch/watch-devices.ts';

const device = { id: 'd', name: 'Desk', label: 'Desk', word: 'Desk' };
const ready = { status: 'started', connected: true, logged_in: true };
const stopped = { status: 'stopped', connected: false, last_disconnect_reason: 'by request' };

function seen(members: Record<string, unknown>): WatchEvent {
  const status = deviceStatus({ device_id: 'd', ...members });
  return { kind: 'state', at: 0, device, status, diagnosis: diagnose(status, device, 0), was: undefined };
}
const away: WatchEvent = { kind: 'unreachable', at: 0, device, problem: 'No answer.', isGone: false };
const reached: WatchEvent = { kind: 'reached', at: 0 };

it('reports devices in the states, and once when they leave them', () => {
  const filter = new StateFilter(['stopped']);
  const events = [
    seen(ready),
    seen(stopped),
    seen(stopped),
    seen(ready),
    seen(ready),
    seen(stopped),
    away,
    away,
    reached,
  ];
  expect(events.map((event) => filter.takes(event))).toEqual([
    ...[false, true, true, true, false],
    ...[true, true, false, true],
  ]);
});

it('distinguishes missing and unreadable devices, and shows none before the first response', () => {
  const filter = new StateFilter(['unreachable', 'not_found']);
  expect([away, { ...away, isGone: true }, seen(ready)].map((event) => filter.takes(event))).toEqual([
    true,
    true,
    true,
  ]);
  expect([filter.has(null), filter.has('ready'), filter.has('not_found')]).toEqual([false, false, true]);
  const all = new StateFilter([]);
  expect([all.has(null), all.has('ready'), all.takes(away)]).toEqual([true, true, true]);
  expect(watchedStateNames).toEqual(
    expect.arrayContaining(['ready', 'never_connected', 'unreachable', 'not_found']),
  );
});
