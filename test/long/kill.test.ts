import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openStore } from '../../src/sandbox/store/open.ts';
import { type Running, start } from '../support/process.ts';

const rounds = 20;
const writers = 4;

const firstLine = z.object({ base_url: z.url(), key_id: z.string(), key_secret: z.string() });
const tokenAnswer = z.object({ data: z.object({ access_token: z.string() }) });
const createdAnswer = z.object({ data: z.object({ team: z.object({ id: z.string() }) }) });
const listAnswer = z.object({
  data: z.array(z.object({ id: z.string() })),
  meta: z.object({ totalPages: z.int() }),
});

let home: string;
let data: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-kill-'));
  data = join(home, 'data');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A sandbox process of the data directory, and a caller that is signed in. */
interface Service {
  readonly running: Running;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
}

async function startService(): Promise<Service> {
  const running = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', data]);
  const { base_url, key_id, key_secret } = z.parse(firstLine, JSON.parse(await running.firstLine()));
  let authorization = '';
  const call: Service['call'] = async (method, path, body) => {
    const response = await fetch(`${base_url}/api/openapi${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(200);
    return answer;
  };
  const { data: token } = z.parse(tokenAnswer, await call('POST', '/auth/token', { key_id, key_secret }));
  authorization = `Bearer ${token.access_token}`;
  return { running, call };
}

/** Creates one team after the other until the service is gone. Tells of each that was acknowledged. */
async function write(
  { running, call }: Service,
  name: string,
  onCreated: (id: string) => void,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const body = {
      user: { name, email: `${name}-${count}@team.example`, phone: '+5511999990000' },
      team: { name: `${name} ${count}`, plan_name: 'starter' },
    };
    let answer: unknown;
    try {
      answer = await call('POST', '/v1/teams', body);
    } catch (error) {
      if (running.process.killed && error instanceof TypeError) return;
      throw error;
    }
    onCreated(z.parse(createdAnswer, answer).data.team.id);
  }
}

async function listTeams({ call }: Service): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data: teams, meta } = z.parse(listAnswer, await call('GET', `/v1/teams?page=${page}&limit=100`));
    for (const { id } of teams) ids.add(id);
    pages = meta.totalPages;
  }
  return ids;
}

it(`loses no acknowledged team in ${rounds} kills under writes, and leaves none without its user`, async () => {
  const acknowledged = new Set<string>();
  const missing = async (service: Service): Promise<readonly string[]> => {
    const there = await listTeams(service);
    return [...acknowledged].filter((id) => !there.has(id));
  };

  for (let round = 0; round < rounds; round += 1) {
    const service = await startService();
    expect(await missing(service)).toEqual([]);
    const before = acknowledged.size;
    const writing = Array.from({ length: writers }, (_, writer) =>
      write(service, `round-${round}-writer-${writer}`, (id) => acknowledged.add(id)),
    );
    await expect.poll(() => acknowledged.size, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before);
    await sleep(Math.random() * 1000);
    service.running.process.kill('SIGKILL');
    await Promise.all(writing);
    expect(await service.running.ended).toBe('SIGKILL');
  }

  const last = await startService();
  expect(await missing(last)).toEqual([]);
  last.running.process.kill('SIGINT');
  expect(await last.running.ended).toBe(0);

  const store = await openStore(data);
  const { db } = store;
  const teams = await db.selectFrom('teams').select('id').execute();
  const users = await db.selectFrom('users').select('team_id').execute();
  await store.close();
  expect(users.map((user) => user.team_id).sort()).toEqual(teams.map((team) => team.id).sort());
  expect(teams.length).toBeGreaterThanOrEqual(acknowledged.size);
  process.stdout.write(
    `${rounds} kills: ${acknowledged.size} teams acknowledged, ${teams.length} there, none lost.\n`,
  );
});

it('leaves a data directory that opens, whenever the first start is killed', async () => {
  for (let round = 0; round < 10; round += 1) {
    const fresh = join(home, `fresh-${round}`);
    const first = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', fresh]);
    await sleep(Math.random() * 1500);
    first.process.kill('SIGKILL');
    await first.ended;
    const second = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', fresh]);
    z.parse(firstLine, JSON.parse(await second.firstLine()));
    second.process.kill('SIGINT');
    expect(await second.ended).toBe(0);
  }
});
