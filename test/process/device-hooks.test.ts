import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiOf, homeFor, reception } from '../commands/device/support.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

/** Starts a watch whose hook runs a shell script, and changes the state of its device. */
async function watching(script: string) {
  const home = temporaryDirectory();
  const hook = join(home, 'hook.sh');
  const told = join(home, 'told');
  writeFileSync(hook, `#!/bin/sh\n${script}\n`);
  chmodSync(hook, 0o700);
  const env = { ...homeFor(sandbox, home), TOLD: told, DATABASE_URL: 'postgres://ana:pw@db/desk' };
  const id = await reception(sandbox, env);
  const running = start(['device', 'watch', 'Reception', '--exec', hook, 'with space', '$(x)'], { env });
  await running.until((stdout) => stdout.includes('never_connected'));
  await apiOf(sandbox).call('connectDevice', { path: { id } });
  await eventually(() => existsSync(told) && readFileSync(told, 'utf8').includes('\n'));
  const first = (): string => readFileSync(told, 'utf8').split('\n')[0] ?? '';
  return { running, first, told };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a hook of a watch', () => {
  it('receives the event on stdin only, and an environment without secrets', async () => {
    const { running, told } = await watching(
      '{ cat; echo "$1|$2"; env; } > "$TOLD.new"; mv "$TOLD.new" "$TOLD"',
    );
    const text = readFileSync(told, 'utf8');
    const [event = '', args, ...env] = text.split('\n');
    expect(JSON.parse(event)).toMatchObject({ event: 'state', name: 'Reception' });
    expect(args).toBe('with space|$(x)');
    expect(env.some((line) => line.startsWith('PATH='))).toBe(true);
    expect(env.filter((line) => /^(BOTCTL_|PG|DATABASE_URL)/.test(line))).toEqual([]);
    expect(text).not.toContain(sandbox.keySecret.reveal());
    running.process.kill('SIGINT');
    expect(await running.ended).toBe('SIGINT');
  });

  it('does not delay Ctrl-C if it hangs: it is ended with all its child processes', async () => {
    const { running, first } = await watching(
      `trap '' TERM INT; sleep 300 & echo $$ > "$TOLD"; wait; sleep 300`,
    );
    const pid = Number(first());
    const begun = performance.now();
    running.process.kill('SIGINT');
    await running.until((_, stderr) => stderr.includes('Waiting up to 5 s for 1 hook.'));
    expect(await running.ended).toBe('SIGINT');
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(running.output.stderr).toContain('the watch ended, so it was ended too');
    await eventually(() => expect(() => process.kill(-pid, 0)).toThrow('ESRCH'));
  });

  it('is ended at once by a second signal', async () => {
    const { running, first } = await watching(
      `trap '' TERM INT; sleep 300 & echo $$ > "$TOLD"; wait; sleep 300`,
    );
    const pid = Number(first());
    running.process.kill('SIGTERM');
    await running.until((_, stderr) => stderr.includes('Waiting up to 5 s'));
    const begun = performance.now();
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe('SIGTERM');
    expect(performance.now() - begun).toBeLessThan(4000);
    await eventually(() => !isAlive(pid));
  });

  it('gets its time to end after Ctrl-C, which does not reach it', async () => {
    const { running, told } = await watching(
      `trap 'echo interrupted >> "$TOLD"' INT; echo begun > "$TOLD"; sleep 1; echo done >> "$TOLD"`,
    );
    running.process.kill('SIGINT');
    expect(await running.ended).toBe('SIGINT');
    expect(readFileSync(told, 'utf8')).toBe('begun\ndone\n');
  });
});
