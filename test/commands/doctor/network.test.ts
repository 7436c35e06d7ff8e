import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../../src/cli/create-context.ts';
import { parseGlobalOptions } from '../../../src/cli/global-options.ts';
import type { Finding } from '../../../src/commands/doctor/check.ts';
import { runChecks } from '../../../src/commands/doctor/run-checks.ts';
import { Redactor } from '../../../src/secrets/redactor.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { certificateFile } from '../../support/scripted-server.ts';
import { startTestProxy } from '../../support/test-proxy.ts';
import { doctor, environment, startSoundService } from './support.ts';

const sandbox = useSandbox();
const password = 'pass-word-42';

describe('a proxy', () => {
  it('is the host that is connected to, and the service’s name is not resolved locally', async () => {
    const to = Number(new URL(sandbox.baseUrl).port);
    const proxy = await startTestProxy({ to, credentials: `ana:${password}` });
    const env = {
      ...sandbox.env,
      BOTCTL_BASE_URL: 'http://service.test',
      HTTP_PROXY: `http://ana:${password}@127.0.0.1:${proxy.port}`,
    };
    const { exitCode, at, stdout, stderr } = await doctor(env, ['--insecure-http']);
    expect(exitCode, stderr).toBe(0);
    expect(at('proxy').found).toBe(
      `service.test is reached through http://127.0.0.1:${proxy.port} (HTTP_PROXY).`,
    );
    expect(at('dns').found).toContain('The proxy looks up service.test');
    expect(at('connection').found).toContain(`The proxy answers at 127.0.0.1 port ${proxy.port}`);
    expect(at('token').verdict).toBe('ok');
    expect(stdout + stderr).not.toContain(password);
  });

  it('lets TLS through, with its password', async () => {
    const server = await startSoundService({ tls: true });
    const proxy = await startTestProxy({ to: server.port, credentials: `ana:${password}` });
    const env = {
      ...environment('https://service.test'),
      HTTPS_PROXY: `http://ana:${password}@127.0.0.1:${proxy.port}`,
    };
    const { exitCode, at, stderr } = await doctor(env, ['--ca-file', certificateFile]);
    expect(exitCode, stderr).toBe(0);
    expect(at('tls')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('issued by localhost'),
    });
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT service.test:443']));
  });

  it.each([
    ['refuses', 'refuses to connect to https://service.test (403)'],
    ['hangs up', "doesn't answer"],
  ] as const)('that %s is broken: exit code 8', async (fails, words) => {
    const proxy = await startTestProxy({ to: 1, fails });
    const env = { ...environment('https://service.test'), HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
    const { exitCode, at } = await doctor(env);
    expect(exitCode).toBe(8);
    expect(at('tls')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining(words),
      remedy: expect.stringContaining('NO_PROXY=service.test'),
    });
  });

  it('that never responds is abandoned after --request-timeout', async () => {
    const proxy = await startTestProxy({ to: 1, fails: 'is silent' });
    const env = { ...environment('https://service.test'), HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
    const { exitCode, at } = await doctor(env, ['--request-timeout', '100ms']);
    expect(exitCode).toBe(8);
    expect(at('tls').verdict).toBe('broken');
  });

  it('that requires a password is reported as such', async () => {
    const proxy = await startTestProxy({ to: 1, credentials: 'ana:other' });
    const env = { ...environment('https://service.test'), HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
    expect((await doctor(env)).at('tls').found).toContain('requires a user name and a password');
  });

  it('with an unknown host name is broken at the look-up', async () => {
    const env = { ...environment('https://service.test'), HTTPS_PROXY: 'http://no-such-proxy.invalid:3128' };
    const { exitCode, at } = await doctor(env);
    expect(exitCode).toBe(8);
    expect(at('dns')).toMatchObject({
      verdict: 'broken',
      found: "The name of the proxy http://no-such-proxy.invalid:3128 can't be looked up.",
      remedy: expect.stringContaining('HTTPS_PROXY'),
    });
  });

  it('with an invalid address is broken: exit code 2', async () => {
    const env = { ...environment('https://service.test'), HTTPS_PROXY: 'socks5://127.0.0.1:1' };
    const { exitCode, at } = await doctor(env);
    expect(exitCode).toBe(2);
    expect(at('proxy')).toMatchObject({
      verdict: 'broken',
      remedy: expect.stringContaining('HTTPS_PROXY=http'),
    });
  });

  it('that does not apply, or is not read, is reported', async () => {
    const { env } = sandbox;
    const exempt = await doctor({ ...env, HTTP_PROXY: 'http://127.0.0.1:1' });
    expect(exempt.at('proxy').found).toContain('HTTP_PROXY does not apply');
    const unread = await doctor({ ...env, ALL_PROXY: 'http://127.0.0.1:1' });
    expect(unread.at('proxy')).toMatchObject({
      verdict: 'warning',
      remedy: 'If a proxy is needed: export HTTP_PROXY="$ALL_PROXY"',
    });
  });
});

describe('TLS', () => {
  it('with a self-signed certificate is refused as the client refuses it', async () => {
    const server = await startSoundService({ tls: true });
    const { exitCode, at } = await doctor(environment(server.url));
    expect(exitCode).toBe(8);
    expect(at('tls')).toMatchObject({
      verdict: 'broken',
      found: `The certificate of 127.0.0.1:${server.port} isn't trusted here (DEPTH_ZERO_SELF_SIGNED_CERT). It is self-signed, for localhost.`,
      remedy: expect.stringContaining('--ca-file FILE'),
    });
    expect(at('token').found).toBe('Skipped: first fix "tls".');
    expect(server.seen).toEqual([]);
  });

  it('with the right CA file is sound', async () => {
    const server = await startSoundService({ tls: true });
    const { exitCode, at } = await doctor(environment(server.url), ['--ca-file', certificateFile]);
    expect(exitCode).toBe(0);
    expect(at('ca file').found).toContain(certificateFile);
    expect(at('tls').found).toBe(
      'TLSv1.3; 1 certificate, issued by localhost, valid until 2120-01-01T00:00:00Z.',
    );
  });

  it('with a CA file without certificates is not tried: exit code 2', async () => {
    const server = await startSoundService({ tls: true });
    const file = join(temporaryDirectory(), 'ca.pem');
    writeFileSync(file, 'nothing');
    const { exitCode, at } = await doctor(environment(server.url), ['--ca-file', file]);
    expect(exitCode).toBe(2);
    expect(at('ca file')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('no certificate'),
    });
    expect(at('tls').found).toBe('Skipped: first fix "ca file".');
  });

  it('checks NODE_EXTRA_CA_CERTS, whose errors Node.js itself ignores', async () => {
    const { env } = sandbox;
    const sound = await doctor({ ...env, NODE_EXTRA_CA_CERTS: certificateFile });
    expect(sound.at('ca file').verdict).toBe('ok');
    const gone = await doctor({ ...env, NODE_EXTRA_CA_CERTS: '/no/such/file' });
    expect(gone.at('ca file').verdict).toBe('warning');
    expect(gone.exitCode).toBe(0);
  });

  it('that the server does not support is broken', async () => {
    const { exitCode, at } = await doctor(environment(sandbox.baseUrl.replace('http:', 'https:')));
    expect(exitCode).toBe(8);
    expect(at('tls').found).toContain('TLS handshake');
  });

  it('with a certificate that expires soon is a warning with the date', async () => {
    const server = await startSoundService({ tls: true });
    const found = await runChecksAt('2119-12-25T12:00:00Z', environment(server.url), [
      'caFile',
      certificateFile,
    ]);
    expect(found.get('tls')).toMatchObject({
      verdict: 'warning',
      found: `The certificate of 127.0.0.1:${server.port} expires in 6 days (2120-01-01T00:00:00Z).`,
    });
  });
});

/** Runs the checks at another time than now. */
async function runChecksAt(
  time: string,
  env: Record<string, string>,
  [name, value]: readonly [string, string],
): Promise<ReadonlyMap<string, Finding>> {
  const io = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: { ...env, BOTCTL_CONFIG_DIR: temporaryDirectory() },
    signal: new AbortController().signal,
  };
  const clock = new FakeClock({ now: Date.parse(time) });
  const options = parseGlobalOptions({ [name]: value }, io.env);
  const context = createContext(io, options, async () => 0, new Redactor(), clock);
  const found = new Map<string, Finding>();
  for await (const finding of runChecks(context)) found.set(finding.check, finding);
  return found;
}
