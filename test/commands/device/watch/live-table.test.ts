import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openWatchTable } from '../../../../src/commands/device/watch/live-table.ts';
import { WatchedStates } from '../../../../src/commands/device/watch/watched-states.ts';
import { createTerminal } from '../../../../src/terminal/terminal.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { Emulated } from '../../../terminal/emulated.ts';
import { utf8 } from '../../../terminal/support.ts';

const devices = Array.from({ length: 30 }, (_, index) => {
  const name = `Till ${String(index + 1).padStart(2, '0')}`;
  return { id: name, name, label: name, word: name };
});

/** The line above a table while the database is available. */
const head = { title: () => 'Watching', whyAway: (): string | undefined => undefined };

/** Shows a table of the devices on a screen. */
async function watching(columns: number, rows: number, whyAway = head.whyAway) {
  const emulated = new Emulated(columns, rows);
  const io = { ...emulated, stdout: emulated.stderr, env: utf8, signal: new AbortController().signal };
  const states = new WatchedStates(devices);
  const terminal = createTerminal(io, { color: false });
  const clock = new FakeClock({ byHand: true });
  const view = await openWatchTable({ terminal, clock, redact: (text) => text }, states, {
    ...head,
    whyAway,
  });
  const text = async (): Promise<string> => (await emulated.lines()).join('\n').trimEnd();
  /** Returns the first and the last device shown after a key. */
  const press = async (...keys: readonly string[]): Promise<string> => {
    for (const key of keys) emulated.stdin.write(key);
    await nextRound();
    const names = (await text()).match(/Till \d\d/g) ?? [];
    return `${names.at(0)} to ${names.at(-1)}`;
  };
  return { view, states, emulated, text, press, terminal, clock };
}

const arrow = { up: '\x1b[A', down: '\x1b[B' };
const page = { up: '\x1b[5~', down: '\x1b[6~' };

it('a watched list scrolls by its keys, and stops at its ends', async () => {
  // Besides the devices, it has a title, a heading, two blank lines, the number of hidden devices, and the keys.
  const { view, text, press } = await watching(80, 20);
  expect(await press()).toBe('Till 01 to Till 14');
  expect(await text()).toMatch(/\n16 more\n↑↓ scroll {2}PgUp PgDn page {2}q leave$/);
  for (const down of [arrow.down, '\x1bOB', 'j', 'J']) {
    expect(await press(down), JSON.stringify(down)).toBe('Till 02 to Till 15');
    expect(await text()).toContain('\n1 above, 15 more\n');
    const up = { [arrow.down]: arrow.up, '\x1bOB': '\x1bOA', j: 'k', J: 'K' }[down] ?? '';
    expect(await press(up), JSON.stringify(up)).toBe('Till 01 to Till 14');
  }
  expect(await press(arrow.up)).toBe('Till 01 to Till 14');
  expect(await press(page.down)).toBe('Till 15 to Till 28');
  expect(await press(page.down)).toBe('Till 17 to Till 30');
  expect(await text()).toContain('\n16 above\n');
  expect(await press(arrow.down)).toBe('Till 17 to Till 30');
  expect(await press(page.up)).toBe('Till 03 to Till 16');
  for (const [home, end] of [
    ['\x1b[H', '\x1b[F'],
    ['\x1bOH', '\x1bOF'],
    ['\x1b[1~', '\x1b[4~'],
    ['\x1b[7~', '\x1b[8~'],
  ] as const) {
    expect(await press(end), JSON.stringify(end)).toBe('Till 17 to Till 30');
    expect(await press(home), JSON.stringify(home)).toBe('Till 01 to Till 14');
  }
  view.close();
});

it('a watched list shows everything again if the window has room for it', async () => {
  const { view, emulated, text, press } = await watching(80, 20);
  expect(await press('\x1b[F')).toBe('Till 17 to Till 30');
  emulated.resize(80, 30);
  expect(await press()).toBe('Till 07 to Till 30');
  emulated.resize(80, 40);
  expect(await press()).toBe('Till 01 to Till 30');
  expect(await text()).toMatch(/\n\nq leave$/);
  expect(await press(arrow.down)).toBe('Till 01 to Till 30');
  view.close();
});

it('a list that is too long starts with urgent devices, and each device is on one of its pages', async () => {
  const { view, states, text, press } = await watching(80, 20);
  const [device] = devices.slice(-1);
  if (!device) throw new Error('there is none');
  states.take({ kind: 'unreachable', at: 0, device, problem: 'No answer.', isGone: false });
  expect(await press('\x1b[H')).toBe('Till 30 to Till 13');
  const seen = new Set<string>();
  for (let pages = 0; pages < 3; pages += 1) {
    for (const name of (await text()).match(/Till \d\d/g) ?? []) seen.add(name);
    await press(page.down);
  }
  expect(seen.size).toBe(devices.length);
  view.close();
});

it('q closes a watched list', async () => {
  const { view, press } = await watching(80, 20);
  await press('q');
  expect(view.signal.reason).toMatchObject({ kind: 'declined' });
  view.close();
});

it('the title is shown whole in a narrow window too, with the number of each state', async () => {
  const { view, states, text } = await watching(24, 20);
  const [gone, away] = devices;
  const unread = { kind: 'unreachable', at: 0, problem: 'No answer.' } as const;
  if (gone) states.take({ ...unread, device: gone, isGone: true });
  if (away) states.take({ ...unread, device: away, isGone: false });
  view.show(undefined);
  const [title = ''] = (await text()).split('\n\n');
  expect(title.replaceAll('\n', ' ')).toMatch(/^Watching: 1 not found, 1 unreachable, 28 asking/);
  view.close();
});

it('shows only the devices in the requested states, and reports if there are none', async () => {
  const emulated = new Emulated(80, 20);
  const io = { ...emulated, stdout: emulated.stderr, env: utf8, signal: new AbortController().signal };
  const states = new WatchedStates(devices, {}, (state) => state === 'unreachable');
  const clock = new FakeClock({ byHand: true });
  const terminal = createTerminal(io, { color: false });
  const view = await openWatchTable({ terminal, clock, redact: (text) => text }, states, head);
  const text = async (): Promise<string> => (await emulated.lines()).join('\n');
  expect(await text()).toMatch(/^Watching: none\n/);
  const [device] = devices;
  if (device) states.take({ kind: 'unreachable', at: 0, device, problem: 'No answer.', isGone: false });
  view.show(undefined);
  expect(await text()).toMatch(/^Watching: 1 unreachable\n/);
  expect((await text()).match(/Till \d\d/g)).toEqual(['Till 01']);
  view.close();
});

it('a note is shown whole between the title and the table, up to a limit', async () => {
  const { view, text, press, terminal } = await watching(60, 20);
  terminal.note(
    'Hooks also run at the watches of your colleagues now, as the desk is away and cannot say which one runs them.',
  );
  expect(await press()).toBe('Till 01 to Till 12');
  expect(await text()).toMatch(/^Watching: 30 asking\nHooks also (.*\n)+.*them\.\n\nDEVICE/);
  terminal.note('word '.repeat(100));
  view.show(undefined);
  expect(await text()).toMatch(/^Watching: 30 asking\n(.*word\n){3}.*word…\n\nDEVICE/);
  view.close();
});

it('the reason why a watch reads on its own is shown above the table while it applies, without old readers', async () => {
  let because: string | undefined = 'desk-db refuses';
  const { view, states, text, terminal, clock } = await watching(100, 20, () => because);
  const [one, two, three] = devices;
  const source = { host: 'vm', readAt: 0, change: '', isConfirmed: true };
  const now = clock.now();
  if (one) states.observe(one, { ...source, observer: 'Ana', ageMs: 0 }, now);
  if (two) states.observe(two, { ...source, observer: 'Bob', ageMs: 50_000 }, now);
  terminal.warn(
    "The desk's database is away (desk-db refuses). This machine shows its copy, updated just now.",
  );
  for (let second = 0; second < 30; second += 1) {
    view.show(undefined);
    expect(await text()).toMatch(
      /^Watching: 30 asking\nThis watch reads by itself while .* is away \(desk-db refuses\)\.\n\nDEVICE/,
    );
    clock.advance(1000);
  }
  because = undefined;
  view.show(undefined);
  expect(await text()).toMatch(
    /^Watching: 30 asking\. Statuses read by Ana \(vm\) and Bob \(vm\), up to 1 minute old\n\n/,
  );
  if (three) states.observe(three, { ...source, observer: 'Cem', ageMs: 50_000 }, now);
  view.show(undefined);
  expect((await text()).replace('\n', ' ')).toMatch(/read by Ana \(vm\), (Bob|Cem) \(vm\) and 1 more, up to/);
  view.close();
});
