/**
 * One case of the bench, in a process of its own, so that neither side warms up the other and the peak of
 * memory is its own. Prints a `Sample` as JSON.
 *
 *     client-case.cjs core|undici list ORIGIN REQUESTS CONCURRENCY
 *     client-case.cjs core|undici upload ORIGIN FILE
 */
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { Api } from '../../src/client/api.ts';
import { openApi } from '../../src/client/open.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { wrongMember } from '../../src/contract/loose.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { explain } from '../../src/resources/call-failure.ts';
import { Secret } from '../../src/secrets/secret.ts';
import type { CachedToken, TokenCache } from '../../src/settings/tokens.ts';
import type { Sample } from './measure.ts';
import { timed } from './timed.ts';

/** What is measured of a client. */
interface Client {
  list(): Promise<unknown>;
  upload(file: string): Promise<unknown>;
  close(): Promise<void>;
}

const query = { page: 1, limit: 100 };
const teamId = '00000000-0000-4000-8000-000000000000';

/** The HTTP core as commands use it, with a token at hand. */
function openCore(origin: string): Client {
  const now = Date.now();
  const token: CachedToken = {
    token: new Secret('a-token-for-the-bench'),
    issuedAt: now,
    expiresAt: now + 86_400_000,
  };
  const tokens: TokenCache = {
    read: () => token,
    write: async () => undefined,
    remove: async () => undefined,
    exclusively: (_owner, work) => work(),
  };
  const api: Api = openApi({
    explain,
    identity: {
      baseUrl: origin,
      keyId: 'bench',
      keySecret: new Secret('a-secret-for-the-bench'),
      source: 'environment',
      profile: undefined,
    },
    clock: {
      ...systemClock,
      sleep: async () => {
        throw new Error('the core waited, so a request failed');
      },
    },
    tokens,
    env: {},
    signal: new AbortController().signal,
    onNote: () => undefined,
  });
  return {
    list: () => api.call('listTeams', { query }),
    upload: (file) =>
      api.call('createDocument', {
        body: { team_id: teamId, chars: 1 },
        file: { path: file, name: basename(file), type: 'text/plain' },
      }),
    close: () => api.close(),
  };
}

/** The yardstick: undici with its own timeouts, JSON.parse and the same look at the answer, and nothing around it. */
function openUndici(origin: string): Client {
  const agent = new Agent();
  const headers = { accept: 'application/json', authorization: 'Bearer a-token-for-the-bench' };
  return {
    async list() {
      const { body } = await request.call(agent, {
        origin,
        path: `${endpoints.listTeams.path}?page=${query.page}&limit=${query.limit}`,
        method: 'GET',
        headers,
      });
      const answer = JSON.parse(await body.text());
      if (wrongMember(endpoints.listTeams.data, answer.data)) throw new TypeError('no list');
      return answer;
    },
    async upload(file) {
      const { body } = await request.call(agent, {
        origin,
        path: endpoints.createDocument.path,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/octet-stream',
          'content-length': String(statSync(file).size),
        },
        body: createReadStream(file),
      });
      const { data } = JSON.parse(await body.text());
      if (wrongMember(endpoints.createDocument.data, data)) throw new TypeError('no document');
      return data;
    },
    close: () => agent.destroy(),
  };
}

/** Does work so many times, at most `concurrency` at once. */
async function repeat(work: () => Promise<unknown>, times: number, concurrency: number): Promise<void> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun < times) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function measure([side, what, origin = '', ...rest]: readonly string[]): Promise<Sample> {
  const client = side === 'core' ? openCore(origin) : openUndici(origin);
  try {
    if (what === 'upload') {
      const [file = ''] = rest;
      return await timed(() => client.upload(file));
    }
    const [requests, concurrency] = rest.map(Number);
    // The first call connects and prepares the parser, which a start-up case is for.
    await client.list();
    return await timed(() => repeat(client.list, requests ?? 1, concurrency ?? 1));
  } finally {
    await client.close();
  }
}

measure(process.argv.slice(2)).then(
  (sample) => process.stdout.write(`${JSON.stringify(sample)}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  },
);
