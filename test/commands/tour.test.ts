import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownCommand } from '../../src/commands/tour.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Failure } from '../../src/lib/errors.ts';
import { botctl, type Ran, type TerminalLook, temporaryDirectory } from '../support/botctl.ts';
import { scaledClock } from '../support/fake-clock.ts';

/** Returns the temporary directory that a tour reports; other tours may run at the same time. */
function homeOf({ stdout }: Ran): string {
  const [home = ''] = /\/\S*botctl-tour-\w+/.exec(stdout) ?? [];
  expect(home).toContain(tmpdir());
  return home;
}

/** Creates a home with the profile of a sandbox that may be running, which the tour must not touch. */
function homeWithProfile() {
  const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const file = join(env.BOTCTL_CONFIG_DIR, 'config.json');
  const profile = {
    base_url: 'http://127.0.0.1:4010',
    key_id: 'key',
    key_secret: 'secret',
    written_by: 'sandbox',
  };
  const config = { current_profile: 'sandbox', profiles: { sandbox: profile } };
  writeFileSync(file, JSON.stringify(config));
  const expectUnchanged = () => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(config);
    expect(readdirSync(env.BOTCTL_CONFIG_DIR)).toEqual(['config.json']);
  };
  return { env, expectUnchanged };
}

describe('the tour', () => {
  it('names botctl as the user typed it', () => {
    expect(ownCommand('/usr/local/bin/botctl')).toBe('botctl');
    expect(ownCommand(undefined)).toBe('botctl');
    expect(ownCommand(join(process.cwd(), 'bin', 'botctl.js'))).toBe(`node ${join('bin', 'botctl.js')}`);
  });

  it('does the whole job without a terminal, and leaves nothing behind', async () => {
    const { env, expectUnchanged } = homeWithProfile();
    const ran = await botctl(['tour'], { env, clock: scaledClock() });
    expect(ran.stderr).toContain('Accepted for +5511988887777.');
    expect(ran.exitCode).toBe(0);
    for (const line of [
      'botctl login',
      'botctl teams create',
      'botctl docs upload',
      'botctl bots create',
      'botctl send',
    ]) {
      expect(ran.stderr).toContain(`$ ${line}`);
    }
    expect(ran.stderr).toContain('There is no terminal to draw the code on');
    expect(ran.stderr).toContain('The demo is complete.');
    // stdout has only the output of the commands.
    expect(ran.stdout).not.toMatch(/^[#$]|complete/m);
    // Neither a code nor an escape sequence reaches a pipe.
    expect(ran.stdout + ran.stderr).not.toMatch(/[\x1b█▀▄]|data:image/);
    expect(existsSync(homeOf(ran))).toBe(false);
    expectUnchanged();
  });

  const terminals: readonly (readonly [string, TerminalLook, RegExp | undefined])[] = [
    ['usual', { columns: 80, rows: 24 }, /[█\u{1fb00}-\u{1fb3b}]{10}/u],
    ['large', { columns: 100, rows: 45 }, /[█▀▄]{10}/],
    ['tiny', { columns: 60, rows: 20 }, undefined],
  ];
  it.each(terminals)('pairs by the drawn code on a %s terminal', async (_, terminal, drawing) => {
    const ran = await botctl(['tour'], {
      terminal,
      clock: scaledClock(3),
      answers: { 'Press Enter': '' },
    });
    expect(ran.exitCode).toBe(0);
    if (drawing) {
      expect(ran.stderr).toMatch(drawing);
      expect(ran.stderr).not.toContain('No code was drawn here');
    } else expect(ran.stderr).not.toMatch(/[█▀▄]{10}/);
    expect(ran.stderr.includes('This window is too small for the code')).toBe(drawing === undefined);
    expect(ran.stderr.includes('--qr sextant')).toBe(terminal.columns === 80);
    // No line of the story is broken inside a word.
    const story = ran.stderr.replace(/\x1b\[\?1049h[\s\S]*?\x1b\[\?1049l/g, '').split(/\r?\n/);
    for (const line of story.filter((one) => /^\$ |phone|^# |runs at| {2}botctl/.test(one)))
      expect(line.length).toBeLessThanOrEqual(terminal.columns);
    const beside = terminal.columns < 80 ? '\n      ' : '    ';
    expect(ran.stderr).toContain(
      `\n\nThe demo is complete. Try it yourself:\n  botctl sandbox start${beside}a sandbox`,
    );
    expect(ran.stderr).toMatch(/(?:Paired Reception|Reception is connected) as \+\d+/);
    // It leaves the alternate screen, and shows the cursor again.
    expect(ran.stderr.lastIndexOf('\x1b[?1049l')).toBeGreaterThanOrEqual(
      ran.stderr.lastIndexOf('\x1b[?1049h'),
    );
  });

  it('keeps the code until Enter', async () => {
    const clock = scaledClock(3);
    const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms === 20_000 ? 3_600_000 : ms, signal);
    const ran = await botctl(['tour'], {
      terminal: { columns: 80, rows: 24 },
      clock: { ...clock, sleep },
      answers: { 'Press Enter': '' },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('The demo is complete.');
  });

  it('ends at once on Ctrl-C', async () => {
    const abort = new AbortController();
    const ran = await botctl(['tour'], {
      terminal: { columns: 80, rows: 24, cursor: true },
      signal: abort.signal,
      onError: (text) => {
        if (text.includes('sandbox with the whole service'))
          abort.abort(new Failure('interrupted', 'Interrupted.'));
      },
    });
    expect(ran.exitCode).toBe(130);
    expect(ran.stderr.match(/Interrupted/g)).toHaveLength(1);
    expect(ran.stderr).not.toContain('teams create');
  });

  it('reports once that it was quit, without a command for the stopped sandbox', async () => {
    const terminal = { columns: 80, rows: 24 };
    const ran = await botctl(['tour'], { terminal, answers: { 'q leave': 'q' } });
    expect(ran.exitCode).toBe(3);
    const [, after] = ran.stderr.split('\x1b[?1049l\r\x1b[K\r');
    expect(after).toBe('You left the tour.\n');
  });

  const moments: readonly (readonly [string, string, number])[] = [
    ['once it only stays, which is how that ends', 'runs until Ctrl-C', 0],
    ['in the middle of a step', 'botctl teams create', 130],
  ];
  it.each(moments)('stops on Ctrl-C %s, and cleans up', async (_, words, exitCode) => {
    const { env, expectUnchanged } = homeWithProfile();
    const abort = new AbortController();
    const running = botctl(['tour', '--keep'], {
      env,
      signal: abort.signal,
      onError: (text) => {
        if (text.includes(words)) abort.abort(new Failure('interrupted', 'Interrupted.'));
      },
    });
    const ran = await running;
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr.match(/Interrupted/g) ?? []).toHaveLength(exitCode === 0 ? 0 : 1);
    expect(existsSync(homeOf(ran))).toBe(false);
    expectUnchanged();
  });
});
