import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, issuePaths } from './api.ts';
import { createBot, createDevice, createDocument, createTeam } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const lookup = {
  name: 'Look up an order',
  description: 'Finds an order by its number',
  endpoint: 'https://shop.example/orders',
  method: 'POST',
  headers: { 'x-shop': 'acme', nested: { deep: [1, null] } },
  body: [
    { key: 'number', value: '17', type: 'string' },
    { key: 'limit', value: 1.5, type: 'number' },
    { key: 'open', value: false, type: 'boolean' },
  ],
} as const;

async function detail(id: string) {
  return (await api.ok('getBot', { path: { id } })).data;
}

describe('creating a bot', () => {
  it('needs a team and a name, and has defaults for the rest', async () => {
    const team = await createTeam(api);
    const bot = await createBot(api, team.id, { name: 'Front desk' });
    expect(bot).toMatchObject({
      team_id: team.id,
      name: 'Front desk',
      role: 'dynamic',
      description: '',
      instructions: '',
      temperature: 1,
      published: false,
      allow_human: false,
      vector_id: null,
    });
    expect(bot.provider_id).toMatch(/^asst_\w{24}$/);
    expect(await detail(bot.id)).toEqual({
      ...bot,
      use_audio_responses: false,
      allow_user_audio_requests: false,
      capture_payments: false,
      break_lines: false,
      questions: [],
      actions: [],
      documents: [],
    });
  });

  it('keeps every field', async () => {
    const team = await createTeam(api);
    const document = await createDocument(api, team.id);
    const fields = {
      name: 'Vendas ✨',
      role: 'sales',
      description: 'Sells',
      instructions: 'Be kind.\nBe brief.',
      temperature: 0.25,
      identification_name: 'Bia',
      questions: [{ question: 'Open?', answer: '9 to 17' }],
      allow_human: true,
      use_audio_responses: true,
      allow_user_audio_requests: true,
      capture_payments: true,
      break_lines: true,
    } as const;
    const bot = await createBot(api, team.id, {
      ...fields,
      questions: [...fields.questions],
      document_ids: [document.id],
      actions: [{ ...lookup, body: [...lookup.body] }],
    });
    expect(bot.vector_id).toMatch(/^vs_\w+$/);
    const found = await detail(bot.id);
    expect(found).toMatchObject(fields);
    expect(found.documents).toEqual([{ document_id: document.id, bot_id: bot.id }]);
    expect(found.actions).toEqual([{ id: expect.any(String), ...lookup }]);
  });

  it('keeps headers of any name, those of prototypes too', async () => {
    const { id: team_id } = await createTeam(api);
    const headers = JSON.parse('{"toString": {"__proto__": 1}, "__proto__": "a", "constructor": "b"}');
    const { id } = await createBot(api, team_id, { actions: [{ ...lookup, body: [], headers }] });
    const [made] = (await detail(id)).actions;
    expect(JSON.stringify(made?.headers)).toBe(JSON.stringify(headers));
    const body = { team_id, name: 'x', actions: [{ ...lookup, headers: ['x'] }] };
    expect(issuePaths(await api.refused('createBot', 'BAD_REQUEST', { body }))).toEqual([
      'actions.0.headers',
    ]);
  });

  it('generates the ids of actions', async () => {
    const { id: teamId } = await createTeam(api);
    const given = randomUUID();
    const action = { ...lookup, body: [] };
    const { id } = await createBot(api, teamId, { actions: [action, { ...action, id: given }] });
    const ids = (await detail(id)).actions.map((made) => made.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(given);
  });

  it('links a document once, however often it is named', async () => {
    const { id: teamId } = await createTeam(api);
    const document = await createDocument(api, teamId);
    const bot = await createBot(api, teamId, { document_ids: [document.id, document.id.toUpperCase()] });
    expect((await detail(bot.id)).documents).toHaveLength(1);
  });

  it.each([
    [{}, ['team_id', 'name']],
    [{ team_id: 'acme', name: '' }, ['team_id', 'name']],
    [{ team_id: randomUUID(), name: 'x', temperature: 2.5 }, ['temperature']],
    [{ team_id: randomUUID(), name: 'x', temperature: -0.1 }, ['temperature']],
    [{ team_id: randomUUID(), name: 'x', role: 'boss' }, ['role']],
    [{ team_id: randomUUID(), name: 'x', published: true, provider_id: 'x' }, ['published', 'provider_id']],
    [{ team_id: randomUUID(), name: 'x', allow_human: 'yes' }, ['allow_human']],
    [{ team_id: randomUUID(), name: 'x', document_ids: ['x'] }, ['document_ids.0']],
    [{ team_id: randomUUID(), name: 'x', questions: [{ question: 'Open?' }] }, ['questions.0.answer']],
    [{ team_id: randomUUID(), name: 'x', actions: [{ ...lookup, method: 'PATCH' }] }, ['actions.0.method']],
    [
      {
        team_id: randomUUID(),
        name: 'x',
        actions: [{ ...lookup, body: [{ key: 'a', value: {}, type: 'json' }] }],
      },
      ['actions.0.body.0.value', 'actions.0.body.0.type'],
    ],
  ])('refuses %j', async (body, paths) => {
    expect(issuePaths(await api.refused('createBot', 'BAD_REQUEST', { body }))).toEqual(paths);
  });

  it('refuses a team, or documents, that do not exist or belong to another team', async () => {
    const team = await createTeam(api);
    const other = await createTeam(api);
    const foreign = await createDocument(api, other.id);
    for (const body of [
      { team_id: randomUUID(), name: 'x' },
      { team_id: team.id, name: 'x', document_ids: [randomUUID()] },
      { team_id: team.id, name: 'x', document_ids: [foreign.id] },
    ]) {
      await api.refused('createBot', 'BAD_REQUEST', { body });
    }
    expect((await api.ok('listBots')).data.pagination.total).toBe(0);
  });

  it('enforces the quota of bots, also for concurrent requests', async () => {
    const create = async (team_id: string) =>
      (await api.send('POST', '/api/openapi/v1/bots', { body: JSON.stringify({ team_id, name: 'x' }) }))
        .status;
    let team_id = '';
    // A database server opens its sessions in the first round, and runs requests concurrently only after it.
    for (let round = 0; round < 6; round += 1) {
      ({ id: team_id } = await createTeam(api, { quotas: { bots: 2 } }));
      const answers = await Promise.all(Array.from({ length: 6 }, () => create(team_id)));
      expect(answers.toSorted()).toEqual([200, 200, 400, 400, 400, 400]);
    }
    const refusal = await api.refused('createBot', 'BAD_REQUEST', { body: { team_id, name: 'x' } });
    expect(refusal.error).toContain('quota');
  });
});

describe('listing bots', () => {
  it('pages inside data, and filters by team and part of the name', async () => {
    const one = await createTeam(api);
    const two = await createTeam(api);
    await createBot(api, one.id, { name: 'Front desk' });
    await createBot(api, one.id, { name: 'Sales' });
    await createBot(api, two.id, { name: 'FRONT door' });
    const names = async (query: Readonly<Record<string, string | number>>) =>
      (await api.ok('listBots', { query })).data.bots.map(({ name }) => name);
    expect(await names({})).toHaveLength(3);
    expect(await names({ team_id: one.id })).toEqual(['Front desk', 'Sales']);
    expect((await names({ name: 'front' })).toSorted()).toEqual(['FRONT door', 'Front desk']);
    expect(await names({ name: 'front', team_id: two.id })).toEqual(['FRONT door']);
    expect(await names({ team_id: randomUUID() })).toEqual([]);
    expect((await api.ok('listBots', { query: { limit: 2, page: 2 } })).data.pagination).toEqual({
      page: 2,
      limit: 2,
      total: 3,
      totalPages: 2,
    });
  });
});

describe('changing a bot', () => {
  it('unpublishes it, even if nothing else changes', async () => {
    const { id: teamId } = await createTeam(api);
    const bot = await createBot(api, teamId);
    for (const body of [{}, { name: 'New name' }]) {
      await callControl(sandbox.control, '/publish', { bot: bot.id });
      expect((await detail(bot.id)).published).toBe(true);
      sandbox.advance(1000);
      const { data } = await api.ok('updateBot', { path: { id: bot.id }, body });
      expect(data).toMatchObject({ ...body, published: false });
      expect(data.updated_at > bot.updated_at).toBe(true);
    }
  });

  it('leaves it published if the change is refused', async () => {
    const { id: teamId } = await createTeam(api);
    const { id } = await createBot(api, teamId);
    await callControl(sandbox.control, '/publish', { bot: id });
    await api.refused('updateBot', 'BAD_REQUEST', { path: { id }, body: { temperature: 3 } });
    await api.refused('updateBot', 'BAD_REQUEST', { path: { id }, body: { document_ids: [randomUUID()] } });
    expect((await detail(id)).published).toBe(true);
  });

  it('changes only the given fields', async () => {
    const { id: teamId } = await createTeam(api);
    const { id } = await createBot(api, teamId, { instructions: 'Be kind.', identification_name: 'Bia' });
    await api.ok('updateBot', { path: { id }, body: { temperature: 0, capture_payments: true } });
    expect(await detail(id)).toMatchObject({
      instructions: 'Be kind.',
      identification_name: 'Bia',
      temperature: 0,
      capture_payments: true,
    });
    await api.ok('updateBot', { path: { id }, body: { identification_name: null, instructions: '' } });
    const found = await detail(id);
    expect(found.instructions).toBe('');
    expect(found).not.toHaveProperty('identification_name');
  });

  it('replaces whole arrays, and keeps the ids of known actions, in either case', async () => {
    const { id: teamId } = await createTeam(api);
    const action = { ...lookup, body: [] };
    const { id } = await createBot(api, teamId, {
      actions: [action, { ...action, name: 'Second' }],
      questions: [{ question: 'a', answer: 'b' }],
    });
    const [first, second] = (await detail(id)).actions;
    await api.ok('updateBot', {
      path: { id },
      body: {
        questions: [],
        actions: [
          { ...action, id: second?.id.toUpperCase(), name: 'Second, renamed' },
          action,
          { ...action, id: second?.id },
        ],
      },
    });
    const found = await detail(id);
    expect(found.questions).toEqual([]);
    expect(found.actions.map(({ name }) => name)).toEqual(['Second, renamed', lookup.name, lookup.name]);
    const ids = found.actions.map((made) => made.id);
    expect(ids[0]).toBe(second?.id);
    expect(ids).not.toContain(first?.id);
    expect(new Set(ids).size).toBe(3);
  });

  it('creates the vector store with the first documents, and keeps it', async () => {
    const { id: teamId } = await createTeam(api);
    const one = await createDocument(api, teamId);
    const two = await createDocument(api, teamId);
    const { id } = await createBot(api, teamId);
    const change = async (document_ids: string[]) =>
      (await api.ok('updateBot', { path: { id }, body: { document_ids } })).data.vector_id;
    expect(await change([])).toBeNull();
    const vectorId = await change([one.id]);
    expect(vectorId).toMatch(/^vs_/);
    expect(await change([two.id, one.id])).toBe(vectorId);
    expect((await detail(id)).documents.map(({ document_id }) => document_id)).toEqual([two.id, one.id]);
    expect(await change([])).toBe(vectorId);
    expect((await detail(id)).documents).toEqual([]);
  });

  it('refuses to move it to another team', async () => {
    const { id: teamId } = await createTeam(api);
    const { id } = await createBot(api, teamId);
    const refusal = await api.refused('updateBot', 'BAD_REQUEST', {
      path: { id },
      body: { team_id: teamId },
    });
    expect(issuePaths(refusal)).toEqual(['team_id']);
  });
});

describe('deleting a bot', () => {
  it('deletes it with its document links, but not the documents', async () => {
    const { id: teamId } = await createTeam(api);
    const document = await createDocument(api, teamId);
    const { id } = await createBot(api, teamId, { document_ids: [document.id] });
    expect((await api.ok('deleteBot', { path: { id } })).data.message).toContain(id);
    await api.refused('getBot', 'NOT_FOUND', { path: { id } });
    await api.ok('getDocument', { path: { id: document.id } });
  });

  it('keeps a bot that a device is linked to', async () => {
    const { id: teamId } = await createTeam(api);
    const { id } = await createBot(api, teamId);
    const device = await createDevice(api, teamId, id);
    const refusal = await api.refused('deleteBot', 'BAD_REQUEST', { path: { id } });
    expect(refusal.details).toEqual({ device_ids: [device.id] });
    await detail(id);
  });

  it.each([randomUUID(), 'front-desk'])('does not find %s', async (id) => {
    await api.refused('getBot', 'NOT_FOUND', { path: { id } });
    await api.refused('updateBot', 'NOT_FOUND', { path: { id }, body: {} });
    await api.refused('deleteBot', 'NOT_FOUND', { path: { id } });
  });
});
