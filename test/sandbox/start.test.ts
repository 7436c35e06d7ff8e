import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { callControl, findControl } from '../../src/sandbox/control/client.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { isInUse } from '../../src/sandbox/store/ownership.ts';
import { eventually } from '../support/eventually.ts';
import { type Caller, callerOf, startOwn } from '../support/own-sandbox.ts';
import { newData } from '../support/sandbox.ts';
import { listen } from '../support/scripted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { documentForm, teamBody } from './samples.ts';

// A separate server occupies a port.

async function refusal(options: Parameters<typeof startOwn>[0]): Promise<Failure> {
  const failure: unknown = await startOwn(options).catch((error: unknown) => error);
  if (!(failure instanceof Failure)) throw new Error('it started', { cause: failure });
  return failure;
}

describe('a data directory', () => {
  it('is private, and keeps key, rows, files and time over restarts', async () => {
    const data = newData();
    const first = await startOwn({ data });
    const mode = (name: string) => statSync(join(data, name)).mode & 0o777;
    expect(mode('.')).toBe(0o700);
    expect([mode('key.json'), mode('control.json')]).toEqual([0o600, 0o600]);
    const secret = first.keySecret.reveal();
    expect(JSON.parse(readFileSync(join(data, 'key.json'), 'utf8'))).toEqual({
      key_id: first.keyId,
      key_secret: secret,
    });
    const call = await callerOf(first);
    const created = await call('POST', '/teams', teamBody({ name: 'Acme' }));
    const { id } = (created.body.data as { team: { id: string } }).team;
    const form = documentForm(id, { bytes: 'text', chars: 4 });
    const document = (await call('POST', '/documents', form)).body.data as { file_url: string };
    const { now } = await callControl(findControl(data), '/clock', { milliseconds: 3_600_000 });
    await first.stop();
    expect(existsSync(join(data, 'control.json'))).toBe(false);
    const half = join(data, 'files', `${randomUUID()}.part`);
    const foreign = join(data, 'files', 'notes.part');
    const orphan = join(data, 'files', id, 'file-orphan.txt');
    for (const path of [half, foreign, orphan]) writeFileSync(path, '');

    const second = await startOwn({ data, host: '::1' });
    expect([second.keyId, second.keySecret.reveal()]).toEqual([first.keyId, secret]);
    const again = await callerOf(second);
    expect((await again('GET', `/teams/${id}`)).body.data).toMatchObject({ id, name: 'Acme' });
    expect(readFileSync(join(data, 'files', document.file_url), 'utf8')).toBe('text');
    expect([existsSync(half), existsSync(foreign)]).toEqual([false, true]);
    // Orphans are removed while the sandbox serves.
    await eventually(() => !existsSync(orphan));
    const later = await again('POST', '/api-keys', { name: 'Later' });
    const { created_at } = later.body.data as { created_at: string };
    expect(created_at >= now).toBe(true);
    expect(Date.parse(now) - Date.now()).toBeGreaterThan(3_000_000);
  });

  async function otherKey(call: Caller): Promise<{ id: string; secret: string }> {
    const { body } = await call('POST', '/api-keys', { name: 'Other' });
    const { key_id, key_secret } = body.data as { key_id: string; key_secret: string };
    return { id: key_id, secret: key_secret };
  }

  it('receives a new first key if the first one was deleted, which stays deleted', async () => {
    const first = await startOwn();
    const call = await callerOf(first, await otherKey(await callerOf(first)));
    expect((await call('DELETE', `/api-keys/${first.keyId}`)).status).toBe(200);
    await first.stop();

    const second = await startOwn({ data: first.data });
    expect(second.keyId).not.toBe(first.keyId);
    expect((await (await callerOf(second))('GET', '/teams')).status).toBe(200);
    const old = { id: first.keyId, secret: first.keySecret.reveal() };
    expect((await (await callerOf(second, old))('GET', '/teams')).status).toBe(401);
  });

  it('refuses an inactive key and its tokens after a restart', async () => {
    const first = await startOwn();
    const other = await otherKey(await callerOf(first));
    const call = await callerOf(first, other);
    expect((await call('GET', '/teams')).status).toBe(200);
    await first.stop();
    const store = await openStore(first.data);
    await store.db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', other.id).execute();
    await store.close();

    const second = await startOwn({ data: first.data, port: Number(new URL(first.baseUrl).port) });
    expect((await call('GET', '/teams')).status).toBe(401);
    expect((await (await callerOf(second, other))('GET', '/teams')).status).toBe(401);
  });

  it('keeps its key when it is emptied', async () => {
    const sandbox = await startOwn();
    const call = await callerOf(sandbox);
    await call('POST', '/teams', teamBody());
    await sandbox.reset();
    expect((await call('GET', '/teams')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await call('GET', '/api-keys')).body.data).toMatchObject([{ key_id: sandbox.keyId }]);
  });

  it('can be copied once the sandbox has stopped', async () => {
    const sandbox = await startOwn();
    await callControl(sandbox.control, '/seed', { teams: 1, bots: 1, documents: 1 });
    const held = async (call: Caller) =>
      Promise.all(['/teams', '/bots', '/documents'].map(async (path) => (await call('GET', path)).body.data));
    const before = await held(await callerOf(sandbox));
    await sandbox.stop();
    const copy = newData();
    cpSync(sandbox.data, copy, { recursive: true });
    const copied = await startOwn({ data: copy });
    expect(copied.keyId).toBe(sandbox.keyId);
    expect(await held(await callerOf(copied))).toMatchObject(before);
    const files = (directory: string) =>
      readdirSync(join(directory, 'files'), { recursive: true }).toSorted();
    expect(files(copy)).toEqual(files(sandbox.data));
  });

  it('is refused below a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const failure = await refusal({ data: join(file, 'data') });
    expect(failure).toMatchObject({ kind: 'invalidInput', message: expect.stringContaining(file) });
  });

  it('is refused if its key file is damaged, and is not locked by that', async () => {
    const data = newData();
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'key.json'), 'nonsense');
    const failure = await refusal({ data });
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining('key.json'),
    });
    expect(isInUse(data)).toBe(false);
  });
});

describe('an address', () => {
  it.each(['127.1.2.3', 'localhost', '::1'])('of this machine is served: %s', async (host) => {
    const sandbox = await startOwn({ host });
    expect(sandbox.baseUrl).toMatch(new RegExp(`^http://(${host}|\\[${host}\\]):\\d+$`));
    expect((await (await callerOf(sandbox))('GET', '/teams')).status).toBe(200);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '', '127.0.0.1.example.com', '::ffff:10.0.0.1'])(
    'that other machines may reach is refused: %j',
    async (host) => {
      expect(await refusal({ host })).toMatchObject({
        kind: 'invalidInput',
        problem: { code: 'hostIsPublic', host, isTemporary: false },
      });
    },
  );

  it('is refused if its port is in use, and the data directory is not locked by that', async () => {
    const taken = createServer();
    const port = await listen(taken);
    onTestFinished(() => void taken.close());
    const data = newData();
    const failure = await refusal({ port, data });
    expect(failure).toMatchObject({ kind: 'invalidInput', message: expect.stringContaining(String(port)) });
    expect(isInUse(data)).toBe(false);
    await startOwn({ data });
  });
});

describe('stopping', () => {
  it('may be requested twice', async () => {
    const sandbox = await startOwn();
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    await startOwn({ data: sandbox.data });
  });

  it('answers a request at once that a fault delays', async () => {
    const sandbox = await startOwn();
    await callControl(sandbox.control, '/fault/add', { target: '* /**', delay: 3_600_000 });
    const request = fetch(`${sandbox.baseUrl}/api/openapi/v1/teams`);
    await eventually(async () => (await callControl(sandbox.control, '/fault/list', {}))[0]?.met === 1);
    await sandbox.stop();
    expect((await request).status).toBe(401);
  });

  it('closes idle or stalled connections', async () => {
    const sandbox = await startOwn({ drainTime: 100 });
    const stalled = fetch(`${sandbox.baseUrl}/api/openapi/auth/token`, {
      method: 'POST',
      duplex: 'half',
      body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }),
    } as RequestInit);
    const ended = expect(stalled).rejects.toThrow();
    await callerOf(sandbox);
    await sandbox.stop();
    await ended;
  });
});
