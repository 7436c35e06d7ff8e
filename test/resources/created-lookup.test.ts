import { expect, it } from 'vitest';
import { everyRow } from '../../src/resources/created-lookup.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';

const [team, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

// The sandbox filters by team correctly, so a scripted service is needed.
it('finds a created object in the whole list if the filter by team hides rows', async () => {
  const server = await startScriptedServer();
  const rows = [team, other].map((team_id, at) => {
    return { id: `00000000-0000-4000-8000-00000000000${at}`, name: 'menu.txt', team_id };
  });
  server.on('GET /api/openapi/v1/documents', ({ path }) => {
    const meta = { page: 1, limit: 100, total: rows.length, totalPages: 1 };
    return success(new URL(path, server.url).searchParams.has('team_id') ? [] : rows, meta);
  });
  const { signal } = new AbortController();
  const { api } = openTestApi(server.url, { retries: 0 });
  expect(await everyRow({ api, signal }, 'document', team)).toMatchObject([rows[0]]);
});
