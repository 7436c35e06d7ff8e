import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { teamBody } from '../sandbox/samples.ts';
import { createDatabase } from '../support/database-server.ts';
import { ask, authorization, startOwn } from '../support/own-sandbox.ts';
import { startRelay } from '../support/relay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function start(url: string, options: Parameters<typeof startOwn>[0] = {}): Promise<Sandbox> {
  const whole = new URL(url);
  const password = new Secret(passwordIn(whole) ?? '');
  const server = { url: withoutPassword(whole), password, files: join(temporaryDirectory(), 'files') };
  return startOwn({ ...options, server });
}

const teams = '/api/openapi/v1/teams';

describe('a long transaction on the rows of a sandbox', () => {
  it('does not delay the start of another one', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    await (await start(database.url)).stop();
    onTestFinished(await database.hold('update users set email = email'));
    expect(await ask(await start(database.url), '/readyz')).toBe('200 ready');
  });
});

describe('a database that becomes unavailable', () => {
  const relayed = async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const url = new URL(database.url);
    const relay = await startRelay({ hostname: url.hostname, port: url.port || '5432' });
    url.host = `127.0.0.1:${relay.port}`;
    return { relay, url: url.href };
  };
  const behindRelay = async () => {
    const { relay, url } = await relayed();
    const told: unknown[] = [];
    const sandbox = await start(url, {
      onError: (error) => told.push(error),
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
      error: expect.stringContaining('database'),
    },
  };

  it('is reported as INTERNAL_ERROR, and the service recovers with it', async () => {
    const { relay, sandbox, call, told } = await behindRelay();
    // Opens several sessions.
    await Promise.all([1, 2, 3, 4].map(() => call('GET')));
    relay.cut();
    expect(await ask(sandbox, '/readyz')).toBe('503 away');
    expect(await ask(sandbox, '/healthz')).toBe('200 ok');
    expect(await call('GET')).toEqual(away);
    expect(await call('POST', teamBody())).toEqual(away);
    await expect(callControl(sandbox.control, '/status', {})).rejects.toMatchObject({
      exitCode: 8,
    });
    expect(told).toHaveLength(2);
    relay.mend();
    expect(await ask(sandbox, '/readyz')).toBe('200 ready');
    for (const answer of await Promise.all([1, 2, 3, 4].map(() => call('GET'))))
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
  });

  it('ends a start with exit code 8', async () => {
    const { relay, url } = await relayed();
    relay.cutAt('shares_emails');
    await expect(start(url)).rejects.toMatchObject({
      exitCode: 8,
    });
  });

  it('loses nothing acknowledged: an uncommitted create is answered with an error', async () => {
    const { relay, call } = await behindRelay();
    relay.cutAt('commit');
    expect(await call('POST', teamBody())).toEqual(away);
    relay.mend();
    const answer = await call('GET');
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: [] } });
  });
});
