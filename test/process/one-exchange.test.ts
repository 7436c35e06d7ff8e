import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { processView } from '../../src/lib/running-process.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { needing } from '../support/needing.ts';
import { start } from '../support/process.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();

let home: string;
/** Counts the calls of an operation that the service received. */
let taken: (name: EndpointName) => Promise<number>;

beforeEach(async () => {
  home = temporaryDirectory('exchange');
  const seen = await requestsFromNow(sandbox);
  taken = async (name) =>
    (await seen()).filter(({ operation, status }) => operation === name && status === 200).length;
});

/** Runs `keys list` in this many processes at once, all with the same key. Returns their exit codes. */
function runAtOnce(processes: number, directory = home): Promise<readonly (number | string)[]> {
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: directory };
  const running = Array.from({ length: processes }, () => start(['keys', 'list', '-o', 'json'], { env }));
  return Promise.all(running.map(async ({ ended, output }) => ((await ended) === 0 ? 0 : output.stderr)));
}

/** Delays the token call, so that every other process finds the cache empty meanwhile. */
async function answerSlowly(delay: number): Promise<void> {
  await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay });
}

/** Writes the key's lock as left by a process that ended without releasing it. */
function leaveLockOf(pid: number): string {
  const tokens = join(home, 'cache', 'tokens');
  mkdirSync(tokens, { recursive: true });
  const credential = createHash('sha256')
    .update(`${sandbox.baseUrl}\n${sandbox.keyId}`)
    .digest('hex')
    .slice(0, 32);
  const content = { identity: 'left-behind', pid, started: 'long ago', view: processView() };
  writeFileSync(join(tokens, `${credential}.lock`), `${JSON.stringify(content)}\n`);
  return tokens;
}

describe('many processes with an empty cache', () => {
  it('exchange the key once, thirty at once', async () => {
    await answerSlowly(2_000);
    const ended = await runAtOnce(30);
    expect(ended).toEqual(Array(30).fill(0));
    expect(await taken('createToken')).toBe(1);
    // All use the same token.
    expect(await taken('listKeys')).toBe(30);
    // Only the token is left: no lock, no temporary file.
    expect(readdirSync(join(home, 'cache', 'tokens'))).toEqual([expect.stringMatching(/\.json$/)]);
  });

  it('exchange the key once if the process that held the lock is dead', async () => {
    const ended = start(['--version']);
    await ended.ended;
    const tokens = leaveLockOf(ended.process.pid ?? 0);
    await answerSlowly(300);
    expect(await runAtOnce(6)).toEqual(Array(6).fill(0));
    expect(await taken('createToken')).toBe(1);
    expect(readdirSync(tokens)).toEqual([expect.stringMatching(/\.json$/)]);
  });

  it(
    'exchange the key once if another process has the pid of the dead one',
    needing('Linux, which tells when a process began', process.platform === 'linux'),
    async () => {
      leaveLockOf(process.pid);
      expect(await runAtOnce(3)).toEqual(Array(3).fill(0));
      expect(await taken('createToken')).toBe(1);
    },
  );

  it('continue after one that is killed during its exchange', async () => {
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000, times: 1 });
    const first = start(['keys', 'list'], { env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home } });
    const hasMet = async () => (await callControl(sandbox.control, '/fault/list', {}))[0]?.met;
    await expect.poll(hasMet, { timeout: 20_000 }).toBe(1);
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await runAtOnce(2)).toEqual([0, 0]);
    expect(await taken('createToken')).toBe(1);
  });

  it('exchange the key each if nothing can be written', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(await runAtOnce(3, join(file, 'below'))).toEqual([0, 0, 0]);
    expect(await taken('createToken')).toBe(3);
  });
});
