import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { start } from '../support/process.ts';
import { type ScriptedServer, startScriptedServer, success } from '../support/scripted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// A scripted server keeps the tokens that calls went out with, which the sandbox's log doesn't.

let server: ScriptedServer;
let home: string;

beforeEach(async () => {
  home = temporaryDirectory('exchange');
  server = await startScriptedServer();
  server.on('GET /api/openapi/v1/api-keys', success([]));
});

/** Runs `keys list` in this many processes at once, all with the same key. Gives what each ended with. */
function runAtOnce(processes: number, directory = home): Promise<readonly (number | string)[]> {
  const env = {
    BOTCTL_CONFIG_DIR: directory,
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'secret-of-key-1',
  };
  const running = Array.from({ length: processes }, () => start(['keys', 'list', '-o', 'json'], { env }));
  return Promise.all(running.map(async ({ ended, output }) => ((await ended) === 0 ? 0 : output.stderr)));
}

const exchanges = (): number => server.seenAt('POST /api/openapi/auth/token').length;

/** The tokens that the calls went out with. */
const tokensUsed = (): ReadonlySet<string | undefined> =>
  new Set(server.seenAt('GET /api/openapi/v1/api-keys').map(({ headers }) => headers.authorization));

/** Answers the token call only after a while, so that everybody else finds the cache empty meanwhile. */
function answerSlowly(milliseconds: number): void {
  server.on('POST /api/openapi/auth/token', async () => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return success({ access_token: `token-number-${exchanges()}`, token_type: 'Bearer', expires_in: 86_400 });
  });
}

/** The lock of the key, as a process leaves it that ended without releasing it. */
function leaveLockOf(pid: number): string {
  const tokens = join(home, 'cache', 'tokens');
  mkdirSync(tokens, { recursive: true });
  const credential = createHash('sha256').update(`${server.url}\nkey-1`).digest('hex').slice(0, 32);
  const content = { identity: 'left-behind', pid, started: 'long ago', details: {} };
  writeFileSync(join(tokens, `${credential}.lock`), `${JSON.stringify(content)}\n`);
  return tokens;
}

describe('many processes with an empty cache', () => {
  it('fifty at once make one exchange', async () => {
    answerSlowly(2_500);
    const ended = await runAtOnce(50);
    expect(ended).toEqual(Array(50).fill(0));
    expect(exchanges()).toBe(1);
    expect(server.seenAt('GET /api/openapi/v1/api-keys')).toHaveLength(50);
    expect(tokensUsed()).toEqual(new Set(['Bearer token-number-1']));
    // The token is all that is left: no lock, no temporary file.
    expect(readdirSync(join(home, 'cache', 'tokens'))).toEqual([expect.stringMatching(/\.json$/)]);
  }, 120_000);

  it('make one exchange where the process that had the lock is gone', async () => {
    const ended = start(['--version']);
    await ended.ended;
    const tokens = leaveLockOf(ended.process.pid ?? 0);
    answerSlowly(300);
    expect(await runAtOnce(6)).toEqual(Array(6).fill(0));
    expect(exchanges()).toBe(1);
    expect(readdirSync(tokens)).toEqual([expect.stringMatching(/\.json$/)]);
  }, 60_000);

  it.runIf(process.platform === 'linux')(
    'make one exchange where another process has the number of the one that is gone',
    async () => {
      leaveLockOf(process.pid);
      expect(await runAtOnce(3)).toEqual(Array(3).fill(0));
      expect(exchanges()).toBe(1);
    },
    60_000,
  );

  it('one that is killed during its exchange leaves the next one free to go', async () => {
    server.on(
      'POST /api/openapi/auth/token',
      'silence',
      success({ access_token: 'token-of-the-next', token_type: 'Bearer', expires_in: 86_400 }),
    );
    const env = {
      BOTCTL_CONFIG_DIR: home,
      BOTCTL_BASE_URL: server.url,
      BOTCTL_KEY_ID: 'key-1',
      BOTCTL_KEY_SECRET: 'secret-of-key-1',
    };
    const first = start(['keys', 'list'], { env });
    await expect.poll(exchanges, { timeout: 20_000 }).toBe(1);
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await runAtOnce(2)).toEqual([0, 0]);
    expect(exchanges()).toBe(2);
    expect(tokensUsed()).toEqual(new Set(['Bearer token-of-the-next']));
  }, 60_000);

  it('exchange each for themselves where nothing can be written', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(await runAtOnce(3, join(file, 'below'))).toEqual([0, 0, 0]);
    expect(exchanges()).toBe(3);
  }, 60_000);
});
