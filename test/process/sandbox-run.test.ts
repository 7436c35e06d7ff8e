import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { isLong } from '../support/long.ts';
import { binary, start } from '../support/process.ts';

/** What is typed inside of the command that is run. */
const inner = `"${process.execPath}" "${binary}"`;

/** A place for what is temporary, and what lies there. */
function temporaryPlace(): { readonly env: Record<string, string>; left(): readonly string[] } {
  const place = temporaryDirectory();
  return { env: { TMPDIR: place }, left: () => readdirSync(place) };
}

describe('sandbox run', () => {
  it('gives the command its streams, an empty sandbox and nothing of the user, and ends with its exit code', async () => {
    const { env, left } = temporaryPlace();
    const script = [
      'cat',
      'echo to stderr >&2',
      'echo "${BOTCTL_PROFILE-none} ${BOTCTL_KEY_SECRET_FILE-none}"',
      `${inner} teams list -o json`,
      `${inner} sandbox clock freeze --fields frozen -o json`,
      ...(isLong ? [`${inner} profiles list -o json`] : []),
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
      '{"frozen":true}',
      ...(isLong ? ['[]'] : []),
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
  it.runIf(isLong).each(ends)('ends as the command does: %s', async (script, exitCode) => {
    const ran = await botctl(['sandbox', 'run', '--', 'sh', '-c', script]);
    expect(ran).toEqual({ exitCode, stdout: '', stderr: '' });
  });

  it('names the -- that a command with options of its own needs before it', async () => {
    const hint = 'Put -- before the command that it runs: botctl sandbox run -- COMMAND…';
    for (const line of [
      ['sh', '-c', 'exit 0'],
      ['--phone', 'manual', 'npm', 'test', '--frob'],
    ]) {
      const ran = await botctl(['sandbox', 'run', ...line]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(hint) });
    }
    const own = await botctl(['sandbox', 'run', '--phnoe', 'manual', '--', 'npm', 'test']);
    expect(own.stderr).toContain('Did you mean --phone?');
    expect(own.stderr).not.toContain('Put --');
  });

  it.runIf(isLong)(
    'ends with 127 where there is no such command, and with 126 where it may not be run',
    async () => {
      const { exitCode, stderr, stdout } = await botctl(['sandbox', 'run', '--', 'no-such-command', '-x']);
      expect([exitCode, stdout, stderr]).toEqual([127, '', '✗ There is no command no-such-command.\n']);
      const file = join(temporaryDirectory(), 'notes.txt');
      writeFileSync(file, 'text', { mode: 0o600 });
      const denied = await botctl(['sandbox', 'run', '--', file]);
      expect(denied).toMatchObject({ exitCode: 126, stdout: '', stderr: expect.stringContaining('denied') });
      expect((await botctl(['sandbox', 'run'])).exitCode).toBe(2);
    },
  );

  it.runIf(isLong)('passes a signal on to all of the command, whose exit code counts', async () => {
    const place = temporaryDirectory();
    const [ready, told] = [join(place, 'ready'), join(place, 'told')];
    const child = `trap 'echo TERM >> ${told}; exit 0' TERM; echo "$BOTCTL_SANDBOX_DATA" > ${ready}; while :; do sleep 0.05; done`;
    const script = `trap 'exit 5' TERM; sh -c "$0"; exit 6`;
    const stop = new AbortController();
    const running = botctl(['sandbox', 'run', '--', 'sh', '-c', script, child], { signal: stop.signal });
    const data = await eventually(() => existsSync(ready) && readFileSync(ready, 'utf8').trim());
    stop.abort(new Failure('terminated', 'Terminated.'));
    expect(await running).toMatchObject({ exitCode: 5, stdout: '' });
    expect(readFileSync(told, 'utf8')).toBe('TERM\n');
    expect(existsSync(data)).toBe(false);
  });

  const signals = [
    ['SIGINT', 'INT'],
    ['SIGTERM', 'TERM'],
  ] as const;
  it.runIf(isLong).each(signals)(
    'passes %s on to all of the command, whose exit code counts',
    async (signal, name) => {
      const { env, left } = temporaryPlace();
      const told = join(temporaryDirectory(), 'told');
      // A shell ends when its child has, which gets the signal as well.
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

  it.runIf(isLong)('gives a command up on a second signal, and leaves nothing behind', async () => {
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

  it.runIf(isLong)('needs no home that can be written', async () => {
    const { env } = temporaryPlace();
    const running = start(['sandbox', 'run', '--', 'sh', '-c', `${inner} whoami -o id > /dev/null`], {
      env: { ...env, BOTCTL_CONFIG_DIR: '/proc/nowhere', HOME: '/proc/nowhere' },
    });
    expect(await running.ended).toBe(0);
    expect(running.output).toEqual({ stdout: '', stderr: '' });
  });
});
