import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { publishControlFile } from '../../src/sandbox/store/ownership.ts';
import { teamBody } from '../sandbox/samples.ts';
import { callerOf, startOwn } from '../support/own-sandbox.ts';
import { start } from '../support/process.ts';
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts';

const full = teamBody();

describe('a full disk', needsSmallDisk, () => {
  const isOnlyLog = (error: unknown): boolean => String(error).includes('request log');

  it('refuses changes, allows reads, and accepts changes once there is space again', async () => {
    const disk = mountSmallDisk(20);
    const told: string[] = [];
    const sandbox = await startOwn({
      data: join(disk.path, 'data'),
      onError: (error, call) =>
        isOnlyLog(error) || told.push(`${call?.requestId} ${call?.method} ${call?.path}`),
    });
    const call = await callerOf(sandbox);
    const long = (text: string) => ({ ...full, user: { ...full.user, name: text.repeat(200) } });
    disk.fill();
    // The rest of the last page of the journal may have room for a few rows.
    let refused = await call('POST', '/teams', long('a'));
    for (let at = 0; at < 50 && refused.status === 200; at += 1) {
      const user = { ...full.user, name: 'a'.repeat(200), email: `full-${at}@acme.example` };
      refused = await call('POST', '/teams', { ...full, user });
    }
    const requestId = refused.headers.get('x-request-id');
    expect(refused).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
    expect(refused.body.error).toContain('disk');
    expect(told).toEqual([`${requestId} POST /api/openapi/v1/teams`]);
    expect(await call('GET', '/teams')).toMatchObject({ status: 200 });
    disk.free();
    const later = { ...full, user: { ...full.user, email: 'later@acme.example' } };
    expect(await call('POST', '/teams', later)).toMatchObject({ status: 200 });
    const before = (await call('GET', '/teams')).body;
    await sandbox.stop();
    const again = await startOwn({ data: sandbox.data });
    expect((await (await callerOf(again))('GET', '/teams')).body).toEqual(before);
  });

  it('keeps rows and clock unchanged if emptying the sandbox fails', async () => {
    const disk = mountSmallDisk(20);
    const sandbox = await startOwn({ data: join(disk.path, 'data') });
    const call = await callerOf(sandbox);
    const name = 'Acme '.repeat(40);
    for (let at = 0; at < 50; at += 1) {
      const user = { ...teamBody().user, email: `stays-${at}@acme.example` };
      await call('POST', '/teams', { user, team: { ...teamBody().team, name: `${name} ${at}` } });
    }
    const { body: before } = await call('GET', '/teams');
    const { now } = await callControl(sandbox.control, '/clock', {
      milliseconds: 3_600_000,
    });
    disk.fill();
    await expect(sandbox.reset()).rejects.toMatchObject({ kind: 'full' });
    const { headers, body } = await call('GET', '/teams');
    expect(body).toEqual(before);
    // An HTTP header has no fractions of a second.
    expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThanOrEqual(Date.parse(now) - 1000);
    await sandbox.stop();
  });

  it('makes a start fail, which works once there is space again', async () => {
    const disk = mountSmallDisk(4);
    disk.fill();
    const data = join(disk.path, 'data');
    const failure = await startOwn({ data }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining('the disk is full'),
    });
    disk.free();
    await startOwn({ data });
  });

  it('is reported if it has no room for the control file', () => {
    const disk = mountSmallDisk(1);
    disk.fill();
    const note = { url: 'http://127.0.0.1:1', token: 't', pid: 1, base_url: 'http://127.0.0.1:2' };
    expect(() => publishControlFile(disk.path, note)).toThrow('the disk is full');
  });

  it('keeps the config file unchanged, and the command reports that, also if it is read-only', async () => {
    const disk = mountSmallDisk(1);
    const env = { BOTCTL_CONFIG_DIR: disk.path };
    const file = join(disk.path, 'config.json');
    const profile = { base_url: 'https://api.example.com', key_id: 'k', key_secret: 's' };
    const before = JSON.stringify({ profiles: { a: profile }, note: 'x'.repeat(10_000) });
    writeFileSync(file, before);
    for (const makeUnwritable of [disk.fill, disk.lock]) {
      makeUnwritable();
      const running = start(['profiles', 'set', 'a', '--page-size', '20'], { env });
      expect(await running.ended).toBe(2);
      expect(running.output).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining("The config file can't be written"),
      });
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(readdirSync(disk.path).filter((name) => name.includes('config'))).toEqual(['config.json']);
    }
  });

  it('is reported at a start if it is read-only', async () => {
    const disk = mountSmallDisk(4);
    const data = join(disk.path, 'data');
    // In another process, because libsql keeps files open for a while in this one.
    const first = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
    await first.firstLine();
    first.process.kill('SIGTERM');
    await first.ended;
    disk.lock();
    const failure = await startOwn({ data }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining('the disk is read-only'),
    });
  });
});
