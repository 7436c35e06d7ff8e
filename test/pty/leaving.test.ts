import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { apiOf, homeFor, teamAndBot } from '../commands/device/support.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { codeGlyphs, expectClean, patience, pictureOf, StillClock } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

const clock = new StillClock();
const sandbox = useSandbox({ phone: 'manual', machineTime: clock.time });
afterEach(() => clock.reset());

/** Ways to leave, by name, and the exit code of each. */
const ways: Readonly<Record<string, readonly [exitCode: number, leave: (terminal: PtyTerminal) => void]>> = {
  'Ctrl-C': [130, (terminal) => terminal.type('\x03')],
  SIGTERM: [143, (terminal) => terminal.kill('SIGTERM')],
  SIGHUP: [143, (terminal) => terminal.kill('SIGHUP')],
  q: [3, (terminal) => terminal.type('q')],
  'an error that nobody catches': [1, (terminal) => terminal.kill('SIGUSR2')],
};

/** Returns preloaded code that makes a process throw on a signal. */
function failsOnSignal(): string {
  const file = join(temporaryDirectory(), 'fail.cjs');
  writeFileSync(file, `process.on('SIGUSR2', () => { throw new Error('a bug'); });`);
  return `--require ${file}`;
}

/** Runs `device connect` with a device in a separate terminal for each way to leave. */
async function connecting() {
  const api = apiOf(sandbox);
  const { teamId, botId } = await teamAndBot(api);
  const env = { ...homeFor(sandbox, temporaryDirectory('process')), NODE_OPTIONS: failsOnSignal() };
  const made = [];
  for (const [way, [exitCode, leave]] of Object.entries(ways)) {
    const { data } = await api.call('createDevice', { body: { team_id: teamId, bot_id: botId, name: way } });
    const terminal = new PtyTerminal(['device', 'connect', data.id], { columns: 100, rows: 40 }, env);
    made.push({ way, exitCode, leave, id: data.id, terminal });
  }
  return made;
}

type Connecting = Awaited<ReturnType<typeof connecting>>;

/** Waits until every terminal shows a text. */
async function allShow(all: Connecting, words: string): Promise<void> {
  await Promise.all(all.map(({ terminal }) => terminal.until((text) => text.includes(words))));
}

async function toTheCode(all: Connecting): Promise<void> {
  sandbox.behave({ withhold_codes: false });
  await allShow(all, 'Code 1, round 1');
  for (const { terminal } of all) expect(await terminal.text()).toMatch(codeGlyphs);
}

const stages: Readonly<Record<string, (all: Connecting) => Promise<void>>> = {
  'before the first code': (all) => allShow(all, 'Waiting for the code.'),
  'with a code': toTheCode,
  async 'after the scan'(all) {
    await toTheCode(all);
    const pictures = await Promise.all(all.map(({ id }) => pictureOf(sandbox, id)));
    const stall = true;
    await Promise.all(pictures.map((picture) => scanPicture(sandbox.control, picture, { stall })));
    await allShow(all, 'Scanned, connecting.');
  },
  async 'between two rounds'(all) {
    await toTheCode(all);
    clock.advance(170_000);
    // The first further round starts at once, the second one after a pause.
    await allShow(all, 'Code 1, round 2');
    clock.advance(170_000);
    await allShow(all, 'Round 3 starts in');
  },
};

describe('device connect', { timeout: patience }, () => {
  it.each(Object.entries(stages))(
    'is quit %s: the screen is restored, without a code',
    async (_stage, reach) => {
      sandbox.behave({ withhold_codes: true });
      const all = await connecting();
      await reach(all);
      for (const { terminal, leave } of all) leave(terminal);
      const codes = await Promise.all(all.map(async ({ way, terminal }) => [way, await terminal.ended]));
      expect(codes).toEqual(all.map(({ way, exitCode }) => [way, exitCode]));
      for (const { terminal } of all) await expectClean(terminal);
    },
  );
});
