import { expect, it } from 'vitest';
import { bodyOf, runOf } from '../../src/hooks/hook-run.ts';
import { isId } from '../../src/lib/ids.ts';
import { changeOf } from './support.ts';

const same = (text: string): string => text;

it('a change is one line of JSON with these members, null for unknown ones', () => {
  const change = changeOf('d', {
    device: { id: 'd', name: undefined, team: undefined, label: 'd' },
    phoneNumber: undefined,
  });
  const run = runOf('exec:night', change);
  expect(JSON.parse(bodyOf(run, 'night', same))).toEqual({
    event: 'state',
    device_id: 'd',
    name: null,
    team_name: null,
    state: 'stopped',
    was: 'ready',
    reason: null,
    phone_number: null,
    at: '2026-01-01T00:00:00.000Z',
    delivery: run.delivery,
    hook: 'night',
  });
});

it.each([
  'Front\n"desk"',
  '$(touch /tmp/x)',
  '\x1b[2J\x9b31m',
  "a'; rm -rf ~",
  '\u202egnp.exe',
  '\ud800',
  '\0',
])('a name arrives unchanged, without control sequences: %j', (name) => {
  const change = changeOf('d', { device: { id: 'd', name, team: name, label: 'd' }, reason: name });
  const body = bodyOf(runOf('exec:x', change), 'x', same);
  expect(JSON.parse(body)).toMatchObject({ name, team_name: name, reason: name });
  expect(body).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
});

it('secrets in names and reasons are masked', () => {
  const secret = 'a-very-secret-value';
  const masked = (text: string): string => text.replaceAll(secret, '****');
  const change = changeOf('d', {
    device: { id: 'd', name: `N ${secret}`, team: secret, label: 'd' },
    reason: secret,
  });
  expect(bodyOf(runOf('exec:x', change), secret, masked)).not.toContain(secret);
});

it('a delivery has the same id on every machine, and a different one for each hook, device and change', () => {
  const change = changeOf('d');
  const { delivery } = runOf('exec:x', change);
  expect(isId(delivery)).toBe(true);
  expect(runOf('exec:x', { ...change, at: 0 }).delivery).toBe(delivery);
  const others = [
    runOf('webhook:x', change),
    runOf('exec:x', changeOf('d')),
    runOf('exec:x', { ...change, device: { ...change.device, id: 'e' } }),
  ];
  expect(new Set([delivery, ...others.map((run) => run.delivery)]).size).toBe(4);
});
