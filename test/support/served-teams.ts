import { expect } from 'vitest';
import * as z from 'zod/mini';
import { type Running, start } from './process.ts';

const firstLine = z.object({ base_url: z.url(), key_id: z.string(), key_secret: z.string() });
const tokenAnswer = z.object({ data: z.object({ access_token: z.string() }) });
const createdAnswer = z.object({ data: z.object({ team: z.object({ id: z.string() }) }) });
const listAnswer = z.object({
  data: z.array(z.object({ id: z.string() })),
  meta: z.object({ totalPages: z.int() }),
});

/** Any response of the API. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** A sandbox in its own process, and a signed-in caller. */
export interface Service {
  readonly running: Running;
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answered>;
  /** Makes a call that has to succeed, and returns its data. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
}

/** Starts a sandbox, which is killed with the test. */
export async function startService(args: readonly string[]): Promise<Service> {
  const running = start(['sandbox', 'start', '--port', '0', '-o', 'json', ...args]);
  const { base_url, key_id, key_secret } = z.parse(firstLine, JSON.parse(await running.firstLine()));
  let authorization = '';
  const send: Service['send'] = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${base_url}/api/openapi${path}`, {
      method,
      headers: { ...(!isForm && { 'content-type': 'application/json' }), authorization },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const call: Service['call'] = async (method, path, body) => {
    const answer = await send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const { data: token } = z.parse(tokenAnswer, await call('POST', '/auth/token', { key_id, key_secret }));
  authorization = `Bearer ${token.access_token}`;
  return { running, send, call };
}

/** Returns the body of a team. */
export function namedTeam(name: string, count = 0): unknown {
  return {
    user: { name, email: `${name}-${count}@team.example`, phone: '+5511999990000' },
    team: { name: `${name} ${count}`, plan_name: 'starter' },
  };
}

/**
 * Creates teams one after the other until the service is killed. Reports each acknowledged team, and waits for the
 * report.
 */
export async function writeTeams(
  { running, call }: Service,
  name: string,
  onCreated: (id: string) => unknown,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      const answer = await call('POST', '/v1/teams', namedTeam(name, count));
      await onCreated(z.parse(createdAnswer, answer).data.team.id);
    } catch (error) {
      if (running.process.killed && error instanceof TypeError) return;
      throw error;
    }
  }
}

/** Returns the ids of all teams. */
export async function listTeams({ call }: Service): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data: teams, meta } = z.parse(listAnswer, await call('GET', `/v1/teams?page=${page}&limit=100`));
    for (const { id } of teams) ids.add(id);
    pages = meta.totalPages;
  }
  return ids;
}
