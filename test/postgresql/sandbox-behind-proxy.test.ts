import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createKeyIn } from '../../src/sandbox/key-in-database.ts';
import type { AnySandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { teamBody } from '../sandbox/samples.ts';
import { createDatabase } from '../support/database-server.ts';
import { listen } from '../support/scripted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// A server of its own is the proxy.

/** What the help topic has nginx do. */
function nginx() {
  const page = readFileSync(join(import.meta.dirname, '../../src/cli/help/topics/operating.md'), 'utf8');
  const lines = /```nginx \S+\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const all = (pattern: RegExp): readonly (readonly string[])[] =>
    [...lines.matchAll(pattern)].map(([, ...found]) => found);
  return {
    servers: all(/^ {2}server (\S+);/gm).flat(),
    location: all(/location (\S+) \{/g).flat()[0],
    headers: all(/proxy_set_header (\S+) (\S+);/g),
    tries: all(/proxy_next_upstream (.*);/g)
      .flat()[0]
      ?.split(' '),
  };
}

/** Starts a proxy that does so before services, in turns. Returns its port. */
async function startNginx(services: readonly string[]): Promise<number> {
  const { location = '', headers, servers, tries } = nginx();
  expect(servers).toHaveLength(services.length);
  let next = 0;
  const server = createServer((asked, answer) => {
    if (!asked.url?.startsWith(location)) return void answer.writeHead(404).end();
    const values: Record<string, string> = {
      $http_host: asked.headers.host ?? '',
      $scheme: 'https',
      '""': '',
    };
    const set = headers.map(([name = '', value = '']) => [name.toLowerCase(), values[value] ?? value]);
    const sent = { ...asked.headers, ...Object.fromEntries(set.filter(([, value]) => value !== '')) };
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      const pass = (left: number): void => {
        next = (next + 1) % services.length;
        const onward = request(
          `${services[next]}${asked.url}`,
          { method: asked.method, headers: sent },
          (reply) => {
            answer.writeHead(reply.statusCode ?? 500, reply.headers);
            reply.pipe(answer);
          },
        );
        onward.on('error', () =>
          tries?.includes('error') && left > 0 ? pass(left - 1) : answer.writeHead(502).end(),
        );
        onward.end(Buffer.concat(chunks));
      };
      pass(services.length - 1);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe('two sandboxes behind the proxy of the help topic', () => {
  it('are one service, which goes on with the other one where one ends', async () => {
    const database = await createDatabase();
    closers.push(database.drop);
    const home = temporaryDirectory();
    const server = { url: new URL(database.url), files: join(home, 'files') };
    const { key_id, key_secret } = await createKeyIn(server, { name: 'team' });
    const start = async (data: string): Promise<AnySandbox> => {
      const options = { host: '127.1', port: 0, behindProxy: true, phone: 'manual' as const, server };
      const sandbox = await startSandbox({ ...options, drainDelay: 0, data: join(home, data) });
      closers.push(sandbox.stop);
      return sandbox;
    };
    const [one, other] = [await start('one'), await start('other')];
    const port = await startNginx([one.baseUrl, other.baseUrl]);
    const call = async (path: string, body?: unknown, token?: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    };
    const { access_token: token } = (await call('/api/openapi/auth/token', { key_id, key_secret })).body.data;
    const teams = '/api/openapi/v1/teams';
    const { team } = (await call(teams, teamBody(), token)).body.data;
    const bot = (await call('/api/openapi/v1/bots', { team_id: team.id, name: 'Desk' }, token)).body.data;
    const device = { team_id: team.id, bot_id: bot.id, name: 'Till' };
    const made = await call('/api/openapi/v1/devices', device, token);
    expect(made.body.data.pool_url).toBe(`https://127.0.0.1:${port}`);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await call(path)).status).toBe(404);
    await one.stop();
    for (let round = 0; round < 4; round += 1) {
      expect(await call(teams, teamBody(), token)).toMatchObject({ status: 200 });
      expect((await call(teams, undefined, token)).body.meta.total).toBe(round + 2);
    }
  });
});
