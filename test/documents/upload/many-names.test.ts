import { describe, expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';
import { type ScriptedServer, startScriptedServer, success } from '../../support/scripted-server.ts';

// A scripted server has thousands of documents at once, which the sandbox would take seconds to create, and stores the
// bodies that it received.

const teamId = '33333333-3333-4333-8333-333333333333';
const botId = '44444444-4444-4444-8444-444444444444';
const list = 'GET /api/openapi/v1/documents';
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/**
 * Starts a service with one bot, and a team with this many documents named `0.txt`, `1.txt` and so on, filtered and
 * paged.
 */
async function startService(count: number): Promise<ScriptedServer> {
  const server = await startScriptedServer();
  const documents = Array.from({ length: count }, (_, index) => ({
    id: idOf(index),
    name: `${index}.txt`,
    team_id: teamId,
  }));
  const bot = { id: botId, name: 'Front desk', team_id: teamId, published: false, documents: [] };
  server.on(`GET /api/openapi/v1/bots/${botId}`, success(bot));
  server.on(`PATCH /api/openapi/v1/bots/${botId}`, success(bot));
  server.on(`GET /api/openapi/v1/teams/${teamId}`, success({ id: teamId, name: 'Aurora' }));
  server.on(list, ({ path }) => {
    const query = new URL(path, server.url).searchParams;
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const found = documents.filter(({ name }) => name.includes(query.get('name') ?? ''));
    const meta = { page, limit, total: found.length, totalPages: Math.ceil(found.length / limit) };
    return success(found.slice((page - 1) * limit, page * limit), meta);
  });
  return server;
}

async function update(server: ScriptedServer, names: readonly string[], ...more: readonly string[]) {
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'the-secret-of-key-1',
  };
  const documents = names.flatMap((name) => ['--document', name]);
  const ran = await botctl(['bots', 'update', botId, ...documents, ...more], { env });
  const [patch] = server.seenAt(`PATCH /api/openapi/v1/bots/${botId}`);
  const sent: unknown = patch && JSON.parse(patch.body.toString());
  return { ...ran, sent };
}

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}.txt`);

describe('several documents by name', () => {
  it('are found in one list of their team', async () => {
    const server = await startService(300);
    const { sent, exitCode, stderr } = await update(server, [...names(299), idOf(299)]);
    expect(exitCode, stderr).toBe(0);
    expect(sent).toEqual({ document_ids: Array.from({ length: 300 }, (_, index) => idOf(index)) });
    expect(server.seenAt(list)).toHaveLength(3);
  });

  it('are looked up one by one if the list is longer', async () => {
    const server = await startService(5000);
    const { sent, exitCode, stderr } = await update(server, ['4000.txt', '4999.txt']);
    expect(exitCode, stderr).toBe(0);
    expect(sent).toEqual({ document_ids: [idOf(4000), idOf(4999)] });
    expect(server.seenAt(list)).toHaveLength(3);
  });

  it('are all reported if they are missing, and the list is read once', async () => {
    for (const [count, requests] of [
      [300, 3],
      [1000, 1 + 4 + 10],
    ] as const) {
      const server = await startService(count);
      const { exitCode, stderr } = await update(server, ['a.txt', 'b.txt', '7.text', '1.txt']);
      expect(exitCode).toBe(5);
      for (const name of ['a.txt', 'b.txt', '7.text']) expect(stderr).toContain(`"${name}"`);
      expect(server.seenAt(list)).toHaveLength(requests);
      expect(server.seenAt(`GET /api/openapi/v1/teams/${teamId}`)).toHaveLength(1);
    }
  });
});
