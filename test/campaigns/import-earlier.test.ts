import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { campaignFilesIn, queueFilesIn } from '../../src/campaigns/earlier-files.ts';
import { importEarlierFiles } from '../../src/campaigns/import-earlier.ts';
import type { CampaignDatabase } from '../../src/campaigns/store/database.ts';
import { campaignSchema } from '../../src/campaigns/store/schema.ts';
import type { Tables } from '../../src/campaigns/store/tables.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openFile } from '../../src/database/open.ts';
import { tryLock } from '../../src/lib/files/lock.ts';
import { earlierData, earlierOutput } from '../support/earlier-files.ts';
import { FakeClock } from '../support/fake-clock.ts';

const clock = new FakeClock({ now: Date.parse('2026-11-28T12:00:00Z') });
const { signal } = new AbortController();

/** Opens the database of campaigns, which is closed after the test. */
async function openCampaigns(data: string) {
  const database = await openFile<Tables>(join(data, 'campaigns.db'), { isShared: true, user: 'This test' });
  onTestFinished(() => database.close());
  await migrate(database, campaignSchema);
  const open = { ...database, server: sql<string>`''` };
  const transaction: CampaignDatabase['transaction'] = (work) =>
    database.db.transaction().execute((step) => work(step, open));
  return { db: database.db, transaction };
}

type OpenCampaigns = Awaited<ReturnType<typeof openCampaigns>>;

const importInto = (database: OpenCampaigns, data: string) =>
  importEarlierFiles(data, { clock, signal }, database);

/** Everything that was imported, without ids. */
async function contents({ db }: OpenCampaigns) {
  const campaigns = await db.selectFrom('campaigns').selectAll().orderBy('created_at').execute();
  const rows = await db
    .selectFrom('campaign_rows as r')
    .innerJoin('campaigns as c', 'c.id', 'r.campaign')
    .selectAll('r')
    .select(['c.origin', 'c.name_key', 'c.created_at'])
    .orderBy('c.created_at')
    .orderBy('r.row')
    .execute();
  return {
    campaigns: campaigns.map(({ id: _, ...rest }) => ({ ...rest })),
    rows: rows.map(({ campaign: _, ...rest }) => ({ ...rest })),
    lanes: (await db.selectFrom('lanes').selectAll().orderBy('origin').orderBy('device').execute()).map(
      ({ lane, ...rest }) => ({ ...rest, lane: lane.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'ID') }),
    ),
    optOuts: (await db.selectFrom('opt_outs').selectAll().orderBy('place').execute()).map((row) => ({
      ...row,
    })),
  };
}

describe('the import of the files of an earlier version', () => {
  it('brings every row of every campaign, those that were being sent as unknown', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const imported = await importInto(database, data);
    expect(imported).toMatchObject({ campaigns: 9, rows: 34, unknown: 1, optOuts: 11 });
    const { campaigns, rows } = await contents(database);
    for (const [origin, said] of Object.entries(earlierOutput())) {
      const readable = said.campaigns.filter(({ name }) => name !== 'damaged');
      const mine = campaigns.filter((campaign) => campaign.origin === origin);
      expect(mine.map(({ name_key, created_at, rows: count }) => [name_key, created_at, count])).toEqual(
        readable.map(({ name, created_at, rows: count }) => [name, created_at, count]),
      );
      expect(mine.flatMap(({ name_key, mark }) => (mark ? [[name_key, mark]] : []))).toEqual(
        readable.flatMap(({ name, state }) =>
          state === 'paused' || state === 'cancelled' ? [[name, state]] : [],
        ),
      );
      for (const { name } of readable) {
        const found = rows.filter((row) => row.origin === origin && row.name_key === name);
        const printed = (said.results[name] ?? []).map(({ row, state, reason, because, at, attempts }) => {
          if (state === 'sending') {
            const why = 'the process that sent it ended before the answer came';
            return [row, 'unknown', 'PROCESS_ENDED', why, '2026-11-28T12:00:00.000Z', attempts];
          }
          // A cancelled campaign stores only that it is cancelled.
          if (reason === 'cancelled') return [row, 'planned', null, null, at, attempts];
          return [row, state, reason, because, at, attempts];
        });
        expect(
          found.map(({ row, state, reason, because, at, attempts }) => [
            row,
            state,
            reason,
            because,
            at,
            attempts ?? 0,
          ]),
          name,
        ).toEqual(printed);
      }
    }
  });

  it('brings opt-outs of every service in their order, by the forms of today', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    await importInto(database, data);
    const { optOuts } = await contents(database);
    expect(
      optOuts.map(({ origin, form, number, note }) => [origin.slice(7, 16), form, number, note]),
    ).toEqual([
      ['127.0.0.1', '551188887777', '5511988887777', 'asked on the phone'],
      ['127.0.0.1', '552177770001', '5521977770001', 'João said “pare” 🛑'],
      ['127.0.0.1', '14155550100', '14155550100', null],
      ['127.0.0.1', '447400123456', '447400123456', 'back'],
      ['127.0.0.1', '551166665555', '5511966665555', 'the same without the zero'],
      ['127.0.0.1', '447400654321', '4407400654321', 'with a zero only'],
      ['127.0.0.1', '541123456789', '5491123456789', 'of Argentina'],
      ['127.0.0.1', '5511955554444', '5511955554444', 'replied STOP'],
      ['127.0.0.1', '525512345678', '525512345678', 'replied STOP'],
      ['localhost', '551188887777', '5511988887777', 'of the other address'],
      ['localhost', '351912345678', '351912345678', null],
    ]);
  });

  it('brings the pauses and the pace of devices', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    await importInto(database, data);
    const ids = new Map(
      (await database.db.selectFrom('campaigns').selectAll().execute()).map((one) => [one.id, one]),
    );
    const lanes = (await database.db.selectFrom('lanes').selectAll().execute()).map(({ lane, ...rest }) => {
      const { campaigns, sent, paused, unknowns } = JSON.parse(lane);
      const names = Object.entries(campaigns).map(([id]) => ids.get(id)?.name_key);
      return { names, sent: sent.at(-1)?.[1], paused: paused?.because, unknowns, last: rest.last_at };
    });
    expect(lanes).toHaveLength(5);
    expect(lanes).toEqual(
      expect.arrayContaining([
        {
          names: ['spring'],
          sent: 4,
          paused: undefined,
          unknowns: 0,

          last: expect.any(Number),
        },
        {
          names: ['summer'],
          sent: 2,
          paused: undefined,
          unknowns: 0,

          last: expect.any(Number),
        },
        {
          ...{ names: ['settled'], sent: 6, unknowns: 3, last: expect.any(Number) },
          paused: 'Of 3 messages in a row nobody knows whether they were sent.',
        },
        // The service may have taken the message of the process that died until now.
        { names: ['killed'], sent: 5, paused: undefined, unknowns: 0, last: clock.now() },
        { names: [], sent: 2, paused: undefined, unknowns: 0, last: expect.any(Number) },
      ]),
    );
  });

  it('renames the files and deletes none', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const before = readdirSync(join(data, 'campaigns'));
    const imported = await importInto(database, data);
    const moved = ['lanes', 'campaigns', 'optouts.ndjson'].map((name) =>
      join(data, `${name}.imported-2026-11-28`),
    );
    expect(imported?.movedTo).toEqual(moved);
    expect(readdirSync(join(data, 'campaigns.imported-2026-11-28'))).toEqual(expect.arrayContaining(before));
    for (const path of moved) expect(existsSync(path), path).toBe(true);
    expect(existsSync(join(data, 'campaigns'))).toBe(false);
    expect(await importInto(database, data)).toBeUndefined();
  });

  it('names a campaign that cannot be read, and imports it once its file is whole again', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const damaged =
      campaignFilesIn(data).find((path) => readFileSync(path, 'utf8').includes('"name":"damaged"')) ?? '';
    expect((await importInto(database, data))?.omitted).toEqual([
      `${damaged}, campaign damaged, can't be read: it ends after 2 rows, and its end is missing.`,
    ]);
    const moved = damaged.replace('/campaigns/', '/campaigns.imported-2026-11-28/');
    const lines = readFileSync(moved, 'utf8').split('\n').slice(0, 3);
    mkdirSync(join(data, 'campaigns'));
    writeFileSync(damaged, `${lines.join('\n')}\n{"end":2}\n`);
    expect(await importInto(database, data)).toMatchObject({
      ...{ campaigns: 1, rows: 2, omitted: [] },
      movedTo: [join(data, 'campaigns.imported-2026-11-28-2')],
    });
  });

  it('keeps the campaign that has the name by now', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const insert = {
      id: '0b6bc3e7-0bbc-4478-b5b5-e3d6b5b239d3',
      origin: 'http://127.0.0.1:4010',
      name_key: 'done',
    };
    await database.db
      .insertInto('campaigns')
      .values({ ...insert, created_at: '2027-01-01T00:00:00Z', frozen: '{}', rows: 0, server: '' })
      .execute();
    const imported = await importInto(database, data);
    expect(imported?.campaigns).toBe(8);
    expect(imported?.omitted.find((text) => text.includes('done'))).toMatch(
      /was not imported: another campaign has the same name/,
    );
  });

  it.each([
    [
      'an opt-out',
      (data: string) => appendFileSync(join(data, 'optouts.ndjson'), '{"origin":"http://a"'),
      'optouts.ndjson',
    ],
    ['a send queue', (data: string) => writeFileSync(queueFilesIn(data)[0] ?? '', '{'), 'lanes'],
  ])('changes nothing if %s cannot be read', async (_, damage, named) => {
    const data = earlierData();
    const database = await openCampaigns(data);
    damage(data);
    const before = readdirSync(data);
    const failed = importInto(database, data);
    await expect(failed).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining(named),
    });
    expect(readdirSync(data)).toEqual(before);
    expect(await contents(database)).toEqual({ campaigns: [], rows: [], lanes: [], optOuts: [] });
  });

  it('adds nothing twice if it was interrupted before the files were renamed', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const interrupted = importEarlierFiles(
      data,
      { clock, signal },
      {
        async transaction(work) {
          await database.transaction(work);
          throw new Error('killed');
        },
      },
    );
    await expect(interrupted).rejects.toThrow('killed');
    expect(existsSync(join(data, 'campaigns'))).toBe(true);
    const before = await contents(database);
    expect(await importInto(database, data)).toMatchObject({ campaigns: 0, rows: 0, unknown: 0, optOuts: 0 });
    expect(await contents(database)).toEqual(before);
    expect(existsSync(join(data, 'campaigns'))).toBe(false);
  });

  it('imports once if two processes do it at the same time', async () => {
    const data = earlierData();
    const [one, two] = [await openCampaigns(data), await openCampaigns(data)];
    const imports = await Promise.all([importInto(one, data), importInto(two, data)]);
    expect(imports.filter((imported) => imported?.campaigns === 9)).toHaveLength(1);
    expect(imports.filter((imported) => imported === undefined)).toHaveLength(1);
  });

  it('waits for a process of an earlier version that is sending', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const [, lane = ''] = queueFilesIn(data);
    const attempt = tryLock(`${lane}.lock`);
    if (attempt.state !== 'acquired') throw new Error('the lock is held');
    const stopped = { clock, signal: AbortSignal.timeout(300) };
    const failed = importEarlierFiles(data, stopped, {
      transaction: async () => expect.fail('it did not wait'),
    });
    await expect(failed).rejects.toThrow();
    expect(await contents(database)).toMatchObject({ campaigns: [], optOuts: [] });
    attempt.lock.release();
    expect(await importInto(database, data)).toMatchObject({ campaigns: 9 });
  });

  it('sends one message to a number that two rows spell in two ways', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const path =
      campaignFilesIn(data).find((one) => readFileSync(one, 'utf8').includes('"name":"done"')) ?? '';
    const [head = ''] = readFileSync(path, 'utf8').split('\n');
    const row = (nth: number, to: string) =>
      JSON.stringify({ row: nth, line: nth + 1, cells: [], to, text: 'Hi', state: 'planned', device: 0 });
    const lines = [
      head,
      row(1, '55011966665555'),
      row(2, '5511966665555'),
      row(3, '551166665555'),
      row(4, '5511977776666'),
      row(5, '55011977776666'),
      '{"end":5}',
      '{"row":2,"state":"sending","at":"2026-11-27T23:45:32.899Z","attempts":1}',
      '{"row":2,"state":"accepted","at":"2026-11-27T23:45:32.999Z","attempts":1}',
    ];
    writeFileSync(path, `${lines.join('\n')}\n`);
    await importInto(database, data);
    const rows = (await contents(database)).rows.filter(({ name_key }) => name_key === 'done');
    expect(rows.map(({ row: nth, state, form, because }) => [nth, state, form, because])).toEqual([
      [1, 'skipped', null, 'row 2 has the same number'],
      [2, 'accepted', '551166665555', null],
      [3, 'skipped', null, 'row 2 has the same number'],
      [4, 'planned', '551177776666', null],
      [5, 'skipped', null, 'row 4 has the same number'],
    ]);
  });

  it('leaves a key that two rows have with the first', async () => {
    const data = earlierData();
    const database = await openCampaigns(data);
    const path = campaignFilesIn(data).find((file) => readFileSync(file, 'utf8').includes('"name":"done"'));
    if (path === undefined) throw new Error('no such campaign');
    const [head = ''] = readFileSync(path, 'utf8').split('\n');
    const rows = [
      { row: 1, line: 2, cells: [], to: '5511911112222', key: 'a', device: 0, text: 'x', state: 'planned' },
      { row: 2, line: 3, cells: [], key: 'a', state: 'skipped', reason: 'invalid', because: 'no number' },
    ];
    const lines = [head, ...[...rows, { end: rows.length }].map((line) => JSON.stringify(line))];
    writeFileSync(path, `${lines.join('\n')}\n`);
    await importInto(database, data);
    const stored = (await contents(database)).rows.filter(({ name_key }) => name_key === 'done');
    expect(stored.map(({ row, state, key_digest }) => [row, state, key_digest !== null])).toEqual([
      [1, 'planned', false],
      [2, 'skipped', true],
    ]);
  });
});
