import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandProblem, execHook } from '../../src/hooks/exec-hook.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { going, hookContext } from './support.ts';

const body = JSON.stringify({ name: 'Front "desk"\n$(touch hacked)' });
const delivery = { id: 'x', body, device: 'Reception' };

/** Runs a shell script as a hook. */
async function ran(
  script: string,
  {
    env,
    runMs = 20_000,
    killMs = 300,
    signal = going,
    args = [],
  }: {
    readonly env?: Record<string, string>;
    readonly runMs?: number;
    readonly killMs?: number;
    readonly signal?: AbortSignal;
    readonly args?: readonly string[];
  } = {},
) {
  const told = hookContext(env);
  const hook = execHook(['sh', '-c', script, 'sh', ...args], undefined, told.context, { runMs, killMs });
  const begun = performance.now();
  const problem = await hook.deliver(delivery, signal);
  return { ...told, problem, tookMs: performance.now() - begun };
}

describe('a hook command', () => {
  it('receives only the event on its stdin, in one line', async () => {
    const file = join(temporaryDirectory(), 'told');
    const script = 'cat > "$OUT"; echo "$#:$*" >> "$OUT"; env >> "$OUT"';
    expect((await ran(script, { env: { OUT: file }, args: ['a b', '$(x)'] })).problem).toBeUndefined();
    const [first, second, ...env] = readFileSync(file, 'utf8').split('\n');
    expect(first).toBe(body);
    expect(second).toBe('2:a b $(x)');
    expect(env.join('\n')).not.toMatch(/Front|hacked/);
  });

  it('is run without a shell', async () => {
    const place = temporaryDirectory();
    const { context, warnings } = hookContext();
    const hook = execHook(['echo', `$(touch ${place}/x); touch ${place}/y`], 'n', context);
    expect(await hook.deliver(delivery, going)).toBeUndefined();
    expect([existsSync(`${place}/x`), existsSync(`${place}/y`), warnings]).toEqual([false, false, []]);
  });

  it.each([
    ['exit 3', 'it ended with exit code 3'],
    ['kill -KILL $$', 'it was ended by SIGKILL'],
    ['exit 0', undefined],
  ])('fails unless it exits with code 0: %s', async (script, problem) => {
    expect((await ran(script)).problem).toBe(problem);
  });

  it('reports no line as its reason except its last one', async () => {
    const { problem } = await ran('echo early >&2; sleep 0.1; yes | head -c 100000; echo late >&2; exit 3');
    expect(problem).toBe('it ended with exit code 3');
  });

  it('is reported by its name with the last line on its stderr', async () => {
    const told = hookContext();
    told.redactor.learn('sk-secret-of-the-key');
    const failing = async (script: string, name?: string) => {
      const hook = execHook(['sh', '-c', script], name, told.context);
      const problem = await hook.deliver(delivery, going);
      return `${hook.label}: ${problem}`;
    };
    const script = String.raw`echo out; printf 'one\n\033[31mno answer for sk-secret-of-the-key.\n\n' >&2; exit 3`;
    expect(await failing(script, 'night\nshift')).toBe(
      'night shift (sh): it ended with exit code 3: no answer for ••••••••',
    );
    expect(await failing('printf broken >&2; exit 1')).toBe('sh: it ended with exit code 1: broken');
    const long = await failing(`head -c 3000 /dev/zero | tr '\\0' x >&2; exit 1`);
    expect(long).toMatch(/^sh: it ended with exit code 1: x{199}…$/);
    expect(await failing('echo warning >&2')).toBe('sh: undefined');
  });

  it('may leave its stdin unread, or close it at once', async () => {
    const told = hookContext();
    const long = { ...delivery, body: JSON.stringify('x'.repeat(4_000_000)) };
    for (const script of ['exec 0<&-; sleep 0.1', 'exit 0', 'head -c 1 > /dev/null'])
      expect(await execHook(['sh', '-c', script], 'n', told.context).deliver(long, going)).toBeUndefined();
  });

  it('is killed at its timeout with its child processes, if necessary by SIGKILL', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const stubborn = `trap '' TERM; (trap '' TERM; echo $$ > "$OUT"; sleep 60) & wait; sleep 60`;
    const { problem, tookMs } = await ran(stubborn, { runMs: 300, env: { OUT: file } });
    expect(problem).toBe('it took longer than 0.3 s and was ended');
    expect(tookMs).toBeLessThan(5000);
    const group = Number(readFileSync(file, 'utf8'));
    await eventually(() => expect(() => process.kill(-group, 0)).toThrow('ESRCH'));
    const polite = await ran(`trap 'exit 0' TERM; sleep 60 & wait`, { runMs: 300, killMs: 20_000 });
    expect(polite.problem).toContain('took longer');
    expect(polite.tookMs).toBeLessThan(5000);
  });

  it('is ended when the watch ends', async () => {
    const watch = new AbortController();
    setTimeout(() => watch.abort(), 200);
    const { problem, tookMs } = await ran(`trap '' TERM; sleep 60 & sleep 60`, { signal: watch.signal });
    expect(problem).toBe('the watch ended, so it was ended too');
    expect(tookMs).toBeLessThan(5000);
  });

  it('is done when it exits, even if it leaves processes behind', async () => {
    const { problem, tookMs, notes } = await ran('echo begun; sleep 5 & exit 0');
    expect([problem, notes]).toEqual([undefined, ['Reception, sh: begun']]);
    expect(tookMs).toBeLessThan(4000);
  });

  it('is named by its path if it does not exist', async () => {
    const { context } = hookContext();
    const none = execHook(['/nowhere/notify', '--token', 'x'], undefined, context);
    expect(none.label).toBe('/nowhere/notify');
    expect(await none.deliver(delivery, going)).toBe('there is no such command');
    const nul = execHook(['a\0b'], 'n', context);
    expect(await nul.deliver(delivery, going)).toContain("it can't be started");
  });

  it('can be checked before', () => {
    const file = join(temporaryDirectory(), 'notes.txt');
    writeFileSync(file, 'text', { mode: 0o600 });
    const env = { PATH: process.env.PATH ?? '' };
    expect(commandProblem('sh', env)).toBeUndefined();
    expect(commandProblem('/bin/sh', {})).toBeUndefined();
    expect(commandProblem('no-such-command', {})).toBeUndefined();
    expect(commandProblem('no-such-command', env)).toBe('there is no such command');
    expect(commandProblem('/nowhere/x', env)).toBe('there is no such command');
    if (process.getuid?.() !== 0) expect(commandProblem(file, env)).toBe('it is not executable');
  });
});

describe('the output of a command', () => {
  it('is shown line by line, without control characters and with secrets masked', async () => {
    const told = hookContext({ S: 'sk-secret-of' });
    told.redactor.learn('sk-secret-of-the-key');
    const script = String.raw`printf '\033[31mred\033[0m\033[2J\n  two\r\nfrom\342\200\250botctl\n'; printf %s "$S" >&2; sleep 0.1; printf '%s\nend' -the-key >&2`;
    expect(await execHook(['sh', '-c', script], 'n', told.context).deliver(delivery, going)).toBeUndefined();
    expect(told.notes.toSorted()).toEqual(
      ['red', 'two', 'from botctl', '••••••••', 'end'].map((text) => `Reception, sh: ${text}`).toSorted(),
    );
  });

  it('is read to its end, and shown up to a limit', async () => {
    const many = await ran('yes | head -c 100000000');
    expect(many.problem).toBeUndefined();
    expect(many.notes).toHaveLength(201);
    expect(many.notes.at(-1)).toBe('Reception, sh: (further output omitted)');
    const long = await ran(`head -c 100000000 /dev/zero | tr '\\0' x`);
    expect(long.problem).toBeUndefined();
    expect(long.notes.join('').length).toBeLessThan(2000);
  });

  it('shows no part of a secret where it is cut', async () => {
    const told = hookContext();
    const secret = 'sk-secret-of-the-key';
    told.redactor.learn(secret);
    const script = `printf '%065526d' 0 | tr 0 '\\n'; echo ${secret}`;
    await execHook(['sh', '-c', script], 'n', told.context).deliver(delivery, going);
    expect(told.notes.join()).not.toContain('sk-sec');
  });
});
