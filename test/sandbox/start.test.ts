import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { addFault, changeClock, findControl, listFaults, seed } from '../../src/sandbox/control/client.ts';
import { openDataDirectory } from '../../src/sandbox/data-directory.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { isInUse } from '../../src/sandbox/store/ownership.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { eventually } from '../support/eventually.ts';
import { isLong } from '../support/long.ts';
import { start as startProcess } from '../support/process.ts';
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts';

// A server of its own takes a port.

let home: string;
let data: string;
const running = new Set<Sandbox>();

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-start-'));
  data = join(home, 'data');
});
afterEach(async () => {
  for (const sandbox of running) await stop(sandbox);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function start(
  options: Partial<Omit<SandboxOptions, 'behindProxy' | 'insecureHttp'>> = {},
): Promise<Sandbox> {
  const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, data, phone: 'manual', ...options });
  running.add(sandbox);
  return sandbox;
}

async function stop(sandbox: Sandbox): Promise<void> {
  running.delete(sandbox);
  await sandbox.stop();
}

async function refusal(options: Partial<SandboxOptions>): Promise<Failure> {
  const failure: unknown = await start(options).catch((error: unknown) => error);
  if (!(failure instanceof Failure)) throw new Error('it started', { cause: failure });
  return failure;
}

type Caller = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;

/** Calls with a key; its token is asked for anew. */
async function caller(
  sandbox: Sandbox,
  key = { id: sandbox.keyId, secret: sandbox.keySecret.reveal() },
): Promise<Caller> {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const answer = await fetch(`${sandbox.baseUrl}/api/openapi${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Record<string, unknown>,
    };
  };
  const { body } = await call('POST', '/auth/token', { key_id: key.id, key_secret: key.secret }, {});
  const token = (body.data as { access_token: string } | undefined)?.access_token;
  return (method, path, given) => call(method, `/v1${path}`, given, { authorization: `Bearer ${token}` });
}

const team = {
  user: { name: 'Ana', email: 'ana@acme.example', phone: '+5511999990000' },
  team: { name: 'Acme', plan_name: 'pro' },
};

describe('a data directory', () => {
  it('holds what it says, for this user only, and keeps key, tokens, rows, files and time from one start to the next', async () => {
    const first = await start();
    const mode = (name: string) => statSync(join(data, name)).mode & 0o777;
    expect(mode('.')).toBe(0o700);
    expect([mode('key.json'), mode('control.json')]).toEqual([0o600, 0o600]);
    expect(JSON.parse(readFileSync(join(data, 'key.json'), 'utf8'))).toEqual({
      key_id: first.keyId,
      key_secret: first.keySecret.reveal(),
    });
    expect(JSON.parse(readFileSync(join(data, 'control.json'), 'utf8'))).toEqual({
      url: first.control.url,
      token: first.control.token.reveal(),
      pid: process.pid,
      base_url: first.baseUrl,
    });
    expect(existsSync(join(data, 'sandbox.db'))).toBe(true);
    const call = await caller(first);
    const created = await call('POST', '/teams', team);
    const { id } = (created.body.data as { team: { id: string } }).team;
    const form = new FormData();
    form.append('file', new Blob(['text']), 'a.txt');
    form.append('team_id', id);
    form.append('chars', '4');
    const document = (await call('POST', '/documents', form)).body.data as { file_url: string };
    await changeClock(findControl(data), { action: 'advance', milliseconds: 3_600_000 });
    const { now } = await changeClock(findControl(data), { action: 'freeze' });
    await stop(first);
    expect(existsSync(join(data, 'control.json'))).toBe(false);
    const half = join(data, 'files', `${randomUUID()}.part`);
    const foreign = join(data, 'files', 'notes.part');
    writeFileSync(half, 'half');
    writeFileSync(foreign, 'mine');
    writeFileSync(join(data, 'files', id, 'file-orphan.txt'), 'nobody');

    const second = await start({ host: '::1' });
    expect(second.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect([second.keyId, second.keySecret.reveal()]).toEqual([first.keyId, first.keySecret.reveal()]);
    const { body } = await (await caller(second))('GET', `/teams/${id}`);
    expect(body.data).toMatchObject({ id, name: 'Acme' });
    expect(readFileSync(join(data, 'files', document.file_url), 'utf8')).toBe('text');
    expect(existsSync(half)).toBe(false);
    expect(existsSync(foreign)).toBe(true);
    // That goes on while the sandbox serves.
    await eventually(() => !existsSync(join(data, 'files', id, 'file-orphan.txt')));
    const later = await (await caller(second))('POST', '/api-keys', { name: 'Later' });
    expect(later.body.data).toMatchObject({ created_at: now });
    expect(Date.parse(now) - Date.now()).toBeGreaterThan(3_000_000);
  });

  it.runIf(isLong)('gets a new first key where that was deleted, and the deleted one stays so', async () => {
    const first = await start();
    const created = await (await caller(first))('POST', '/api-keys', { name: 'Other' });
    const other = created.body.data as { key_id: string; key_secret: string };
    const call = await caller(first, { id: other.key_id, secret: other.key_secret });
    expect((await call('DELETE', `/api-keys/${first.keyId}`)).status).toBe(200);
    await stop(first);

    const second = await start();
    expect(second.keyId).not.toBe(first.keyId);
    expect((await (await caller(second))('GET', '/teams')).status).toBe(200);
    const old = { id: first.keyId, secret: first.keySecret.reveal() };
    expect((await (await caller(second, old))('GET', '/teams')).status).toBe(401);
  });

  it.runIf(isLong)('refuses a key that was set inactive, and the tokens issued to it', async () => {
    const first = await start();
    const created = await (await caller(first))('POST', '/api-keys', { name: 'Other' });
    const other = created.body.data as { key_id: string; key_secret: string };
    const call = await caller(first, { id: other.key_id, secret: other.key_secret });
    expect((await call('GET', '/teams')).status).toBe(200);
    await stop(first);
    // No call of the API sets a key inactive; the service's own people do.
    const store = await openStore(data);
    await store.db
      .updateTable('api_keys')
      .set({ is_active: false })
      .where('key_id', '=', other.key_id)
      .execute();
    await store.close();

    const second = await start({ port: Number(new URL(first.baseUrl).port) });
    expect((await call('GET', '/teams')).status).toBe(401);
    const again = await caller(second, { id: other.key_id, secret: other.key_secret });
    expect((await again('GET', '/teams')).status).toBe(401);
  });

  it.runIf(isLong)('is emptied by a reset, but for its key', async () => {
    const sandbox = await start();
    const call = await caller(sandbox);
    await call('POST', '/teams', { ...team, user: { ...team.user, email: 'bo@acme.example' } });
    await sandbox.reset();
    expect((await call('GET', '/teams')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await call('GET', '/api-keys')).body.data).toMatchObject([{ key_id: sandbox.keyId }]);
  });

  it.runIf(isLong)(
    'is served with the same key, rows and files from a copy made after it stopped',
    async () => {
      const sandbox = await start();
      const call = await caller(sandbox);
      await seed(sandbox.control, { teams: 1, bots: 1, documents: 1 });
      const held = async (by: typeof call) =>
        Promise.all(['/teams', '/bots', '/documents'].map(async (path) => (await by('GET', path)).body.data));
      const before = await held(call);
      await stop(sandbox);
      const copy = join(home, 'copy');
      cpSync(data, copy, { recursive: true });
      const copied = await start({ data: copy });
      expect(copied.keyId).toBe(sandbox.keyId);
      expect(await held(await caller(copied))).toMatchObject(before);
      const files = (directory: string) =>
        readdirSync(join(directory, 'files'), { recursive: true }).toSorted();
      expect(files(copy)).toEqual(files(data));
    },
  );

  it.runIf(isLong)('belongs to one sandbox at a time', async () => {
    await start();
    const failure = await refusal({});
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining(String(process.pid)),
    });
    expect(String(failure.hint)).toContain('--data');
  });

  it('is refused where it cannot be', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const failure = await refusal({ data: join(file, 'data') });
    expect(failure).toMatchObject({ kind: 'invalidInput', message: expect.stringContaining(file) });
  });

  it.each(['key.json'])('is refused with a damaged %s, and left free', async (name) => {
    const other = join(home, `damaged-${name}`);
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(join(other, name), 'nonsense');
    const failure = await refusal({ data: other });
    expect(failure).toMatchObject({ kind: 'invalidInput', message: expect.stringContaining(name) });
    expect(existsSync(join(other, 'lock'))).toBe(false);
    rmSync(join(other, name));
    if (isLong) await start({ data: other });
  });
});

describe('an address', () => {
  it.runIf(isLong).each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('may be %s', async (host) => {
    const sandbox = await start({ host });
    expect(sandbox.baseUrl).toMatch(new RegExp(`^http://(${host}|\\[${host}\\]):\\d+$`));
    expect((await (await caller(sandbox))('GET', '/teams')).status).toBe(200);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '', '127.0.0.1.example.com', '::ffff:10.0.0.1'])(
    'may not be %j',
    async (host) => {
      const failure = await refusal({ host });
      expect(failure).toMatchObject({ kind: 'invalidInput' });
      expect(String(failure.hint)).toContain('--behind-proxy');
    },
  );

  it('is refused where its port is in use, and the data directory is left free', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const failure = await refusal({ port });
    expect(failure).toMatchObject({ kind: 'invalidInput', message: expect.stringContaining(String(port)) });
    expect(String(failure.hint)).toContain('--port');
    expect(isInUse(data)).toBe(false);
    if (isLong) await start();
    await new Promise((resolve) => taken.close(resolve));
  });
});

describe('stopping', () => {
  it('leaves alone the sandbox on a directory that took the place of its own', async () => {
    const [own, away] = [join(home, 'replaced'), join(home, 'replaced-before')];
    const before = await start({ data: own });
    const call = await caller(before);
    renameSync(own, away);
    cpSync(away, own, { recursive: true });
    const after = startProcess(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', own]);
    await after.firstLine();
    expect(await call('POST', '/teams', team)).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining('was moved or replaced') },
    });
    await stop(before);
    expect(existsSync(join(own, 'control.json'))).toBe(true);
    expect(existsSync(join(own, 'sandbox.db-wal'))).toBe(true);
    after.process.kill('SIGINT');
    expect(await after.ended).toBe(0);
  });

  it.runIf(isLong)('may be asked for twice', async () => {
    const sandbox = await start();
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    await start();
  });

  it.runIf(isLong)('answers at once what a fault lets wait', async () => {
    const sandbox = await start();
    await addFault(sandbox.control, { target: '* /**', delay: 3_600_000 });
    const request = fetch(`${sandbox.baseUrl}/api/openapi/v1/teams`);
    await eventually(async () => (await listFaults(sandbox.control))[0]?.met === 1);
    await stop(sandbox);
    expect((await request).status).toBe(401);
  });

  it.runIf(isLong)('ends connections that idle or stall', async () => {
    const sandbox = await start();
    const stalled = fetch(`${sandbox.baseUrl}/api/openapi/auth/token`, {
      method: 'POST',
      duplex: 'half',
      body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }),
    } as RequestInit);
    const ended = expect(stalled).rejects.toThrow();
    await caller(sandbox);
    await stop(sandbox);
    await ended;
  });
});

const full = { ...team, user: { ...team.user, email: 'full@acme.example' } };

describe('a disk that is full', needsSmallDisk, () => {
  const isOnlyLog = (error: unknown): boolean => String(error).includes('request log');

  it('is named, keeps nobody from reading, and is noticed when there is space again', async () => {
    const disk = mountSmallDisk(20);
    const told: string[] = [];
    const sandbox = await start({
      data: join(disk.path, 'data'),
      onError: (error, call) =>
        isOnlyLog(error) || told.push(`${call?.requestId} ${call?.method} ${call?.path}`),
    });
    const call = await caller(sandbox);
    const long = (text: string) => ({ ...full, user: { ...full.user, name: text.repeat(200) } });
    disk.fill();
    // What is left of the last page of the journal may take a few rows.
    let refused = await call('POST', '/teams', long('a'));
    for (let at = 0; at < 50 && refused.status === 200; at += 1) {
      const user = { ...full.user, name: 'a'.repeat(200), email: `full-${at}@acme.example` };
      refused = await call('POST', '/teams', { ...full, user });
    }
    const requestId = refused.headers.get('x-request-id');
    expect(refused).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
    expect(refused.body.error).toBe(
      `The disk of the service is full, so nothing can be changed until there is space again (request ${requestId}).`,
    );
    expect(told).toEqual([`${requestId} POST /api/openapi/v1/teams`]);
    expect(await call('GET', '/teams')).toMatchObject({ status: 200 });
    disk.free();
    const later = { ...full, user: { ...full.user, email: 'later@acme.example' } };
    expect(await call('POST', '/teams', later)).toMatchObject({ status: 200 });
    const before = (await call('GET', '/teams')).body;
    await stop(sandbox);
    const again = await start({ data: sandbox.data });
    expect((await (await caller(again))('GET', '/teams')).body).toEqual(before);
    await stop(again);
  });

  it('lets nothing be emptied, and the clock stays where it is', async () => {
    const disk = mountSmallDisk(20);
    const sandbox = await start({ data: join(disk.path, 'data') });
    const call = await caller(sandbox);
    const name = 'Acme '.repeat(40);
    for (let at = 0; at < 50; at += 1) {
      const user = { ...team.user, email: `stays-${at}@acme.example` };
      await call('POST', '/teams', { user, team: { ...team.team, name: `${name} ${at}` } });
    }
    const { body: before } = await call('GET', '/teams');
    const { now } = await changeClock(sandbox.control, { action: 'advance', milliseconds: 3_600_000 });
    disk.fill();
    await expect(sandbox.reset()).rejects.toMatchObject({ kind: 'full' });
    const { headers, body } = await call('GET', '/teams');
    expect(body).toEqual(before);
    // A header has no part of a second.
    expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThanOrEqual(Date.parse(now) - 1000);
    await stop(sandbox);
  });

  it('is named at a start, which works when there is space again', async () => {
    const disk = mountSmallDisk(4);
    disk.fill();
    const data = join(disk.path, 'data');
    const failure = await refusal({ data });
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining('the disk is full'),
    });
    disk.free();
    await stop(await start({ data }));
  });

  it('is named if it has no room for the note of the sandbox', () => {
    const disk = mountSmallDisk(1);
    const data = openDataDirectory(disk.path);
    disk.fill();
    const address = { url: 'http://127.0.0.1:1', token: new Secret('t'), baseUrl: 'http://127.0.0.1:2' };
    expect(() => data.announce(address)).toThrow(/can't be used: the disk is full/);
  });

  it('is named if it is read-only, and nothing is served', async () => {
    const disk = mountSmallDisk(4);
    const data = join(disk.path, 'data');
    // One in another process: libsql keeps files open for a while in this one.
    const first = startProcess(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
    await first.firstLine();
    first.process.kill('SIGTERM');
    await first.ended;
    disk.lock();
    const failure = await refusal({ data });
    expect(failure).toMatchObject({
      kind: 'invalidInput',
      message: `The data directory ${data} can't be used: the disk is read-only.`,
    });
  });
});
