import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isLong } from '../../support/long.ts';
import { start } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const preload = fileURLToPath(new URL('record-synchronisations.cjs', import.meta.url));
const writeAheadLog = expect.stringMatching(/^pg_wal[\\/][0-9A-F]{24}$/);
const startedRow = z.object({ base_url: z.string(), key_id: z.string(), key_secret: z.string() });
const grantedToken = z.object({ data: z.object({ access_token: z.string() }) });

/** Starts a sandbox in a process of its own, and looks at what its database brings to the disk. */
async function startRecorded() {
  const home = temporaryDirectory();
  const file = join(home, 'synchronisations');
  writeFileSync(file, '');
  const data = join(home, 'data');
  const database = join(data, 'database');
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json'], {
    env: { NODE_OPTIONS: `--require=${JSON.stringify(preload)}`, SYNCHRONISATIONS_FILE: file },
  });
  const { base_url, ...key } = z.parse(startedRow, JSON.parse(await running.firstLine()));
  const call = async (method: string, path: string, body?: unknown, token?: string): Promise<unknown> => {
    const answer = await fetch(`${base_url}/api/openapi${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const signIn = await call('POST', '/auth/token', key);
  const { data: granted } = z.parse(grantedToken, signIn);
  let told = 0;
  return {
    /** Calls an endpoint of its API. */
    call: (method: string, path: string, body?: unknown) => call(method, path, body, granted.access_token),
    async stop() {
      running.process.kill('SIGTERM');
      await running.ended;
    },
    /** What was brought to the disk since this was asked last, relative to the cluster. */
    synchronised(): readonly string[] {
      const all = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const since = all.slice(told);
      told = all.length;
      return since.map((path) => relative(database, path));
    },
  };
}

// What one commit brings to the disk, `postgres.test.ts` counts in the process of the tests.
it.runIf(isLong)('the database brings each commit to the disk, and all files at its end', async () => {
  const sandbox = await startRecorded();
  expect(sandbox.synchronised()).toContainEqual(writeAheadLog);
  await sandbox.call('GET', '/v1/api-keys');
  expect(sandbox.synchronised()).toEqual([]);
  await sandbox.call('POST', '/v1/api-keys', { name: 'ci' });
  expect(sandbox.synchronised()).toEqual([writeAheadLog]);
  await sandbox.stop();
  const last = sandbox.synchronised();
  // A file of the table, a directory, and the file that says where to begin.
  expect(last).toContainEqual(expect.stringMatching(/^base[\\/]\d+[\\/]\d+$/));
  expect(last).toContain('pg_xact');
  expect(last).toContain(join('global', 'pg_control'));
});
