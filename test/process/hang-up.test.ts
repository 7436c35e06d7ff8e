import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeFor, linesOf, reception } from '../commands/device/support.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox({ phone: 'manual' });

/** Returns preloaded code that sends SIGHUP to a process twice, as the system and then the shell do. */
function twice(): string {
  const file = join(temporaryDirectory(), 'twice.cjs');
  writeFileSync(file, `process.once('SIGHUP', () => process.kill(process.pid, 'SIGHUP'));`);
  return file;
}

describe('a closed terminal', () => {
  it('leaves no picture of a code behind', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const directory = temporaryDirectory();
    const file = join(directory, 'pair.png');
    const connect = ['device', 'connect', 'Reception', '--wait', '--qr-file', file, '-o', 'ndjson'];
    const running = start(connect, { env });
    // The picture is written before its event is printed.
    await running.until((stdout) => stdout.includes('"code"'));
    expect(readdirSync(directory)).toEqual(['pair.png']);
    running.process.kill('SIGHUP');
    expect(await running.ended).toBe('SIGTERM');
    expect(readdirSync(directory)).toEqual([]);
    expect(linesOf(running.output.stdout).at(-1)).toMatchObject({ event: 'cancelled', reason: 'terminated' });
  });

  it('leaves nothing of a tour behind', async () => {
    const directory = temporaryDirectory();
    const env = { TMPDIR: directory, NODE_OPTIONS: `--require ${twice()}` };
    const running = start(['tour', '--keep'], { env });
    await running.until((_stdout, stderr) => stderr.includes('Create a team'));
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^botctl-tour-/)]);
    running.process.kill('SIGHUP');
    expect(await running.ended).toBe('SIGTERM');
    expect(readdirSync(directory)).toEqual([]);
  });
});
