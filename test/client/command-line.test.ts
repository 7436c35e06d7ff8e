import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { Failure } from '../../src/lib/errors.ts';
import { addFault } from '../../src/sandbox/control/client.ts';
import type { FaultEffect, RetryAfter } from '../../src/sandbox/faults/fault.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import {
  certificateFile,
  type Reaction,
  refusal,
  type ScriptedServer,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';
import { startTestProxy } from '../support/test-proxy.ts';

// Scripted servers do what HTTP has and no fault of the sandbox: redirects, TLS, proxies, other paths. Retries: the sandbox.

// What the client promises, kept through the whole program and its options.

const id = '11111111-1111-4111-8111-111111111111';
const route = `GET /api/openapi/v1/teams/${id}`;
const exchange = 'POST /api/openapi/auth/token';
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

const busy = (retryAfter: string): Reaction => ({
  ...refusal(429, 'RATE_LIMITED', 'slow down'),
  headers: { 'retry-after': retryAfter },
});

it('a wait for a service that is down names its host and the attempt', async () => {
  const clock = new FakeClock({ random: 1 });
  const options = { env: environment('http://127.0.0.1:1'), clock };
  const ran = await botctl(['teams', 'list', '--retries', '12'], options);
  expect(ran.exitCode).toBe(8);
  expect(ran.stderr).toMatch(
    /^Nothing answers at 127\.0\.0\.1:1: connection refused; trying again in \d+(\.\d)? s \(attempt \d+ of 13\)\.$/m,
  );
});

describe('a wrong base path', () => {
  it('is told with what gave it, and is nothing that was not found', async () => {
    const server = await startScriptedServer();
    const gone = refusal(404, 'NOT_FOUND', 'The API has no such path');
    server.on('POST /nope/api/openapi/auth/token', gone);
    const env = environment(`${server.url}/nope`);
    const ran = await botctl(['teams', 'list'], { env });
    expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
    expect(ran.stderr).toContain(`${server.url}/nope is not the address of the API: it answered POST`);
    expect(ran.stderr).toContain('Check the address, which BOTCTL_BASE_URL gives.');
    const given = await botctl(['teams', 'list', '--base-url', `${server.url}/nope`], { env });
    expect(given.stderr).toContain('Check the address, which --base-url gives.');
  });
});

describe('--retries', () => {
  // The time of the service stands still, where the clock of the client begins.
  const sandbox = useSandbox({ machineTime: () => Date.UTC(2026, 0, 1) });
  const direct = openDirect(sandbox);
  const fail = (target: EndpointName, effect: FaultEffect, times?: number) =>
    addFault(sandbox.control, { target, effect, times });
  const asksToWait = (retry_after: RetryAfter): FaultEffect => ({ kind: 'status', status: 429, retry_after });
  /** Lists the teams. Returns what was seen of it, here and at the service. */
  const list = async (...more: readonly string[]): Promise<Ran & { requests: readonly unknown[] }> => {
    const seen = await requestsFromNow(sandbox);
    const options = { env: sandbox.env, clock: new FakeClock() };
    const ran = await botctl(['teams', 'list', ...more], options);
    return { ...ran, requests: (await seen()).map(({ operation }) => operation) };
  };

  const once = ['createToken', 'listTeams'];

  it('repeats a read after 429 and 500, and says what it waits for once that takes a second', async () => {
    await direct.team('Acme');
    await fail('listTeams', { kind: 'status', status: 500 }, 1);
    await fail('listTeams', asksToWait(2), 1);
    const { exitCode, stdout, stderr, requests } = await list('--fields', 'name');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Acme\n' });
    expect(stderr).toBe(
      'The service asks for fewer requests (429); trying again in 1.0 s (attempt 3 of 4).\n',
    );
    expect(requests).toEqual(['createToken', 'listTeams', 'listTeams', 'listTeams']);
  });

  it.each<RetryAfter>([0, 'date'])('honours Retry-After as %s on the token call too', async (retryAfter) => {
    await fail('createToken', asksToWait(retryAfter), 1);
    await fail('listTeams', asksToWait(retryAfter), 1);
    const { exitCode, requests } = await list();
    expect(exitCode).toBe(0);
    expect(requests).toEqual(['createToken', 'createToken', 'listTeams', 'listTeams']);
  });

  it.each<[string, FaultEffect, number]>([
    ['500', { kind: 'status', status: 500 }, 8],
    ['429', asksToWait(0), 7],
    ['a reset', { kind: 'reset', when: 'after' }, 8],
    ['half an answer', { kind: 'truncate' }, 8],
    ['a page', { kind: 'body', bytes: '', type: 'text/html', status: 502 }, 8],
  ])('0 gives up a read at once after %s, with the exit code of the answer', async (_, effect, exit) => {
    await fail('listTeams', effect, 1);
    expect(await list('--retries', '0')).toMatchObject({ exitCode: exit, requests: once });
  });

  it('never waits beyond the budget of all attempts together', async () => {
    await fail('listTeams', asksToWait(121), 1);
    const { exitCode, stderr, requests } = await list('--retries', '20');
    expect(exitCode).toBe(7);
    expect(stderr).toContain('Retry-After 121');
    expect(requests).toEqual(once);
  });

  it('that is no number is refused before anything is sent', async () => {
    const server = await startScriptedServer();
    const { exitCode, stderr } = await getTeam(server, ['--retries', 'many', '--request-timeout', 'soon']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--retries');
    expect(stderr).toContain('--request-timeout');
    expect(server.seen).toEqual([]);
  });
});

describe('--request-timeout', () => {
  it('ends a request that is never answered, and names the option', async () => {
    const server = await startScriptedServer();
    server.on(route, 'silence');
    const { exitCode, stderr } = await getTeam(server, ['--request-timeout', '300ms', '--retries', '0']);
    expect(exitCode).toBe(8);
    expect(stderr).toContain('within 0.3 s');
    expect(stderr).toContain('--request-timeout 2m');
  });
});

describe('--max-rps', () => {
  it('spaces the requests of a command', async () => {
    const server = await startScriptedServer();
    const times: number[] = [];
    server.on(route, () => {
      times.push(performance.now());
      return times.length < 3 ? refusal(503, 'BUSY', 'later') : acme;
    });
    const fast = getTeam(server, ['--max-rps', '4']);
    expect((await fast).exitCode).toBe(0);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // A turn each 250 ms; what arrives a little late is followed sooner.
    for (const gap of gaps) expect(gap).toBeGreaterThan(200);
  });
});

it('names what gives the address where a service has moved', async () => {
  const server = await startScriptedServer();
  server.on(exchange, { status: 307, headers: { location: 'http://127.0.0.1:9/steal' } });
  const moved = await getTeam(server);
  expect(moved.exitCode).toBe(8);
  expect(moved.stderr).toContain('To use the address it points to, let BOTCTL_BASE_URL give it.');
});

describe('BOTCTL_OUTPUT, BOTCTL_RETRIES, BOTCTL_MAX_RPS, BOTCTL_REQUEST_TIMEOUT', () => {
  it('stand for the options of their names, which win', async () => {
    const server = await startScriptedServer();
    server.on(route, acme);
    const env = {
      BOTCTL_OUTPUT: 'json',
      BOTCTL_RETRIES: '0',
      BOTCTL_MAX_RPS: '50',
      BOTCTL_REQUEST_TIMEOUT: '',
    };
    expect(JSON.parse((await getTeam(server, [], { env })).stdout)).toMatchObject({ name: 'Acme' });
    expect((await getTeam(server, ['-o', 'id'], { env })).stdout).not.toContain('{');
    server.on(route, refusal(503, 'BUSY', 'later'));
    const seen = server.seenAt(route).length;
    const refused = await getTeam(server, [], { env });
    expect(server.seenAt(route).length - seen).toBe(1);
    // Who wants JSON wants it of failures too.
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { exit: 8 } });
  });

  it('give up on a request as --request-timeout does', async () => {
    const server = await startScriptedServer();
    server.on(route, 'silence');
    const env = { BOTCTL_REQUEST_TIMEOUT: '200ms', BOTCTL_RETRIES: '0' };
    const { exitCode, stderr } = await getTeam(server, [], { env });
    expect(exitCode).toBe(8);
    expect(stderr).toContain('within 0.2 s');
  });

  it('are named where their value can’t be used: exit 2, nothing asked of the service', async () => {
    const server = await startScriptedServer();
    for (const [name, value] of [
      ['BOTCTL_OUTPUT', 'jason'],
      ['BOTCTL_RETRIES', 'many'],
      ['BOTCTL_MAX_RPS', '0'],
      ['BOTCTL_REQUEST_TIMEOUT', 'soon'],
    ] as const) {
      const { exitCode, stderr } = await getTeam(server, [], { env: { [name]: value } });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`${name} must be`);
    }
    expect(server.seen).toEqual([]);
  });
});

describe('--ca-file', () => {
  it('trusts a certificate that is refused without it', async () => {
    const server = await startScriptedServer({ tls: true });
    server.on(route, acme);
    const refused = await getTeam(server);
    expect(refused.exitCode).toBe(8);
    expect(refused.stderr).toContain('--ca-file FILE');
    expect((await getTeam(server, ['--ca-file', certificateFile])).exitCode).toBe(0);
  });

  it('goes together with a proxy, with and without a password', async () => {
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

  it('is not needed where NODE_EXTRA_CA_CERTS names the authority beside another file', async () => {
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
  it('is what plain http beyond this machine takes', async () => {
    const server = await startScriptedServer();
    server.on(route, acme);
    const proxy = await startTestProxy({ to: server.port });
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const refused = await getTeam('http://service.test', [], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--insecure-http');
    expect(proxy.asked).toEqual([]);
    expect((await getTeam('http://service.test', ['--insecure-http'], { env })).exitCode).toBe(0);
  });
});

describe('a command', () => {
  it('is ended by Ctrl-C at once, while a request is in flight or waits', async () => {
    for (const reaction of ['silence', busy('60')] as const) {
      const abort = new AbortController();
      const server = await startScriptedServer();
      server.on(route, reaction);
      const begun = performance.now();
      const said: string[] = [];
      const running = getTeam(server, [], { signal: abort.signal, onError: (text) => said.push(text) });
      await eventually(() =>
        reaction === 'silence' ? server.seenAt(route).length > 0 : said.join('').includes('trying again'),
      );
      abort.abort(new Failure('interrupted', 'Interrupted.'));
      expect((await running).exitCode).toBe(130);
      // Neither the minute that was asked for, nor the half a minute of a request.
      expect(performance.now() - begun).toBeLessThan(10_000);
    }
  });

  it('reports a page with its status and first words', async () => {
    const server = await startScriptedServer();
    server.on(route, { body: '<title>Please\u001b[31m sign in</title>' });
    const { exitCode, stderr } = await getTeam(server);
    expect(exitCode).toBe(8);
    expect(stderr).toContain(
      'status 200 and something that isn\'t the API\'s: "<title>Please [31m sign in</title>"',
    );
  });

  it('does not take the token to another host', async () => {
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
  ])('%s says to check the address, and not to ask whoami', async (_, address, words) => {
    const { exitCode, stderr } = await botctl(
      ['login', '--base-url', address, '--key-id', 'k', '--key-secret-stdin', '--retries', '0'],
      { stdin: keySecret },
    );
    expect(exitCode).toBe(8);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/with the right one: botctl login --base-url URL|try again/);
    expect(stderr).not.toContain('whoami');
  });

  it('does not take a refused token call for a key that works', async () => {
    const server = await startScriptedServer();
    server.on(exchange, refusal(400, 'BAD_REQUEST', 'key_id is wrong'));
    const args = ['login', '--base-url', server.url, '--key-id', 'k', '--key-secret-stdin'];
    expect((await botctl(args, { stdin: keySecret })).exitCode).toBe(6);
  });
});

describe('--debug', () => {
  it('shows every request of an upload, with its form, and no secret', async () => {
    const server = await startScriptedServer();
    const echo = `you said ${keySecret} and token-number-1`;
    server.on(
      'POST /api/openapi/v1/documents',
      refusal(429, 'RATE_LIMITED', echo),
      success({ id, name: 'menu.txt', note: echo }),
    );
    const file = join(temporaryDirectory(), 'menu.txt');
    writeFileSync(file, 'soup');
    const { exitCode, stderr } = await botctl(['docs', 'upload', file, '--team', id, '--debug'], {
      env: environment(server.url),
    });
    expect(exitCode).toBe(0);
    const lines = stderr.split('\n');
    expect(lines[0]).toBe(
      `→ POST ${server.url}/api/openapi/auth/token {"key_id":"key-1","key_secret":"••••••••"}`,
    );
    expect(stderr).toContain(
      `/api/openapi/v1/documents (a form with the file ${file}) {"team_id":"${id}","chars":4,"file":{"name":"menu.txt","type":"text/plain"}}`,
    );
    expect(stderr).toMatch(/← 429 after \d+ ms \{"success":false/);
    expect(stderr).toMatch(/waiting \d\.\d s before attempt 2: The service asks for fewer requests \(429\)/);
    expect(stderr).not.toContain(keySecret);
    expect(stderr).not.toContain('token-number-1');
  });

  it('masks a secret before it cuts a body or a sentence, so that no half of it shows', async () => {
    const server = await startScriptedServer();
    // The cuts are after 80 and 2000 characters.
    for (const before of [75, 1990]) {
      server.on(route, { body: `${'x'.repeat(before)}${keySecret}` });
      const { stderr } = await getTeam(server, ['--debug']);
      expect(stderr).not.toContain(keySecret.slice(0, 4));
    }
  });
});
