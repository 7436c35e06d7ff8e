import { expect, it } from 'vitest';
import { ListReader } from '../../src/learn/list-reader.ts';
import { FakeClock } from '../support/fake-clock.ts';

it('stops when the responses are larger than the limit', async () => {
  const bytes = Buffer.from(JSON.stringify({ success: true, data: [{ id: 'x'.repeat(20 * 1024 ** 2) }] }));
  let requests = 0;
  const reading = new ListReader({
    api: {
      baseUrl: 'https://api.example.com',
      request: async () => {
        requests += 1;
        return { status: 200, headers: [], bytes, data: undefined, failure: undefined, settled: false };
      },
    },
    clock: new FakeClock({ now: 0 }),
    signal: new AbortController().signal,
    longestWait: 0,
    retries: 0,
    found: new Map(),
  });
  const readAll = async (): Promise<void> => {
    for (let page = 1; page <= 100; page += 1) await reading.list('listTeams', { page });
  };
  await expect(readAll()).rejects.toMatchObject({ cause: { limit: 'bytes' } });
  expect(requests).toBe(4);
  // An earlier answer is still returned.
  expect((await reading.list('listTeams', { page: 1 })).rows).toHaveLength(1);
});
