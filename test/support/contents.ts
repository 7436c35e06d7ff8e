import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataOf } from '../../src/contract/endpoints.ts';
import type { TestApi } from '../sandbox/api.ts';

/**
 * All data that the API returns from a sandbox with at most 100 objects of a kind, and the bytes of its documents as
 * base64.
 */
export interface SandboxContents {
  readonly teams: readonly DataOf<'getTeam'>[];
  readonly bots: readonly DataOf<'getBot'>[];
  readonly documents: readonly (DataOf<'listDocuments'>[number] & { readonly bytes: string })[];
}

/** Reads all data through the API. `files` is the directory of the uploaded files. */
export async function contentsOf(api: TestApi, files: string): Promise<SandboxContents> {
  const query = { limit: 100 };
  const teams = (await api.ok('listTeams', { query })).data;
  const { bots } = (await api.ok('listBots', { query })).data;
  const documents = (await api.ok('listDocuments', { query })).data;
  return {
    teams: await Promise.all(teams.map(async ({ id }) => (await api.ok('getTeam', { path: { id } })).data)),
    bots: await Promise.all(bots.map(async ({ id }) => (await api.ok('getBot', { path: { id } })).data)),
    documents: documents.map((document) => ({
      ...document,
      bytes: readFileSync(join(files, document.file_url), 'base64'),
    })),
  };
}
