import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seed } from '../../src/sandbox/control/client.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { createTeam } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

describe('seeding', () => {
  it('fills the lists', async () => {
    const made = await seed(sandbox.control, { teams: 30, bots: 120, documents: 90 });
    expect(made).toEqual({ teams: 30, bots: 120, documents: 90 });
    const teams = await api.ok('listTeams', { query: { limit: 100 } });
    expect(teams.meta.total).toBe(30);
    expect(new Set(teams.data.map(({ name }) => name)).size).toBe(30);
    expect(teams.data.some(({ name }) => /\p{Script=Arabic}/u.test(name))).toBe(true);
    expect(teams.data.some(({ name }) => /\p{Script=Han}/u.test(name))).toBe(true);
    const { bots, pagination } = (await api.ok('listBots', { query: { limit: 100 } })).data;
    expect(pagination.total).toBe(120);
    expect(new Set(bots.map(({ team_id }) => team_id)).size).toBe(30);
    expect((await api.ok('listDocuments', {})).meta.total).toBe(90);
  });

  it('gives some bots a document of their team', async () => {
    await seed(sandbox.control, { teams: 2, bots: 6, documents: 4 });
    const { bots } = (await api.ok('listBots', {})).data;
    const details = await Promise.all(
      bots.map(async ({ id }) => (await api.ok('getBot', { path: { id } })).data),
    );
    const informed = details.filter(({ documents }) => documents.length > 0);
    expect(informed).toHaveLength(2);
    for (const { team_id, vector_id, documents } of informed) {
      expect(vector_id).toMatch(/^vs_/);
      const document = await api.ok('getDocument', { path: { id: documents[0]?.document_id ?? '' } });
      expect(document.data.team_id).toBe(team_id);
    }
    expect(details.filter(({ vector_id }) => vector_id === null)).toHaveLength(4);
  });

  it('writes the files of the documents', async () => {
    await seed(sandbox.control, { teams: 1, bots: 0, documents: 12 });
    const { data } = await api.ok('listDocuments', {});
    const files = readdirSync(join(sandbox.data, 'files'), { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile())).toHaveLength(12);
    for (const { file_url, size } of data) {
      expect(readFileSync(join(sandbox.data, 'files', file_url))).toHaveLength(size);
    }
  });

  it('spreads over the teams there are, where it makes none', async () => {
    const team = await createTeam(api);
    await seed(sandbox.control, { teams: 0, bots: 2, documents: 2 });
    const { bots } = (await api.ok('listBots', {})).data;
    expect(bots.map(({ team_id }) => team_id)).toEqual([team.id, team.id]);
  });

  it('refuses bots without any team', async () => {
    await expect(seed(sandbox.control, { teams: 0, bots: 1, documents: 0 })).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    expect((await api.ok('listBots', {})).data.bots).toEqual([]);
  });

  it('can be done again', async () => {
    await seed(sandbox.control, { teams: 13, bots: 0, documents: 0 });
    await seed(sandbox.control, { teams: 13, bots: 0, documents: 0 });
    expect((await api.ok('listTeams', {})).meta.total).toBe(26);
  });

  it('makes thousands of rows in one go', async () => {
    const made = await seed(sandbox.control, { teams: 1500, bots: 2500, documents: 0 });
    expect(made).toMatchObject({ teams: 1500, bots: 2500 });
    expect((await api.ok('listBots', { query: { page: 25, limit: 100 } })).data.bots).toHaveLength(100);
  });
});
