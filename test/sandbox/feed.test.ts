import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TakenMessages } from '../../src/sandbox/accepted-messages.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { cursorForm, type Feed, type FeedQuery, readOrWait } from '../../src/sandbox/feed.ts';
import { createNetwork } from '../../src/sandbox/messaging-network.ts';
import { LogFiles } from '../../src/sandbox/request-log/log-files.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Store } from '../../src/sandbox/store/tables.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The common fields of a row of any feed. */
interface AnyRow {
  readonly time: string;
  readonly request_id?: string | undefined;
}

/** A storage of a feed. */
interface Keeping {
  readonly feed: Feed<AnyRow>;
  add(id: string, time: Date): Promise<void>;
  /** Continues as after a restart. */
  reopen(): void;
  close(): void;
}

let store: Store;
let deviceId: string;

beforeAll(async () => {
  const home = join(mkdtempSync(join(inject('sharedHome'), 'feed-')), 'data');
  store = await openStore(home);
  const clock = await openClock(store, Date.now);
  const network = createNetwork(store, clock, { secret: Buffer.alloc(32), phone: 'manual' });
  const service = {
    baseUrl: '',
    store,
    clock,
    network,
    tokenSecret: Buffer.alloc(32),
  };
  await seed(service, { teams: 1, bots: 1, documents: 0 });
  const bot = await store.db.selectFrom('bots').select(['id', 'team_id']).executeTakeFirstOrThrow();
  const now = clock.now();
  const state = { status: 'started', connected: true, logged_in: true, blocked: false };
  const ids = { id: randomUUID(), team_id: bot.team_id, bot_id: bot.id };
  await store.db
    .insertInto('devices')
    .values({ ...ids, name: 'Till', token: 'token', ...state, created_at: now, updated_at: now })
    .execute();
  deviceId = ids.id;
});
afterAll(() => store?.close());

async function keepInMessages(): Promise<Keeping> {
  await store.db.deleteFrom('messages').execute();
  let now = new Date();
  const clock = { ...(await openClock(store, Date.now)), now: () => now };
  let feed = new TakenMessages(store, clock);
  const rest = {
    message: 'Hi',
    send_as_audio: false,
    ai_generates_message: false,
    image_url: null,
    image_mime_type: null,
  };
  return {
    get feed() {
      return feed;
    },
    add(id, time) {
      now = time;
      return feed.add({ device_id: deviceId, destination_number: '5511999990000', request_id: id, ...rest });
    },
    reopen() {
      feed = new TakenMessages(store, clock);
    },
    close: () => undefined,
  };
}

async function keepInFiles(): Promise<Keeping> {
  const directory = join(temporaryDirectory(), 'log');
  const open = () =>
    new LogFiles(directory, {
      // Small enough for several files, and large enough that no row is deleted.
      size: 64 * 1024,
      onError: (error) => expect.unreachable(String(error)),
    });
  let log = open();
  return {
    get feed() {
      return log;
    },
    add: (id, time) =>
      log.append({ time: time.toISOString(), request_id: id, path: 'x'.repeat(900), duration_ms: 1 }),
    reopen() {
      log.close();
      log = open();
    },
    close: () => log.close(),
  };
}

const start = Date.UTC(2026, 0, 1);
const at = (second: number): Date => new Date(start + second * 1000);

/** A reader of a feed, page by page, with the rows that it still expects. */
interface Reader {
  readonly query: FeedQuery;
  readonly got: string[];
  /** The index of the existing row at which it starts. */
  readonly from: number;
  cursor: string | undefined;
}

const second = fc.integer({ min: 0, max: 20 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      does: fc.constant('add' as const),
      seconds: fc.array(second, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      does: fc.constant('begin' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      last: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
      since: fc.option(second, { nil: undefined }),
    }),
    fc.record({ does: fc.constant('read' as const), who: fc.nat() }),
    fc.record({ does: fc.constant('reopen' as const) }),
  ),
  { maxLength: 40 },
);

describe.each([
  ['the files of the request log', keepInFiles],
  ['the messages in the database', keepInMessages],
] as const)('a feed that is read page by page: %s', (_, keep) => {
  it('returns each row once and in order while others are added', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const kept = await keep();
        const rows: { readonly id: string; readonly second: number }[] = [];
        const readers: Reader[] = [];
        const wanted = ({ query: { since }, from }: Pick<Reader, 'query' | 'from'>): readonly string[] =>
          rows.slice(from).flatMap(({ id, second: time }) => (since && at(time) < since ? [] : id));

        const read = async (reader: Reader): Promise<boolean> => {
          const { query, cursor, got } = reader;
          const page = await kept.feed.read({ ...query, after: cursor });
          expect(page.rows.length).toBeLessThanOrEqual(query.limit);
          expect(page.cursor).toMatch(cursorForm);
          if (page.more) expect(page.cursor).not.toBe(cursor);
          reader.cursor = page.cursor;
          got.push(...page.rows.map(({ request_id: id = '' }) => id));
          expect(got).toEqual(wanted(reader).slice(0, got.length));
          if (!page.more) expect(got).toEqual(wanted(reader));
          return page.more;
        };

        for (const step of all) {
          if (step.does === 'add') {
            for (const time of step.seconds) {
              const id = String(rows.length);
              await kept.add(id, at(time));
              rows.push({ id, second: time });
            }
          } else if (step.does === 'begin') {
            const { limit, last } = step;
            const since = step.since === undefined ? undefined : at(step.since);
            const query = { limit, last, since };
            const there = wanted({ query, from: 0 });
            const first = last === undefined || last >= there.length ? 0 : Number(there.at(-last));
            const reader = { query, got: [], from: first, cursor: undefined };
            await read(reader);
            readers.push(reader);
          } else if (step.does === 'reopen') kept.reopen();
          else {
            const reader = readers[step.who % readers.length];
            if (reader) await read(reader);
          }
        }
        for (const reader of readers) while (await read(reader));
        kept.close();
      }),
      { numRuns: 20 },
    );
  });

  it('loses no row to concurrent writers, and has one order for all readers', async () => {
    const kept = await keep();
    const follow = async (): Promise<readonly (string | undefined)[]> => {
      const got: (string | undefined)[] = [];
      const never = new AbortController().signal;
      for (let after: string | undefined; got.length < 60; ) {
        const page = await readOrWait(kept.feed, { after, limit: 7 }, 3_600_000, never);
        got.push(...page.rows.map(({ request_id: id }) => id));
        after = page.cursor;
      }
      return got;
    };
    const following = [follow(), follow()];
    const add = async (from: number): Promise<void> => {
      for (let number = from; number < from + 20; number += 1) await kept.add(String(number), at(0));
    };
    await Promise.all([add(0), add(20), add(40)]);
    const { rows } = await kept.feed.read({ limit: 100 });
    const ids = rows.map(({ request_id: id }) => id);
    expect(new Set(ids).size).toBe(60);
    expect(await Promise.all(following)).toEqual([ids, ids]);
    kept.close();
  });
});
