import { expect, it } from 'vitest';
import { WatchedStates } from '../../../../src/commands/device/watch/watched-states.ts';
import { deviceStatus } from '../../../../src/resources/devices/device-status.ts';
import { diagnose } from '../../../../src/resources/devices/diagnosis.ts';

const device = { id: 'd', name: 'Desk', label: 'Desk', word: 'Desk', team: 'Acme' };
const lostAt = Date.UTC(2026, 0, 1, 9);
const up = { status: 'started', connected: true, logged_in: true };
const offline = {
  ...up,
  connected: false,
  last_disconnect_reason: 'Connection was lost',
  last_disconnect_at: new Date(lostAt).toISOString(),
};

it('a device is in its state since it came to it, not since the watch began', () => {
  const seen = (states: WatchedStates, members: Record<string, unknown>, at: number) => {
    const status = deviceStatus({ device_id: 'd', ...members });
    states.take({
      kind: 'state',
      at,
      device,
      status,
      diagnosis: diagnose(status, device, at),
      was: undefined,
    });
    return states.shown[0];
  };
  const begun = lostAt + 3_600_000;
  const down = new WatchedStates([device]);
  expect(down.shown[0]).toMatchObject({ since: undefined, row: { team_name: 'Acme' } });
  expect(seen(down, offline, begun)?.since).toBe(lostAt);
  expect(seen(down, { ...offline, phone_number: '5511912345678' }, begun + 1000)?.since, 'the same').toBe(
    lostAt,
  );
  expect(seen(down, up, begun + 2000)?.since).toBe(begun + 2000);
  const ready = new WatchedStates([device]);
  expect(
    seen(ready, { ...up, last_disconnect_at: offline.last_disconnect_at }, begun)?.since,
    'nothing tells',
  ).toBe(undefined);
  ready.take({ kind: 'unreachable', at: begun + 5000, device, problem: 'No answer.', isGone: false });
  expect(ready.shown[0]?.since).toBe(begun + 5000);
});

it('a device keeps its state under its new name', () => {
  const states = new WatchedStates([device]);
  states.take({ kind: 'unreachable', at: lostAt, device, problem: 'No answer.', isGone: false });
  states.rename({ ...device, name: 'Counter' });
  expect(states.shown).toMatchObject([{ since: lostAt, row: { name: 'Counter', state: 'unreachable' } }]);
});
