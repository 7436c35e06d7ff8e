import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { binary, start } from '../support/process.ts';

/** The shell words with which the inner command runs botctl. */
const inner = `"${process.execPath}" "${binary}"`;

/** Returns a directory for temporary files, and a function that lists the files left in it. */
function temporaryPlace(): { readonly env: Record<string, string>; left(): readonly string[] } {
  const place = temporaryDirectory();
  return { env: { TMPDIR: place }, left: () => readdirSync(place) };
}

describe('sandbox run', () => {
  it('gives the command its streams and an empty sandbox without the settings of the user, and exits with its code', async () => {
    const { env, left } = temporaryPlace();
    const script = [
      'cat',
      'echo to stderr >&2',
      'echo "${BOTCTL_PROFILE-none} ${BOTCTL_KEY_SECRET_FILE-none}"',
      `${inner} teams list -o json`,
      `${inner} sandbox status --fields teams -o json`,
      `${inner} profiles list -o json`,
      'echo "$BOTCTL_CONFIG_DIR"',
      'echo "$BOTCTL_SANDBOX_DATA"',
      'exit 7',
    ].join('\n');
    const running = start(['sandbox', 'run', '--', 'sh', '-c', script], {
      stdin: 'from stdin\n',
      env: { ...env, BOTCTL_PROFILE: 'mine', BOTCTL_KEY_SECRET_FILE: '/nowhere' },
    });
    expect(await running.ended).toBe(7);
    const { stdout, stderr } = running.output;
    const lines = stdout.trimEnd().split('\n');
    const data = lines.pop() ?? '';
    expect(lines).toEqual([
      'from stdin',
      'none none',
      '[]',
      '{"teams":0}',
      '[]',
      join(dirname(data), 'botctl'),
    ]);
    expect(stderr).toContain('to stderr\n');
    expect(stderr).not.toContain('✗');
    expect(existsSync(data)).toBe(false);
    expect(left()).toEqual([]);
  });

  const ends: readonly (readonly [string, number])[] = [
    ['exit 0', 0],
    ['exit 3', 3],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ];
  it.each(ends)('exits with the code of the command: %s', async (script, exitCode) => {
    const ran = await botctl(['sandbox', 'run', '--', 'sh', '-c', script]);
    expect(ran).toEqual({ exitCode, stdout: '', stderr: '' });
  });

  it('exits with code 127 if there is no such command, and with 126 if it may not be run', async () => {
    const { exitCode, stderr, stdout } = await botctl(['sandbox', 'run', '--', 'no-such-command', '-x']);
    expect([exitCode, stdout]).toEqual([127, '']);
    expect(stderr).toContain('no-such-command');
    const file = join(temporaryDirectory(), 'notes.txt');
    writeFileSync(file, 'text', { mode: 0o600 });
    const denied = await botctl(['sandbox', 'run', '--', file]);
    expect(denied).toMatchObject({ exitCode: 126, stdout: '', stderr: expect.stringContaining('denied') });
    expect((await botctl(['sandbox', 'run'])).exitCode).toBe(2);
  });

  const signals = [
    ['SIGINT', 'INT'],
    ['SIGTERM', 'TERM'],
  ] as const;
  it.each(signals)(
    'passes %s on to the command and its children, and exits with its code',
    async (signal, name) => {
      const { env, left } = temporaryPlace();
      const told = join(temporaryDirectory(), 'told');
      // A shell ends after its child, which also gets the signal.
      const child = `trap 'echo ${name} >> ${told}; exit 0' ${name}; echo ready; while :; do sleep 0.05; done`;
      const script = `trap 'exit 5' ${name}; sh -c "$0"; exit 6`;
      const running = start(['sandbox', 'run', '--', 'sh', '-c', script, child], { env });
      await running.until((stdout) => stdout.includes('ready'));
      running.process.kill(signal);
      expect(await running.ended).toBe(5);
      expect(readFileSync(told, 'utf8')).toBe(`${name}\n`);
      expect(left()).toEqual([]);
    },
  );

  it('ends a command that ignores signals on the second one, and leaves no files', async () => {
    const { env, left } = temporaryPlace();
    const script = 'trap "echo asked" TERM; echo ready; while :; do sleep 0.05; done';
    const running = start(['sandbox', 'run', '--', 'sh', '-c', script], { env });
    await running.until((stdout) => stdout.includes('ready'));
    running.process.kill('SIGTERM');
    await running.until((stdout) => stdout.includes('asked'));
    running.process.kill('SIGTERM');
    expect(await running.ended).not.toBe(0);
    expect(left()).toEqual([]);
  });

  it('works with a read-only home', async () => {
    const { env } = temporaryPlace();
    const running = start(['sandbox', 'run', '--', 'sh', '-c', `${inner} whoami -o id > /dev/null`], {
      env: { ...env, BOTCTL_CONFIG_DIR: '/proc/nowhere', HOME: '/proc/nowhere' },
    });
    expect(await running.ended).toBe(0);
    expect(running.output).toEqual({ stdout: '', stderr: '' });
  });
});
