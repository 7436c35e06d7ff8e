import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { Failure } from '../../src/lib/errors.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect, FaultRequest, RetryAfter } from '../../src/sandbox/faults/fault.ts';
import { answer, answerInTurn, answerText, refuse } from '../support/answer.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import {
  certificateFile,
  type ScriptedServer,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';
import { startTestProxy } from '../support/test-proxy.ts';

// These tests check the client's guarantees through the whole program and its options.

const id = '11111111-1111-4111-8111-111111111111';
const route = `GET /api/openapi/v1/teams/${id}`;
const keySecret = 'the-secret-of-key-1';
const acme = success({ id, name: 'Acme' });

function environment(baseUrl: string): Record<string, string> {
  return { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: 'key-1', BOTCTL_KEY_SECRET: keySecret };
}

/** Reads a team from a server, or from an address. */
function getTeam(
  from: ScriptedServer | string,
  more: readonly string[] = [],
  { env, ...options }: RunOptions = {},
): Promise<Ran> {
  const baseUrl = typeof from === 'string' ? from : from.url;
  return botctl(['teams', 'get', id, ...more], { ...options, env: { ...environment(baseUrl), ...env } });
}

// The service's time stands still at the start of the client's clock.
const sandbox = useSandbox({ machineTime: () => Date.UTC(2026, 0, 1) });
const direct = openDirect(sandbox);
const fail = (target: EndpointName, effect?: FaultEffect, more?: Partial<FaultRequest>) =>
  callControl(sandbox.control, '/fault/add', { target, effect, ...more });
const asksToWait = (retry_after: RetryAfter): FaultEffect => ({ kind: 'status', status: 429, retry_after });
/** Longer than any test. */
const unanswered = { delay: 3_600_000 };

/** Lists the teams. Returns the run and the requests that the service received. */
async function list(
  more: readonly string[] = [],
  { env, ...options }: RunOptions = {},
): Promise<Ran & { requests: readonly unknown[] }> {
  const seen = await requestsFromNow(sandbox);
  const ran = await botctl(['teams', 'list', ...more], {
    clock: new FakeClock(),
    ...options,
    env: { ...sandbox.env, ...env },
  });
  return { ...ran, requests: (await seen()).map(({ operation }) => operation) };
}

it('waiting for an unavailable service names its host and the attempt', async () => {
  const clock = new FakeClock({ random: 1 });
  const options = { env: environment('http://127.0.0.1:1'), clock };
  const ran = await botctl(['teams', 'list', '--retries', '12'], options);
  expect(ran.exitCode).toBe(8);
  expect(ran.stderr).toMatch(
    /^Nothing answers at 127\.0\.0\.1:1: connection refused; trying again in \d+(\.\d)? s \(attempt \d+ of 13\)\.$/m,
  );
});

describe('a wrong base path', () => {
  it('is reported with its source, and is not "not found"', async () => {
    const address = `${sandbox.baseUrl}/nope`;
    const env = environment(address);
    const ran = await botctl(['teams', 'list'], { env });
    expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
    expect(ran.stderr).toContain(`${address} is not the address of the API: it answered POST`);
    expect(ran.stderr).toContain('Check the address in BOTCTL_BASE_URL.');
    const given = await botctl(['teams', 'list', '--base-url', address], { env });
    expect(given.stderr).toContain('Check the address in --base-url.');
  });
});

describe('--retries', () => {
  const once = ['createToken', 'listTeams'];

  it('repeats a read after 429 and 500, and reports a wait of a second or more', async () => {
    await direct.team('Acme');
    await fail('listTeams', { kind: 'status', status: 500 }, { times: 1 });
    await fail('listTeams', asksToWait(2), { times: 1 });
    const { exitCode, stdout, stderr, requests } = await list(['--fields', 'name']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Acme\n' });
    expect(stderr).toBe(
      'The service asks for fewer requests (429); trying again in 1.0 s (attempt 3 of 4).\n',
    );
    expect(requests).toEqual(['createToken', 'listTeams', 'listTeams', 'listTeams']);
  });

  it.each<RetryAfter>([0, 'date'])(
    'honours Retry-After as %s on the token request too',
    async (retryAfter) => {
      await fail('createToken', asksToWait(retryAfter), { times: 1 });
      await fail('listTeams', asksToWait(retryAfter), { times: 1 });
      const { exitCode, requests } = await list();
      expect(exitCode).toBe(0);
      expect(requests).toEqual(['createToken', 'createToken', 'listTeams', 'listTeams']);
    },
  );

  it.each<[string, FaultEffect, number]>([
    ['500', { kind: 'status', status: 500 }, 8],
    ['429', asksToWait(0), 7],
    ['a reset', { kind: 'reset', when: 'after' }, 8],
    ['half an answer', { kind: 'truncate' }, 8],
    ['a page', { kind: 'body', bytes: '', type: 'text/html', status: 502 }, 8],
  ])('0 gives up a read at once after %s, with the exit code of the response', async (_, effect, exit) => {
    await fail('listTeams', effect, { times: 1 });
    expect(await list(['--retries', '0'])).toMatchObject({ exitCode: exit, requests: once });
  });

  it('never waits longer than the budget of all attempts', async () => {
    await fail('listTeams', asksToWait(121), { times: 1 });
    const { exitCode, stderr, requests } = await list(['--retries', '20']);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('Retry-After 121');
    expect(requests).toEqual(once);
  });

  it('that is not a number is refused before any request is sent', async () => {
    const { exitCode, stderr, requests } = await list(['--retries', 'many', '--request-timeout', 'soon']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--retries');
    expect(stderr).toContain('--request-timeout');
    expect(requests).toEqual([]);
  });
});

describe('--request-timeout', () => {
  it('ends a request without a response, and names the option', async () => {
    await fail('createToken', undefined, unanswered);
    const { exitCode, stderr } = await list(['--request-timeout', '200ms', '--retries', '0']);
    expect(exitCode).toBe(8);
    expect(stderr).toContain('within 0.2 s');
    expect(stderr).toContain('--request-timeout 2m');
  });
});

describe('spaces the requests of a command evenly', () => {
  it('spaces the requests of a command', async () => {
    await fail('listTeams', { kind: 'status', status: 503 }, { times: 2 });
    const clock = new FakeClock();
    expect((await list(['--max-rps', '4'], { clock })).exitCode).toBe(0);
    // The token request comes first; with this clock the random backoff is 0.
    expect(clock.waits).toEqual([250, 0, 250, 0, 250]);
  });
});

it('names the source of the base URL if a service has moved', async () => {
  // A scripted server redirects, because a sandbox fault cannot set headers.
  const server = await startScriptedServer();
  server.on('POST /api/openapi/auth/token', {
    status: 307,
    headers: { location: 'http://127.0.0.1:9/steal' },
  });
  const moved = await getTeam(server);
  expect(moved.exitCode).toBe(8);
  expect(moved.stderr).toContain('To use the address it points to, change BOTCTL_BASE_URL.');
});

describe('BOTCTL_OUTPUT, BOTCTL_RETRIES, BOTCTL_MAX_RPS, BOTCTL_REQUEST_TIMEOUT', () => {
  it('act as the options of their names, which take precedence', async () => {
    await direct.team('Acme');
    const env = {
      BOTCTL_OUTPUT: 'json',
      BOTCTL_RETRIES: '0',
      BOTCTL_MAX_RPS: '50',
      BOTCTL_REQUEST_TIMEOUT: '',
    };
    expect(JSON.parse((await list([], { env })).stdout)).toMatchObject([{ name: 'Acme' }]);
    expect((await list(['-o', 'id'], { env })).stdout).not.toContain('{');
    await fail('listTeams', { kind: 'status', status: 503 });
    const refused = await list([], { env });
    expect(refused.requests).toEqual(['createToken', 'listTeams']);
    // A caller that requests JSON expects it for failures too.
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { exit: 8 } });
  });

  it('limit the time of a request as --request-timeout does', async () => {
    await fail('createToken', undefined, unanswered);
    const env = { BOTCTL_REQUEST_TIMEOUT: '200ms', BOTCTL_RETRIES: '0' };
    const { exitCode, stderr } = await list([], { env });
    expect(exitCode).toBe(8);
    expect(stderr).toContain('within 0.2 s');
  });

  it('are named if their value is invalid: exit code 2, no request sent', async () => {
    for (const [name, value] of [
      ['BOTCTL_OUTPUT', 'jason'],
      ['BOTCTL_RETRIES', 'many'],
      ['BOTCTL_MAX_RPS', '0'],
      ['BOTCTL_REQUEST_TIMEOUT', 'soon'],
    ] as const) {
      const { exitCode, stderr, requests } = await list([], { env: { [name]: value } });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`${name} must be`);
      expect(requests).toEqual([]);
    }
  });
});

describe('--ca-file', () => {
  // Scripted servers use TLS, which the sandbox doesn't support.

  it('trusts a certificate that is refused without it', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(route, acme);
    const refused = await getTeam(server);
    expect(refused.exitCode).toBe(8);
    expect(refused.stderr).toContain('--ca-file FILE');
    expect((await getTeam(server, ['--ca-file', certificateFile])).exitCode).toBe(0);
  });

  it('works with a proxy, with and without a password', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(route, acme);
    for (const credentials of [undefined, 'ana:pass-word-42']) {
      const proxy = await startTestProxy({ to: server.port, ...(credentials && { credentials }) });
      const env = { HTTPS_PROXY: `http://${credentials ? `${credentials}@` : ''}127.0.0.1:${proxy.port}` };
      const { exitCode, stderr } = await getTeam(
        'https://service.test',
        ['--ca-file', certificateFile, '--debug'],
        { env },
      );
      expect(exitCode).toBe(0);
      expect(stderr).not.toContain('pass-word-42');
      expect(proxy.asked[0]).toBe('CONNECT service.test:443');
    }
  });

  it('is not needed if NODE_EXTRA_CA_CERTS names the authority beside another file', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(route, acme);
    const { rootCertificates } = await import('node:tls');
    const file = join(temporaryDirectory(), 'other.pem');
    writeFileSync(file, rootCertificates[0] ?? '');
    const env = { NODE_EXTRA_CA_CERTS: certificateFile };
    expect((await getTeam(server, ['--ca-file', file], { env })).exitCode).toBe(0);
  });
});

describe('--insecure-http', () => {
  it('is required for plain http beyond this machine', async () => {
    const proxy = await startTestProxy({ to: Number(new URL(sandbox.baseUrl).port) });
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, BOTCTL_BASE_URL: 'http://service.test' };
    const refused = await list([], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--insecure-http');
    expect(proxy.asked).toEqual([]);
    expect((await list(['--insecure-http'], { env })).exitCode).toBe(0);
  });
});

describe('a command', () => {
  it.each([
    ['a request is in flight', undefined, unanswered],
    ['it waits', asksToWait(60), {}],
  ] as const)('is ended by Ctrl-C at once, while %s', async (_, effect, more) => {
    await fail('listTeams', effect, more);
    const abort = new AbortController();
    // With this clock no wait ends by itself.
    const clock = new FakeClock({ byHand: true });
    const running = list([], { signal: abort.signal, clock });
    const isMet = async () => (await callControl(sandbox.control, '/fault/list', {}))[0]?.met === 1;
    await eventually(() => (effect ? clock.waits.length > 0 : isMet()));
    abort.abort(new Failure('interrupted', 'Interrupted.'));
    expect((await running).exitCode).toBe(130);
  });

  it('reports a web page with its status and first words', async () => {
    await fail('listTeams', answerText('<title>Please\u001b[31m sign in</title>'));
    const { exitCode, stderr } = await list();
    expect(exitCode).toBe(8);
    expect(stderr).toContain(
      'status 200 and a response that isn\'t from the API: "<title>Please [31m sign in</title>"',
    );
  });

  // A scripted server redirects, because a sandbox fault cannot set headers.

  it('does not send the token to another host', async () => {
    const server = await startScriptedServer();
    const elsewhere = await startScriptedServer();
    server.on(route, { status: 302, headers: { location: `${elsewhere.url}/x` } });
    const { exitCode } = await getTeam(server);
    expect(exitCode).not.toBe(0);
    expect(elsewhere.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe('a first login that fails', () => {
  it.each([
    ['where nothing listens', 'http://127.0.0.1:1', 'connection refused'],
    ['where no host is', 'https://no-such-host.invalid', 'no-such-host.invalid'],
  ])('%s suggests checking the address, and not running whoami', async (_, address, words) => {
    const { exitCode, stderr } = await botctl(
      ['login', '--base-url', address, '--key-id', 'k', '--key-secret-file', '-', '--retries', '0'],
      { stdin: keySecret },
    );
    expect(exitCode).toBe(8);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/with the right one: botctl login --base-url URL|try again/);
    expect(stderr).not.toContain('whoami');
  });

  it('does not treat a refused token request as a working key', async () => {
    await fail('createToken', { kind: 'status', status: 400 });
    const args = ['login', '--base-url', sandbox.baseUrl, '--key-id', 'k', '--key-secret-file', '-'];
    expect((await botctl(args, { stdin: keySecret })).exitCode).toBe(6);
  });
});

describe('--debug', () => {
  it('logs every request of an upload, with its form, and no secret', async () => {
    const { BOTCTL_KEY_SECRET: keySecret } = sandbox.env;
    const token = 'token-number-1';
    const echo = `you said ${keySecret} and ${token}`;
    await fail('createToken', answer({ access_token: token, expires_in: 60 }));
    // Every read returns 404.
    await callControl(sandbox.control, '/fault/add', {
      target: 'GET /**',
      effect: { kind: 'status', status: 404 },
    });
    const ways = [refuse(429, 'RATE_LIMITED', echo), answer({ id, name: 'menu.txt', note: echo })];
    await answerInTurn(sandbox, 'createDocument', ...ways);
    const file = join(temporaryDirectory(), 'menu.txt');
    writeFileSync(file, 'soup');
    const { exitCode, stderr } = await botctl(['docs', 'upload', file, '--team', id, '--debug'], {
      env: sandbox.env,
      clock: new FakeClock(),
    });
    expect(exitCode, stderr).toBe(0);
    const lines = stderr.split('\n');
    expect(lines[0]).toBe(
      `→ POST ${sandbox.baseUrl}/api/openapi/auth/token {"key_id":"${sandbox.keyId}","key_secret":"••••••••"}`,
    );
    expect(stderr).toContain(
      `/api/openapi/v1/documents (a form with the file ${file}) {"team_id":"${id}","chars":4,"file":{"name":"menu.txt","type":"text/plain"}}`,
    );
    expect(stderr).toMatch(/← 429 after \d+ ms \{"success":false/);
    expect(stderr).toMatch(/waiting \d\.\d s before attempt 2: The service asks for fewer requests \(429\)/);
    expect(stderr).not.toContain(keySecret);
    expect(stderr).not.toContain(token);
  });

  it('masks a secret before it truncates a body or a sentence, so that no half of it is visible', async () => {
    const { BOTCTL_KEY_SECRET: keySecret } = sandbox.env;
    // Texts are truncated after 80 and 2000 characters.
    for (const before of [75, 1990]) {
      const { id: fault } = await fail('listTeams', answerText(`${'x'.repeat(before)}${keySecret}`));
      const { stderr } = await list(['--debug']);
      expect(stderr).toContain('xxxxx');
      expect(stderr).not.toContain(keySecret.slice(0, 10));
      await callControl(sandbox.control, '/fault/clear', { ids: [fault] });
    }
  });
});
