import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { readLog, readState } from '../../src/sandbox/control/client.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, isWhole, needsServer, testServer } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { startRelay } from '../support/relay.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readMetrics } from './prometheus.ts';
import { teamBody } from './samples.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a sandbox of a test's own, on the server of the tests where they have one. */
async function start({
  url,
  ...options
}: Partial<Omit<SandboxOptions, 'behindProxy' | 'insecureHttp'>> & { url?: string } = {}): Promise<Sandbox> {
  const home = temporaryDirectory();
  const database = testServer === undefined || url !== undefined ? undefined : await createDatabase();
  if (database) closers.push(database.drop);
  const whole = url ?? database?.url;
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    phone: 'manual',
    data: join(home, 'data'),
    server: whole === undefined ? undefined : serverAt(whole, join(home, 'files')),
    ...options,
  });
  closers.push(sandbox.stop);
  return sandbox;
}

function serverAt(url: string, files: string): SandboxOptions['server'] {
  const whole = new URL(url);
  return { url: withoutPassword(whole), password: new Secret(passwordIn(whole) ?? ''), files };
}

const ask = async (sandbox: Sandbox, path: string): Promise<string> => {
  const answer = await fetch(`${sandbox.baseUrl}${path}`);
  return `${answer.status} ${(await answer.text()).trim()}`;
};

async function authorization({ baseUrl, keyId, keySecret }: Sandbox): Promise<string> {
  const body = JSON.stringify({ key_id: keyId, key_secret: keySecret.reveal() });
  const answer = await fetch(`${baseUrl}/api/openapi/auth/token`, { method: 'POST', body });
  const told = (await answer.json()) as { data: { access_token: string } };
  return `Bearer ${told.data.access_token}`;
}

/** A connection on which a test writes what it likes. */
async function dial({ baseUrl }: Sandbox): Promise<{ socket: Socket; heard(text: string): Promise<string> }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let all = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    all += piece;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  closers.push(async () => socket.destroy());
  return { socket, heard: (text) => eventually(() => all.includes(text) && all) };
}

const teams = '/api/openapi/v1/teams';

describe('a sandbox that is asked to stop', () => {
  it('ends the calls in flight, takes no others, and is not ready meanwhile', async () => {
    const sandbox = await start({ drainTime: 60_000 });
    const token = await authorization(sandbox);
    const body = JSON.stringify(teamBody());
    const [begun, probe, late] = [await dial(sandbox), await dial(sandbox), await dial(sandbox)];
    begun.socket.write(
      `POST ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nExpect: 100-continue\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    await begun.heard('100 Continue');
    // Both have begun their next call once the one before it is answered.
    probe.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n');
    late.socket.write(
      `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n`,
    );
    await Promise.all([probe.heard('ok\n'), late.heard('ok\n')]);
    const stopped = sandbox.stop();
    await eventually(() =>
      fetch(`${sandbox.baseUrl}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    probe.socket.write('\r\n');
    expect(await probe.heard('draining\n')).toContain('HTTP/1.1 503 ');
    late.socket.write('\r\n');
    const refused = await late.heard('takes no more calls');
    expect(refused).toContain('HTTP/1.1 503 ');
    expect(refused.toLowerCase()).toContain('retry-after: 1');
    expect(refused).toContain('"code":"INTERNAL_ERROR"');
    expect(refused.toLowerCase()).toContain('connection: close');
    begun.socket.write(body);
    expect((await begun.heard('"success":true')).toLowerCase()).toContain('connection: close');
    await stopped;
  });

  it('is not ready at once, and serves on for the drain delay', async () => {
    const sandbox = await start({ drainDelay: 500 });
    const token = await authorization(sandbox);
    const stopped = sandbox.stop();
    expect(await ask(sandbox, '/readyz')).toBe('503 draining');
    const served = await fetch(`${sandbox.baseUrl}${teams}`, { headers: { authorization: token } });
    expect(served.status).toBe(200);
    expect(await readState(sandbox.control)).toMatchObject({ base_url: sandbox.baseUrl });
    await stopped;
    await expect(fetch(`${sandbox.baseUrl}/healthz`)).rejects.toThrow();
  });

  it.runIf(isWhole)(
    'waits no longer for what waits on purpose, which its health never did, and answers it',
    async () => {
      const sandbox = await start({ latency: { from: 3_600_000, to: 3_600_000 }, drainTime: 60_000 });
      expect(await ask(sandbox, '/readyz')).toBe('200 ready');
      const waiting = await dial(sandbox);
      waiting.socket.write(
        `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET ${teams} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      await waiting.heard('ok\n');
      expect(await readLog(sandbox.control, { limit: 10 })).toMatchObject({ rows: [] });
      await sandbox.stop();
      await waiting.heard('"code":"UNAUTHORIZED"');
    },
  );
});

describe('a sandbox’s health', () => {
  const sandbox = useSandbox();

  it('is told to who asks for the heads of its answers alone', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await fetch(`${sandbox.baseUrl}${path}`, { method: 'HEAD' });
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, '']);
    }
  });
});

describe('a database whose rows others change for long', needsServer, () => {
  it('keeps no sandbox from starting', async () => {
    const database = await createDatabase();
    closers.push(database.drop);
    await (await start({ url: database.url })).stop();
    closers.push(await database.hold('update users set email = email'));
    expect(await ask(await start({ url: database.url }), '/readyz')).toBe('200 ready');
  });
});

describe('a database that goes away', needsServer, () => {
  const relayed = async () => {
    const database = await createDatabase();
    closers.push(database.drop);
    const url = new URL(database.url);
    const relay = await startRelay({ hostname: url.hostname, port: url.port || '5432' });
    url.host = `127.0.0.1:${relay.port}`;
    return { relay, url: url.href };
  };
  const behindRelay = async () => {
    const { relay, url } = await relayed();
    const told: unknown[] = [];
    const sandbox = await start({
      url,
      onError: (error) => told.push(error),
      metrics: { host: '127.0.0.1', port: 0 },
    });
    const token = await authorization(sandbox);
    const call = async (method: string, body?: unknown) => {
      const answer = await fetch(`${sandbox.baseUrl}${teams}`, {
        method,
        headers: { authorization: token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    return { relay, sandbox, call, told };
  };
  const away = {
    status: 500,
    body: {
      success: false,
      code: 'INTERNAL_ERROR',
      error: expect.stringMatching(/^The database of the service is not there at the moment \(request /),
    },
  };

  it('gives INTERNAL_ERROR, and the service is there again with it, without its sessions of before', async () => {
    const { relay, sandbox, call, told } = await behindRelay();
    // More sessions than one.
    await Promise.all([1, 2, 3, 4].map(() => call('GET')));
    relay.cut();
    expect(await ask(sandbox, '/readyz')).toBe('503 away');
    expect(await ask(sandbox, '/healthz')).toBe('200 ok');
    const metrics = readMetrics(await (await fetch(sandbox.metrics ?? '')).text());
    expect(metrics).toContainEqual({ name: 'botctl_ready', labels: {}, value: 0 });
    expect(metrics.filter(({ name }) => name === 'botctl_devices')).toEqual([]);
    expect(await call('GET')).toEqual(away);
    expect(await call('POST', teamBody())).toEqual(away);
    await expect(readState(sandbox.control)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringMatching(/^The database of the sandbox is not there at the moment: /),
    });
    expect(told).toHaveLength(2);
    relay.mend();
    expect(await ask(sandbox, '/readyz')).toBe('200 ready');
    for (const answer of await Promise.all([1, 2, 3, 4].map(() => call('GET'))))
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
  });

  it('while a sandbox starts, ends that with a failure like one that is not there', async () => {
    const { relay, url } = await relayed();
    relay.cutAt('shares_emails');
    await expect(start({ url })).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringMatching(/^postgres:\S+ can't be reached: /),
    });
  });

  it('takes with it what was not committed, and no answer said that it was', async () => {
    const { relay, call } = await behindRelay();
    relay.cutAt('commit');
    expect(await call('POST', teamBody())).toEqual(away);
    relay.mend();
    const answer = await call('GET');
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: [] } });
  });
});
