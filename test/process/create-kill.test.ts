import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { campaignFile } from '../../src/campaigns/store/file.ts';
import type { Tables } from '../../src/campaigns/store/tables.ts';
import { openFile } from '../../src/database/open.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { start } from '../support/process.ts';
import { givenSeed } from '../support/properties.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const count = 12_000;
const rounds = 12;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);

/** The moments and signals that end a process, as a part of its usual duration. */
const moments = fc.sample(
  fc.record({
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    signal: fc.constantFrom('SIGINT' as const, 'SIGKILL' as const),
    adds: fc.boolean(),
  }),
  { seed, numRuns: rounds },
);

it(`leaves no part of a campaign, killed at ${rounds} moments (seed ${seed})`, async () => {
  const home = temporaryDirectory();
  const team = await service.team('Aurora Coffee');
  const device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
  await service.connect(device);
  const list = (name: string, first: number, rows: number): string => {
    const file = join(home, name);
    const numbers = Array.from({ length: rows }, (_, at) => `Ana,+55119${80_000_000 + first + at}\n`);
    writeFileSync(file, `name,phone\n${numbers.join('')}`);
    return file;
  };
  const [one, many] = [list('one.csv', 0, 1), list('many.csv', 1, count)];
  const run = (...args: readonly string[]) =>
    start(['campaigns', ...args], { env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home } });
  const create = (name: string, file: string) =>
    run('create', name, '--recipients', file, '--device', device, '--message', 'Hi {{ name }}');
  const add = (name: string) => run('add', name, '--recipients', many);
  const begun = performance.now();
  expect(await create('first', many).ended).toBe(0);
  const duration = performance.now() - begun;
  const { db, close } = await openFile<Tables>(campaignFile(join(home, 'data')), {
    isShared: true,
    user: 'This test',
  });
  /** Returns each campaign with its own row count and the actual one. */
  const campaigns = async () => {
    const found = await db
      .selectFrom('campaigns')
      .leftJoin('campaign_rows', 'campaign', 'id')
      .select(({ fn }) => [
        'name_key',
        'rows',
        'draft_at',
        fn.count<number>('row').as('count'),
        fn.max('row').as('last'),
      ])
      .groupBy(['id', 'name_key', 'rows', 'draft_at'])
      .execute();
    return found.map(({ count: rows, last, ...one }) => ({ ...one, count: Number(rows), last: last ?? 0 }));
  };
  for (const [at, { part, signal, adds }] of moments.entries()) {
    const name = `spring ${at}`;
    if (adds) expect(await create(name, one).ended).toBe(0);
    const ended = adds ? add(name) : create(name, many);
    await sleep(part * duration);
    ended.process.kill(signal);
    const code = await ended.ended;
    // Ctrl-C in the first milliseconds kills it before its handler is installed.
    expect([0, 130, signal], ended.output.stderr).toContain(code);
    const left = await campaigns();
    if (signal === 'SIGINT')
      expect(left.filter(({ draft_at }) => draft_at !== null && draft_at > 1)).toEqual([]);
    for (const { draft_at, rows, count: its, last } of left) {
      if (draft_at === null) expect([its, last]).toEqual([rows, rows]);
    }
    const made = left.find(({ name_key, draft_at }) => name_key === name && draft_at === null);
    if (!adds) expect([undefined, count]).toContain(made?.rows);
    else {
      expect(await add(name).ended).toBe(0);
      expect((await campaigns()).find((its) => its.name_key === name && its.draft_at === null)?.rows).toBe(
        count + 1,
      );
    }
    await db.updateTable('campaigns').set({ draft_at: 1 }).where('draft_at', 'is not', null).execute();
  }
  expect(await create('last', one).ended).toBe(0);
  expect((await campaigns()).filter(({ draft_at }) => draft_at !== null)).toEqual([]);
  await close();
}, 600_000);
