import { expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { devicesNamed } from '../commands/device/support.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { expectClean, patience, pictureOf } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

const sandbox = useSandbox({ phone: 'manual' });

const watched = (...names: readonly string[]) => devicesNamed(sandbox, names);

it('a table of many devices has next commands, follows changes and the window, and is removed', {
  timeout: patience,
}, async () => {
  const { api, env, ids } = await watched('Counter', 'Front office with a long name');
  const [, id = ''] = ids;
  await api.call('connectDevice', { path: { id } });
  await scanPicture(sandbox.control, await pictureOf(sandbox, id));
  const terminal = new PtyTerminal(['device', 'status', '--watch', '--all'], { columns: 80, rows: 24 }, env);
  await terminal.until((text) => /^Counter +never connected\b/m.test(text));
  await terminal.until((text) => /^Front office .*ready, paired as \+\d+/m.test(text));
  expect(await terminal.text()).toMatch(/^ +botctl device connect Counter$/m);
  expect(terminal.isAlternate).toBe(true);
  await callControl(sandbox.control, '/phone', { action: 'takeover', device: id });
  await terminal.until((text) => text.includes('1 taken over'));
  // Verdict and command are shown whole at any width.
  const whole = 'another session took it over; close that one, then pair it again';
  const words = async (): Promise<string> => (await terminal.text()).replace(/\s+/g, ' ');
  expect(await words()).toMatch(/another session took it over; close .*that one, then pair it again/);
  expect(await terminal.text()).toMatch(/^ +botctl device repair "Front office with a long name"$/m);
  terminal.resize({ columns: 44, rows: 16 });
  await terminal.until((text) => text.replace(/\s+/g, ' ').includes(whole));
  expect(await words()).toContain('botctl device repair \\ "Front office with a long name"');
  terminal.type('q');
  expect(await terminal.ended).toBe(3);
  await expectClean(terminal);
});

it('only the final output of a watch remains on the screen, where the watch started', {
  timeout: patience,
}, async () => {
  const { env } = await watched('Counter', 'Kitchen');
  const line = ['device', 'status', '--watch', '--all', '--until', 'ready', '--timeout', '1s'];
  const terminal = new PtyTerminal(line, { columns: 80, rows: 24 }, env);
  await terminal.until(() => terminal.isAlternate);
  expect(await terminal.ended).toBe(9);
  await expectClean(terminal);
  expect(await terminal.text()).toMatch(
    /^DEVICE +STATE\nCounter +never connected\n +botctl device connect Counter\nKitchen .*\n +botctl device connect Kitchen\n✗ Counter and Kitchen are not ready after 1 s\.\n {2}See why: botctl device status Counter Kitchen$/,
  );
});
