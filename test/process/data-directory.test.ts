import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeControlFile } from '../../src/sandbox/store/control-file.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { teamBody } from '../sandbox/samples.ts';
import { needing } from '../support/needing.ts';
import { callerOf, startOwn } from '../support/own-sandbox.ts';
import { binary, start } from '../support/process.ts';
import { newData } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Whether a process can run in a separate PID namespace here. */
const hasNamespaces = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;

const address = 'http://127.0.0.1:4010';
const note = { url: 'http://127.0.0.1:1', token: 'secret', base_url: address, pid: process.pid };

describe('a data directory that another process uses', () => {
  it('is refused', async () => {
    const data = newData();
    const store = await openStore(data);
    writeControlFile(data, note);
    const other = start(['sandbox', 'start', '--port', '0', '--data', data]);
    expect(await other.ended).toBe(2);
    expect(other.output.stderr).toContain(`in use by the sandbox at ${address}`);
    expect(other.output.stderr).not.toContain('    at ');
    await store.close();
  });

  it(
    'is refused in another PID namespace, and keeps what was acknowledged',
    needing('unshare with PID namespaces', hasNamespaces),
    async () => {
      const data = newData();
      const store = await openStore(data);
      writeControlFile(data, note);
      const isolated = ['--pid', '--fork', '--mount-proc', process.execPath, binary];
      const other = spawnSync('unshare', [...isolated, 'sandbox', 'start', '--port', '0', '--data', data], {
        env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory() },
        encoding: 'utf8',
      });
      expect(other.stderr).toContain(`in use by the sandbox at ${address}`);
      expect(other.status).toBe(2);
      await store.db.insertInto('state').values({ name: 'acknowledged', value: '{}' }).execute();
      await store.close();
      const again = await openStore(data);
      expect(await again.db.selectFrom('state').select('name').execute()).toContainEqual({
        name: 'acknowledged',
      });
      await again.close();
    },
  );

  it('is not used by a sandbox whose own directory was moved away', async () => {
    const [own, away] = [newData(), newData()];
    const before = await startOwn({ data: own });
    const call = await callerOf(before);
    renameSync(own, away);
    cpSync(away, own, { recursive: true });
    const after = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', own]);
    await after.firstLine();
    expect(await call('POST', '/teams', teamBody())).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining('was moved or replaced') },
    });
    await before.stop();
    expect(existsSync(join(own, 'control.json'))).toBe(true);
    expect(existsSync(join(own, 'sandbox.db-wal'))).toBe(true);
    after.process.kill('SIGINT');
    expect(await after.ended).toBe(0);
  });
});
