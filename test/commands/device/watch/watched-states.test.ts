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

it('a device is in its state since it entered it, not since the watch started', () => {
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

it('a renamed device keeps its state, and its next command has the new name', () => {
  const states = new WatchedStates([device]);
  const renamed = { ...device, name: 'Counter', word: 'Counter' };
  const status = deviceStatus({ device_id: 'd', status: 'stopped', connected: false, logged_in: false });
  const diagnosis = diagnose(status, device, lostAt);
  states.take({ kind: 'state', at: lostAt, device, status, diagnosis, was: undefined });
  expect(states.shown[0]?.row.next).toBe('botctl device connect Desk');
  states.rename(renamed, diagnose(status, renamed, lostAt).next);
  expect(states.shown[0]?.row).toMatchObject({ name: 'Counter', next: 'botctl device connect Counter' });
  for (const isGone of [true, false]) {
    const was = { ...device, isBooked: true };
    states.take({ kind: 'unreachable', at: lostAt, device: was, problem: 'No answer.', isGone });
    states.rename(renamed, diagnose(status, renamed, lostAt).next);
    const [state, next] = isGone ? ['not_found', 'botctl device status Counter'] : ['unreachable', null];
    expect(states.shown).toMatchObject([{ since: lostAt, row: { name: 'Counter', state, next } }]);
  }
});
