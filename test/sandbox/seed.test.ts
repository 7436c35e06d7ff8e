import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { bytesFrom, uuidFrom } from '../../src/sandbox/derived-bytes.ts';
import { anyCharacter } from '../support/any-character.ts';
import { contentsOf, type SandboxContents } from '../support/contents.ts';
import { type UsedSandbox, useSandbox } from '../support/sandbox.ts';
import { createTestApi, type TestApi } from './api.ts';
import { createTeam } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

describe('seeding', () => {
  it('creates the given number of teams, bots and documents, with names in several scripts', async () => {
    const made = await callControl(sandbox.control, '/seed', { teams: 30, bots: 120, documents: 90 });
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

  it('links some bots to a document of their team', async () => {
    await callControl(sandbox.control, '/seed', { teams: 2, bots: 6, documents: 4 });
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
    await callControl(sandbox.control, '/seed', { teams: 1, bots: 0, documents: 12 });
    const { data } = await api.ok('listDocuments', {});
    const files = readdirSync(sandbox.files, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile())).toHaveLength(12);
    for (const { file_url, size } of data) {
      expect(readFileSync(join(sandbox.files, file_url))).toHaveLength(size);
    }
  });

  it('adds to existing teams if it creates none', async () => {
    const team = await createTeam(api);
    await callControl(sandbox.control, '/seed', { teams: 0, bots: 2, documents: 2 });
    const { bots } = (await api.ok('listBots', {})).data;
    expect(bots.map(({ team_id }) => team_id)).toEqual([team.id, team.id]);
  });

  it('refuses bots without any team', async () => {
    await expect(
      callControl(sandbox.control, '/seed', { teams: 0, bots: 1, documents: 0 }),
    ).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    expect((await api.ok('listBots', {})).data.bots).toEqual([]);
  });

  it('creates more rows at once than one insert takes', async () => {
    const [teams, bots] = [1100, 2500];
    const made = await callControl(sandbox.control, '/seed', { teams, bots, documents: 0 });
    expect(made).toMatchObject({ teams, bots });
    const { data } = await api.ok('listBots', { query: { page: bots / 100, limit: 100 } });
    expect(data.bots).toHaveLength(100);
    expect(data.pagination.total).toBe(bots);
  });
});

describe('seeding from a seed', () => {
  // Only sandboxes with different options are separate ones.
  const frozen = { machineTime: () => Date.parse('2026-03-01T12:00:00Z') };
  const one = useSandbox(frozen);
  const other = useSandbox({ ...frozen, phone: 'manual' });
  const oneApi = createTestApi(one);
  const otherApi = createTestApi(other);
  const counts = { teams: 3, bots: 30, documents: 14 };

  async function contentsAfter(
    { control, files }: UsedSandbox,
    by: TestApi,
    text: string,
  ): Promise<SandboxContents> {
    await callControl(control, '/reset', {});
    await callControl(control, '/seed', { ...counts, seed: text });
    return contentsOf(by, files);
  }

  it('leaves no document without its file if the sandbox is emptied meanwhile', async () => {
    for (let round = 0; round < 2; round += 1) {
      const made = callControl(sandbox.control, '/seed', { teams: 3, bots: 0, documents: 100 });
      await Promise.all([
        made,
        callControl(sandbox.control, '/reset', {}),
        callControl(sandbox.control, '/reset', {}),
      ]);
      const { data } = await api.ok('listDocuments', { query: { limit: 100 } });
      for (const { file_url, size } of data)
        expect(readFileSync(join(sandbox.files, file_url))).toHaveLength(size);
    }
  });

  /** PostgreSQL does not accept NUL in a text. */
  const isText = (text: string): boolean => !text.includes('\0');

  it('creates the same rows and files in each sandbox at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: anyCharacter }).filter(isText), async (text) => {
        const contents = await contentsAfter(one, oneApi, text);
        expect(contents.documents).toHaveLength(counts.documents);
        expect(await contentsAfter(other, otherApi, text)).toEqual(contents);
      }),
      { numRuns: 3 },
    );
  });

  it('creates other ids for another seed', async () => {
    await callControl(one.control, '/seed', { ...counts, seed: 'monday' });
    const monday = JSON.stringify(await contentsOf(oneApi, one.files));
    await callControl(one.control, '/seed', { ...counts, seed: 'Monday' });
    const both = JSON.stringify(await contentsOf(oneApi, one.files));
    const made = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b(?:asst_|file-|vs_)\w+/g;
    const ids = new Set(monday.match(made));
    expect(new Set(both.match(made)).size).toBe(2 * ids.size);
    // Every third bot has a vector store if its team has documents.
    expect(ids.size).toBe(3 + 30 * 2 + 14 * 2 + 10);
  });

  it('refuses to create its rows again, and changes nothing', async () => {
    await callControl(one.control, '/seed', { ...counts, seed: 'monday' });
    const before = await contentsOf(oneApi, one.files);
    for (const again of [
      counts,
      { ...counts, documents: 0 },
      { teams: 0, bots: 1, documents: 0 },
      { teams: 0, bots: 0, documents: 1 },
    ]) {
      await expect(callControl(one.control, '/seed', { ...again, seed: 'monday' })).rejects.toMatchObject({
        kind: 'invalidInput',
      });
    }
    expect(await contentsOf(oneApi, one.files)).toEqual(before);
  });

  it('creates rows of another kind later', async () => {
    await callControl(one.control, '/seed', { teams: 3, bots: 0, documents: 0, seed: 'monday' });
    await callControl(one.control, '/seed', { teams: 0, bots: 30, documents: 14, seed: 'monday' });
    const { bots } = (await oneApi.ok('listBots', {})).data;
    expect(new Set(bots.map(({ team_id }) => team_id)).size).toBe(3);
  });

  it('accepts any text except an empty one', async () => {
    await expect(callControl(one.control, '/seed', { ...counts, seed: '' })).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    const any = fc.string({
      minLength: 1,
      unit: fc.oneof(fc.constantFrom('\ud800', '\udc00'), anyCharacter),
    });
    const idFrom = (text: string) => uuidFrom(bytesFrom(text)('teams 0'));
    fc.assert(
      fc.property(any, any, (text, another) => {
        expect(idFrom(text)).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(idFrom(text) === idFrom(another)).toBe(text === another);
      }),
    );
    expect(idFrom('\ud800')).not.toBe(idFrom('\ud801'));
  });
});
