import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTransport } from '../../src/client/transport.ts';
import { Failure } from '../../src/lib/errors.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { holdTime } from '../support/hold-time.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { certificateFile, startScriptedServer, success } from '../support/scripted-server.ts';
import { startTestProxy } from '../support/test-proxy.ts';
import { failureOf } from './failure-of.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

// Scripted servers use features of HTTP that no sandbox fault has: redirects, TLS, proxies, slow and endless answers.
const { sandbox, open, fail } = useFaultySandbox();
/** Longer than any test. */
const unanswered = { delay: 3_600_000 };

const id = '11111111-1111-4111-8111-111111111111';
const teams = '/api/openapi/v1/teams';
const list = `GET ${teams}`;

describe('a response', () => {
  it('is refused if it is larger than the limit, announced or not', async () => {
    const server = await startScriptedServer();
    server.on('GET /announced', { body: 'x'.repeat(2000) });
    server.on('GET /streamed', (_, response) => {
      response.writeHead(200);
      response.write('x'.repeat(900));
      response.end('x'.repeat(900));
    });
    server.on('GET /small', { body: 'x'.repeat(1000) });
    const transport = openTransport({
      env: {},
      requestTimeout: 5000,
      insecureHttp: false,
      signal: new AbortController().signal,
      largestResponse: 1000,
    });
    onTestFinished(() => transport.close());
    const get = (path: string) => transport.send({ method: 'GET', origin: server.url, path, headers: {} });
    await expect(get('/announced')).rejects.toMatchObject({ reason: 'tooLarge', sent: true });
    await expect(get('/streamed')).rejects.toMatchObject({ reason: 'tooLarge', sent: true });
    expect((await get('/small')).body).toHaveLength(1000);
  });

  it.each([1, 20, 150])(
    'is not awaited after %i ms if that is all the time that remains',
    async (requestTimeout) => {
      await fail('listTeams', undefined, unanswered);
      const transport = openTransport({
        env: {},
        requestTimeout,
        insecureHttp: false,
        signal: new AbortController().signal,
      });
      onTestFinished(() => transport.close());
      const [method = '', path = ''] = list.split(' ');
      const sending = transport.send({ method, origin: sandbox.baseUrl, path, headers: {} });
      await expect(sending).rejects.toMatchObject({ reason: expect.stringMatching(/^(connectT|t)imeout$/) });
    },
  );

  it('is not awaited if it is announced again and again but never starts', async () => {
    const server = await startScriptedServer();
    server.on('GET /slow', (_, response) => {
      const announcing = setInterval(() => response.writeProcessing(), 50);
      response.on('close', () => clearInterval(announcing));
    });
    const transport = openTransport({
      env: {},
      requestTimeout: 300,
      insecureHttp: false,
      signal: new AbortController().signal,
    });
    onTestFinished(() => transport.close());
    const sending = transport.send({ method: 'GET', origin: server.url, path: '/slow', headers: {} });
    await expect(sending).rejects.toMatchObject({ reason: 'timeout', sent: true });
  });

  it('to a long upload is awaited from the last byte of the file on', async () => {
    const server = await startScriptedServer();
    server.on('POST /upload', { body: 'taken' });
    const transport = openTransport({
      env: {},
      requestTimeout: 500,
      insecureHttp: false,
      signal: new AbortController().signal,
    });
    onTestFinished(() => transport.close());
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let chunk = 0; chunk < 4; chunk += 1) {
        yield Buffer.from('x');
        await new Promise((resolve) => setTimeout(resolve, 160));
      }
    }
    const sending = { method: 'POST', origin: server.url, path: '/upload', headers: {}, body: body() };
    expect((await transport.send(sending)).body).toBe('taken');
  });

  it('to an upload is not awaited if the service stops reading', async () => {
    const server = createServer({ pauseOnConnect: true }, (socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const transport = openTransport({
      env: {},
      requestTimeout: 100,
      insecureHttp: false,
      signal: new AbortController().signal,
    });
    onTestFinished(() => transport.close());
    async function* body(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(65_536);
    }
    const origin = `http://127.0.0.1:${port}`;
    const sending = transport.send({ method: 'POST', origin, path: '/upload', headers: {}, body: body() });
    // On a busy machine the connection itself may time out.
    await expect(sending).rejects.toMatchObject({ reason: expect.stringMatching(/^(connectT|t)imeout$/) });
  });

  it('that is not HTTP has its own message', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { api } = openTestApi(`http://127.0.0.1:${port}`, { retries: 0 });
    expect((await failureOf(api.call('listTeams'))).message).toContain("doesn't speak HTTP");
  });
});

/** undici's diagnostics channel for each received part of a body. */
const bodyChunk = 'undici:request:bodyChunkReceived';

/** Opens a request whose timers pass only through `vi`, with an answer that the test writes. */
async function answeringByHand(requestTimeout: number) {
  const server = await startScriptedServer();
  const arrived = new Promise<ServerResponse>((resolve) => {
    server.on(list, (_, response) => resolve(response));
  });
  const { api } = openTestApi(server.url, { requestTimeout, retries: 0 });
  await api.accessToken();
  holdTime();
  const answer = api.call('listTeams');
  // It may reject before the test awaits it.
  answer.catch(() => undefined);
  const response = await arrived;
  return {
    answer,
    response,
    /** Sends a part of the body, with the head before the first one, and waits until it arrives. */
    async write(text: string) {
      const received = new Promise<void>((resolve) => {
        const onChunk = (): void => resolve();
        subscribe(bodyChunk, onChunk);
        onTestFinished(() => void unsubscribe(bodyChunk, onChunk));
      });
      response.write(text);
      await received;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('the body of a response', () => {
  it('has as much time as the response had to start', async () => {
    const { answer, response, write } = await answeringByHand(3000);
    vi.advanceTimersByTime(2900);
    await write('{"success":true,');
    vi.advanceTimersByTime(2900);
    response.end('"data":[]}');
    expect((await answer).data).toEqual([]);
  });

  it('ends the call after that time if it stalls or drips', async () => {
    const { answer, write } = await answeringByHand(3000);
    let hasEnded = false;
    answer.catch(() => {
      hasEnded = true;
    });
    await write('{"success":true,');
    vi.advanceTimersByTime(2000);
    await write('"data":');
    vi.advanceTimersByTime(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    vi.advanceTimersByTime(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(true);
    expect((await failureOf(answer)).message).toContain('No complete answer');
  });
});

describe('an abort', () => {
  /** Aborts once the service has triggered a fault. */
  const abortOnceMet = async (abort: AbortController): Promise<void> => {
    await eventually(async () =>
      (await callControl(sandbox.control, '/fault/list', {})).some(({ met }) => met > 0),
    );
    abort.abort(new Failure('interrupted', 'Interrupted.'));
  };

  it('ends the request in flight at once, with its own reason', async () => {
    await fail('listTeams', undefined, unanswered);
    const abort = new AbortController();
    const { api } = await open({ signal: abort.signal });
    const failing = failureOf(api.call('listTeams'));
    await abortOnceMet(abort);
    expect(await failing).toMatchObject({ kind: 'interrupted', exitCode: 130 });
    expect((await failureOf(api.call('listTeams'))).kind).toBe('interrupted');
  });

  it('of one call does not affect the others', async () => {
    await fail('listTeams', undefined, { ...unanswered, times: 1 });
    const abort = new AbortController();
    const { api } = await open();
    const failing = failureOf(api.call('listTeams', { signal: abort.signal }));
    await abortOnceMet(abort);
    expect((await failing).kind).toBe('interrupted');
    expect((await api.call('listTeams')).data).toEqual([]);
  });

  it('of a create does not make the outcome unknown', async () => {
    await fail('createTeam', undefined, unanswered);
    const abort = new AbortController();
    const { api } = await open({ signal: abort.signal });
    const failing = failureOf(api.call('createTeam', { body: {} }));
    await abortOnceMet(abort);
    expect((await failing).kind).toBe('interrupted');
  });
});

describe('the last check before a request', () => {
  it('runs once the connection is made, for each request, and throws its error instead of sending', async () => {
    const server = await startScriptedServer();
    const path = '/things';
    server.on(`POST ${path}`, { body: 'taken' });
    const seen: string[] = [];
    const onConnected = (): void => void seen.push('connected');
    subscribe('undici:client:connected', onConnected);
    onTestFinished(() => void unsubscribe('undici:client:connected', onConnected));
    const refusals: (Error | undefined)[] = [new Error('too late'), undefined, undefined];
    const transport = openTransport({
      env: {},
      requestTimeout: 5000,
      insecureHttp: false,
      signal: new AbortController().signal,
      onSend() {
        seen.push('leaving');
        const refusal = refusals.shift();
        if (refusal) throw refusal;
      },
    });
    onTestFinished(() => transport.close());
    const post = () =>
      transport.send({
        method: 'POST',
        origin: server.url,
        path,
        headers: {},
        body: '{}',
        mayTakeEffect: true,
      });
    await expect(post()).rejects.toThrow('too late');
    expect(server.seen).toEqual([]);
    expect((await post()).body).toBe('taken');
    expect((await post()).body).toBe('taken');
    expect(server.seen).toHaveLength(2);
    expect(seen.slice(0, 4)).toEqual(['connected', 'leaving', 'connected', 'leaving']);
    expect(seen.filter((one) => one === 'leaving')).toHaveLength(3);
  });
});

describe('a redirect', () => {
  it('of a read is followed, with the token on the same origin', async () => {
    const server = await startScriptedServer();
    server.on(list, { status: 308, headers: { location: '/elsewhere?x=1' } });
    server.on('GET /elsewhere', success([]));
    const { api } = openTestApi(server.url);
    expect((await api.call('listTeams')).data).toEqual([]);
    expect(server.seenAt('GET /elsewhere')[0]).toMatchObject({
      path: '/elsewhere?x=1',
      headers: { authorization: 'Bearer token-number-1' },
    });
  });

  it.each([
    ['ftp://x.example/', 'redirects to ftp://x.example, which is not https.'],
    ['javascript:alert(1)', 'redirects to javascript:, which is not https.'],
  ])('to %s is reported as such', async (location, words) => {
    const server = await startScriptedServer();
    server.on(list, { status: 302, headers: { location } });
    const failed = await failureOf(openTestApi(server.url).api.call('listTeams'));
    expect(failed.message).toBe(`${server.url} ${words}`);
  });

  it('never sends the token to another origin', async () => {
    const server = await startScriptedServer();
    const other = await startScriptedServer();
    server.on(list, { status: 302, headers: { location: `${other.url}/here` } });
    other.on('GET /here', { status: 401, body: { success: false, code: 'UNAUTHORIZED', error: 'who?' } });
    const { api } = openTestApi(server.url);
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toContain(`${server.url} redirects to ${other.url}`);
    expect(other.seen).toHaveLength(1);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
    // The refusal does not concern the token, so no new one is requested.
    expect(server.seenAt('POST /api/openapi/auth/token')).toHaveLength(1);
  });

  // The service may have carried out the request before it redirects; a DELETE can be repeated.
  it.each([
    ['POST', 301, 'outcomeUnknown'],
    ['POST', 302, 'outcomeUnknown'],
    ['POST', 307, 'outcomeUnknown'],
    ['POST', 308, 'outcomeUnknown'],
    ['DELETE', 308, 'network'],
  ] as const)(
    'of a %s with %i is not followed, and proves nothing about the outcome',
    async (method, status, kind) => {
      const server = await startScriptedServer();
      const other = await startScriptedServer();
      const path = method === 'POST' ? teams : `/api/openapi/v1/bots/${id}`;
      server.on(`${method} ${path}`, { status, headers: { location: `${other.url}${teams}` } });
      const { api } = openTestApi(server.url);
      const failed = await failureOf(
        method === 'POST' ? api.call('createTeam', { body: {} }) : api.call('deleteBot', { path: { id } }),
      );
      expect(failed.kind).toBe(kind);
      expect(failed.message).toContain('follows redirects for reads only');
      expect(other.seen).toHaveLength(0);
    },
  );

  it('of a create is no refusal, with any body', async () => {
    const server = await startScriptedServer();
    const body = { success: false, code: 'BAD_REQUEST', error: 'moved' };
    server.on(`POST ${teams}`, { status: 302, body });
    const { api } = openTestApi(server.url);
    expect((await failureOf(api.call('createTeam', { body: {} }))).kind).toBe('outcomeUnknown');
    expect(server.seenAt(`POST ${teams}`)).toHaveLength(1);
  });

  it.each([
    ['in circles', teams],
    ['which is not https', 'http://service.test/'],
    ['which is not https', 'ftp://127.0.0.1/'],
    ['no address', 'http://'],
  ])('%s fails', async (words, location) => {
    const server = await startScriptedServer();
    server.on(list, { status: 301, headers: { location } });
    const { api } = openTestApi(server.url, { retries: 0 });
    expect((await failureOf(api.call('listTeams'))).message).toContain(words);
  });
});

describe('circular redirects', () => {
  it('are reported with the requested address', async () => {
    const asked = await startScriptedServer();
    const other = await startScriptedServer();
    asked.on(list, { status: 301, headers: { location: `${other.url}${teams}` } });
    other.on(list, { status: 301, headers: { location: teams } });
    const { api } = openTestApi(asked.url, { retries: 0 });
    const { message } = await failureOf(api.call('listTeams'));
    expect(message).toContain(`${asked.url} redirects in circles`);
    expect(asked.seenAt(list)).toHaveLength(1);
    expect(other.seenAt(list)).toHaveLength(5);
  });
});

describe('an address', () => {
  it('with an unknown host has its own message, and no second attempt', async () => {
    const { api, clock } = openTestApi('https://no-such-host.invalid');
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.kind).toBe('network');
    expect(failed.message).toMatch(/no host named no-such-host\.invalid|can't be looked up/);
    if (failed.message.startsWith('There is no host')) expect(clock.waits).toEqual([]);
  });

  it('beyond this machine over plain http is refused before any request is sent', async () => {
    expect(() => openTestApi('http://service.test')).toThrow(/plain http/);
    expect(() => openTestApi('http://service.test', { insecureHttp: true })).not.toThrow();
  });
});

describe('TLS', () => {
  it('refuses an untrusted certificate, and names the setting', async () => {
    const server = await startScriptedServer({ tls: true });
    const { api, clock } = openTestApi(server.url);
    const failed = await failureOf(api.call('createTeam', { body: {} }));
    expect(failed.kind).toBe('network');
    expect(failed.message).toContain("isn't trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(String(failed.hint)).toContain('--ca-file');
    expect(clock.waits).toEqual([]);
  });

  it('accepts it if its authority is named', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(list, success([]));
    const { api } = openTestApi(server.url, { caFile: certificateFile });
    expect((await api.call('listTeams')).data).toEqual([]);
  });

  it('refuses a certificate for another name', async () => {
    const server = await startScriptedServer({ tls: true });
    const proxy = await startTestProxy({ to: server.port });
    const { api } = openTestApi('https://other.test', {
      caFile: certificateFile,
      env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toBe('The certificate of other.test is for another name.');
  });

  it('reports that the address is plain http', async () => {
    const server = await startScriptedServer();
    const { api } = openTestApi(server.url.replace('http:', 'https:'));
    expect((await failureOf(api.call('listTeams'))).message).toContain('TLS handshake');
  });

  it('refuses a file without certificates', async () => {
    const file = join(temporaryDirectory(), 'ca.pem');
    writeFileSync(file, 'hello');
    const { api } = openTestApi('https://127.0.0.1:1', { caFile: file });
    expect(await failureOf(api.call('listTeams'))).toMatchObject({ kind: 'invalidInput', exitCode: 2 });
    const missing = openTestApi('https://127.0.0.1:1', { caFile: `${file}.missing` });
    expect((await failureOf(missing.api.call('listTeams'))).message).toContain('no such file');
  });
});

describe('a proxy', () => {
  it.each([undefined, 'ana:p%40ss'])('tunnels https (%s)', async (credentials) => {
    const server = await startScriptedServer({ tls: true });
    server.on(list, success([]));
    const proxy = await startTestProxy({ to: server.port, ...(credentials && { credentials: 'ana:p@ss' }) });
    const user = credentials ? `${credentials}@` : '';
    const { api } = openTestApi('https://service.test', {
      caFile: certificateFile,
      env: { HTTPS_PROXY: `http://${user}127.0.0.1:${proxy.port}` },
    });
    expect((await api.call('listTeams')).data).toEqual([]);
    expect(proxy.asked[0]).toBe('CONNECT service.test:443');
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it('forwards plain http', async () => {
    const server = await startScriptedServer();
    server.on(list, success([]));
    const proxy = await startTestProxy({ to: server.port, credentials: 'ana:secret' });
    const { api } = openTestApi('http://service.test', {
      insecureHttp: true,
      env: { http_proxy: `ana:secret@127.0.0.1:${proxy.port}` },
    });
    expect((await api.call('listTeams')).data).toEqual([]);
    expect(proxy.asked).toContain(`GET http://service.test${teams}`);
  });

  it.each([
    ['https://service.test', 'HTTPS_PROXY'],
    ['http://service.test', 'HTTP_PROXY'],
  ])('that requires a password has its own message (%s)', async (url, variable) => {
    const server = await startScriptedServer({ tls: true });
    const proxy = await startTestProxy({ to: server.port, credentials: 'ana:secret' });
    const { api, clock } = openTestApi(url, {
      insecureHttp: true,
      env: { [variable]: `http://ana:wrong-password@127.0.0.1:${proxy.port}` },
    });
    const failed = await failureOf(api.call('createTeam', { body: {} }));
    expect(failed.kind).toBe('network');
    expect(failed.message).toBe(
      `The proxy http://127.0.0.1:${proxy.port} requires a user name and a password.`,
    );
    expect(String(failed.hint)).toContain(variable);
    expect(clock.waits).toEqual([]);
  });

  it('that refuses has its own message', async () => {
    const proxy = await startTestProxy({ to: 1, fails: 'refuses' });
    const { api } = openTestApi('https://service.test', {
      env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    expect((await failureOf(api.call('listTeams'))).message).toContain(
      'refuses to connect to https://service.test (403)',
    );
  });

  it.each(['http://', 'socks5://127.0.0.1:1080', 'http://ana:%ZZ@127.0.0.1:1'])(
    'that is not a proxy is reported as an error in the environment (%s)',
    async (value) => {
      const { api } = openTestApi('https://service.test', { env: { HTTPS_PROXY: value } });
      const failed = await failureOf(api.call('listTeams'));
      expect(failed).toMatchObject({ kind: 'invalidInput', exitCode: 2 });
      expect(failed.message).toContain('HTTPS_PROXY');
    },
  );

  it('that is silent is awaited no longer than the timeout', async () => {
    const proxy = await startTestProxy({ to: 1, fails: 'is silent' });
    const { api } = openTestApi('https://service.test', {
      retries: 0,
      requestTimeout: 300,
      env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    expect((await failureOf(api.call('listTeams'))).message).toContain("doesn't answer");
  });

  it('that hangs up is tried once for each attempt', async () => {
    const proxy = await startTestProxy({ to: 1, fails: 'hangs up' });
    const { api } = openTestApi('https://service.test', {
      retries: 1,
      env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toContain("doesn't answer");
    expect(proxy.asked.length).toBe(2);
  });

  it('that hangs up on plain http is named', async () => {
    const proxy = await startTestProxy({ to: 1, fails: 'hangs up' });
    const { api } = openTestApi('http://service.test', {
      retries: 0,
      insecureHttp: true,
      env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
    });
    expect((await failureOf(api.call('listTeams'))).message).toContain(
      `through the proxy http://127.0.0.1:${proxy.port}, broke`,
    );
  });

  it('that is not running has its own message', async () => {
    const server = await startScriptedServer();
    await server.close();
    const { api } = openTestApi('https://service.test', {
      retries: 0,
      env: { https_proxy: `http://127.0.0.1:${server.port}` },
    });
    const failed = await failureOf(api.call('listTeams'));
    expect(failed.message).toBe(`The proxy http://127.0.0.1:${server.port} doesn't answer.`);
    expect(String(failed.hint)).toContain('NO_PROXY');
  });
});
