import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Running, start } from '../support/process.ts';

const rounds = 20;
const writers = 4;
const home = mkdtempSync(join(tmpdir(), 'botctl-kill-'));
const data = join(home, 'data');

afterAll(() => rmSync(home, { recursive: true, force: true }));

const started = z.object({ base_url: z.string(), key_id: z.string(), key_secret: z.string() });
const tokenAnswer = z.object({ data: z.object({ access_token: z.string() }) });
const created = z.object({
  data: z.object({ team: z.object({ id: z.string() }), user: z.object({ id: z.string() }) }),
});
const listed = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string() })),
  meta: z.object({ totalPages: z.number() }),
});

interface Service {
  readonly running: Running;
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

async function open(): Promise<Service> {
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
  const { base_url, key_id, key_secret } = z.parse(started, JSON.parse(await running.firstLine()));
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${base_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { access_token } = z.parse(
    tokenAnswer,
    await (await post('/api/openapi/auth/token', { key_id, key_secret })).json(),
  ).data;
  const authorization = `Bearer ${access_token}`;
  return {
    running,
    async call(method, path, body) {
      const answer =
        method === 'POST'
          ? await post(`/api/openapi/v1${path}`, body, { authorization })
          : await fetch(`${base_url}/api/openapi/v1${path}`, { method, headers: { authorization } });
      return answer.json();
    },
  };
}

/** Creates teams one after the other until the service is gone. Gives those that were acknowledged. */
async function write(service: Service, label: string): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let count = 0; ; count += 1) {
    const name = `${label}-${count}`;
    const body = {
      user: { name: 'Admin', email: `${name}@kill.example`, phone: '+5511999990000' },
      team: { name, plan_name: 'pro' },
    };
    try {
      acknowledged.push(z.parse(created, await service.call('POST', '/teams', body)).data.team.id);
    } catch {
      return acknowledged;
    }
  }
}

async function allTeams(service: Service): Promise<ReadonlyMap<string, string>> {
  const teams = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { data, meta } = z.parse(listed, await service.call('GET', `/teams?page=${page}&limit=100`));
    for (const { id, name } of data) teams.set(id, name);
    if (page >= meta.totalPages) return teams;
  }
}

it(`loses no acknowledged team in ${rounds} kills under writes, and leaves none without its user`, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const service = await open();
    const writing = Array.from({ length: writers }, (_, writer) => write(service, `r${round}-w${writer}`));
    setTimeout(() => service.running.process.kill('SIGKILL'), 100 + Math.random() * 900);
    acknowledged.push(...(await Promise.all(writing)).flat());
    expect(await service.running.ended).toBe('SIGKILL');
  }
  expect(acknowledged.length).toBeGreaterThan(rounds);

  const service = await open();
  const teams = await allTeams(service);
  expect(acknowledged.filter((id) => !teams.has(id))).toEqual([]);
  // A team's user keeps its address: where the address is free, the user of that team is missing.
  for (const name of teams.values()) {
    const answer = await service.call('POST', '/teams', {
      user: { name: 'Again', email: `${name}@kill.example`, phone: '+5511999990000' },
      team: { name: `again-${name}`, plan_name: 'pro' },
    });
    expect(answer, `team ${name} has no user`).toMatchObject({ success: false, code: 'BAD_REQUEST' });
  }
  process.stdout.write(
    `${rounds} kills: ${acknowledged.length} acknowledged teams, none lost; ${teams.size} teams, each with its user.\n`,
  );
});
