import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PagesInput } from '../../src/client/api.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { type SeenRequest, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';

// A scripted server counts how many requests are open at once, which the sandbox's log does not show.

const route = 'GET /api/openapi/v1/teams';

interface Answering {
  /** Whether the service returns totals of rows and pages; `rows`: only that of rows. */
  readonly tellsTotals?: boolean | 'rows';
  /** Milliseconds until each page is answered. */
  readonly delays?: readonly number[];
  /** A page that is refused. */
  readonly refuses?: number;
}

/** A service of teams that counts how many requests are open at once. */
async function service(count: number, { tellsTotals = true, delays = [0], refuses }: Answering = {}) {
  const server = await startScriptedServer();
  const state = { open: 0, most: 0, pages: [] as number[], given: 0 };
  server.on(route, async ({ path }: SeenRequest, response) => {
    const query = new URL(path, server.url).searchParams;
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    state.pages.push(page);
    state.open += 1;
    state.most = Math.max(state.most, state.open);
    response.once('close', () => {
      state.open -= 1;
      if (!response.writableFinished) state.given += 1;
    });
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    // Skips an answer that no client waits for any more.
    await sleep(delays[page % delays.length], undefined, { signal: closed.signal }).catch(() => undefined);
    if (page === refuses) return { status: 400, body: { success: false, error: 'no', code: 'BAD_REQUEST' } };
    const begin = (page - 1) * limit;
    const rows = Array.from({ length: Math.max(Math.min(limit, count - begin), 0) }, (_, at) => ({
      id: `id-${begin + at}`,
    }));
    if (tellsTotals === 'rows') return success(rows, { total: count });
    const totals = tellsTotals ? { total: count, totalPages: Math.ceil(count / limit) } : {};
    return success(rows, { page, limit, ...totals });
  });
  const { api } = openTestApi(server.url, { retries: 0, onDebug: undefined });
  return { api, state };
}

async function idsOf(
  api: Awaited<ReturnType<typeof service>>['api'],
  input: PagesInput<'listTeams'>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { rows } of api.pages('listTeams', input)) ids.push(...rows.map(({ id }) => id));
  return ids;
}

describe('prefetched pages', () => {
  it('return the same rows in the same order, and never exceed the allowed concurrent requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.integer({ min: 0, max: 60 }),
          perPage: fc.integer({ min: 1, max: 9 }),
          prefetch: fc.integer({ min: 0, max: 4 }),
          tellsTotals: fc.boolean(),
          delays: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
        }),
        async ({ count, perPage, prefetch, ...answering }) => {
          const { api, state } = await service(count, answering);
          const expected = Array.from({ length: count }, (_, at) => `id-${at}`);
          expect(await idsOf(api, { perPage, prefetch })).toEqual(expected);
          expect(state.most).toBeLessThanOrEqual(Math.max(prefetch, 1));
          const pages = Math.max(Math.ceil(count / perPage), 1);
          // Without totals, the client requests pages that don't exist.
          expect(state.pages.length).toBeLessThanOrEqual(
            answering.tellsTotals ? pages : pages + 1 + prefetch,
          );
          expect([...new Set(state.pages)]).toHaveLength(state.pages.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('wait for the first one, which has the total', async () => {
    const { api, state } = await service(50);
    for await (const { page } of api.pages('listTeams', { perPage: 10, prefetch: 4 })) {
      if (page === 1) expect(state.pages).toEqual([1]);
    }
    expect(state.pages.toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(state.most).toBeGreaterThan(1);
  });

  it.each([50, 45])('do not go beyond the last of %i rows if only the total is reported', async (count) => {
    const { api, state } = await service(count, { tellsTotals: 'rows' });
    expect(await idsOf(api, { perPage: 10, prefetch: 4 })).toHaveLength(count);
    expect(state.pages.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it('stop after a short page of a service that reports no totals', async () => {
    const { api, state } = await service(7, { tellsTotals: false });
    expect(await idsOf(api, { perPage: 10, prefetch: 4 })).toHaveLength(7);
    expect(state.pages).toEqual([1, 2]);
  });

  it('end at the given last page', async () => {
    const { api, state } = await service(100);
    for await (const { page } of api.pages('listTeams', { perPage: 10, prefetch: 4, prefetchUntil: 3 })) {
      if (page === 3) break;
    }
    expect(state.pages.toSorted()).toEqual([1, 2, 3]);
  });

  it('are aborted when the reader stops, and no more are requested', async () => {
    // The fourth page would arrive after the test's timeout.
    const { api, state } = await service(1000, { delays: [0, 0, 0, 0, 60_000] });
    for await (const { page } of api.pages('listTeams', { perPage: 10, prefetch: 4 })) {
      if (page !== 3) continue;
      await eventually(() => state.pages.includes(4));
      break;
    }
    await eventually(() => state.open === 0);
    expect(state.given).toBeGreaterThan(0);
    // Four ahead of the third: some were in flight when reading stopped, and none was sent afterwards.
    expect(Math.max(...state.pages)).toBeLessThanOrEqual(7);
  });

  it('are aborted by the signal', async () => {
    const abort = new AbortController();
    // The third page would arrive after the test's timeout.
    const { api, state } = await service(1000, { delays: [0, 0, 0, 60_000] });
    const reading = async (): Promise<void> => {
      for await (const { page } of api.pages('listTeams', {
        perPage: 10,
        prefetch: 4,
        signal: abort.signal,
      })) {
        if (page === 2) setImmediate(() => abort.abort(new Error('enough')));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    await eventually(() => state.open === 0);
  });

  it('fail in their place, after the rows before them', async () => {
    const { api } = await service(100, { refuses: 4, delays: [0, 5, 5, 0] });
    const ids: string[] = [];
    const failed = await failureOf(
      (async () => {
        for await (const { rows } of api.pages('listTeams', { perPage: 10, prefetch: 4 })) {
          ids.push(...rows.map(({ id }) => id));
        }
      })(),
    );
    expect(failed.kind).toBe('rejected');
    expect(ids).toHaveLength(30);
  });
});
