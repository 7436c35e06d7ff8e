import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { campaignFilesIn } from '../../src/campaigns/earlier-files.ts';
import type { Tables } from '../../src/campaigns/store/tables.ts';
import { openFile } from '../../src/database/open.ts';
import { earlierData } from '../support/earlier-files.ts';
import { start } from '../support/process.ts';
import { givenSeed } from '../support/properties.ts';

const rounds = 10;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);

/** When each process is killed: a part of the time that an import takes. */
const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { seed, numRuns: rounds });

/** Rows of the campaign that takes long to import. */
const many = 20_000;

/** Returns files of an earlier version with a campaign of many rows. */
function largeData(): string {
  const data = earlierData();
  const path = campaignFilesIn(data).find((one) => readFileSync(one, 'utf8').includes('"name":"done"')) ?? '';
  const [head = ''] = readFileSync(path, 'utf8').split('\n');
  const rows = Array.from({ length: many }, (_, at) => {
    const to = `55119${80_000_000 + at}`;
    return `${JSON.stringify({ row: at + 1, line: at + 2, cells: ['Ana', to, 'x'], to, text: 'Hi Ana', state: 'planned', device: 0 })}\n`;
  });
  writeFileSync(path, `${head}\n${rows.join('')}{"end":${many}}\n`);
  return data;
}

const migrate = (data: string) =>
  start(['campaigns', 'migrate', '-o', 'json'], {
    env: {
      ...{
        BOTCTL_BASE_URL: 'http://127.0.0.1:4010',
        BOTCTL_KEY_ID: 'key_1',
        BOTCTL_KEY_SECRET: 'botsecret_1',
      },
      BOTCTL_CONFIG_DIR: dirname(data),
    },
  });

async function counts(data: string) {
  const { db, close } = await openFile<Tables>(join(data, 'campaigns.db'), {
    isShared: true,
    user: 'This test',
  });
  const count = async (table: keyof Tables): Promise<number> =>
    Number((await db.selectFrom(table).select(db.fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
  const found = {
    campaigns: await count('campaigns'),
    rows: await count('campaign_rows'),
    lanes: await count('lanes'),
    optOuts: await count('opt_outs'),
    unknown: (
      await db.selectFrom('campaign_rows').select('row').where('reason', '=', 'PROCESS_ENDED').execute()
    ).length,
  };
  await close();
  return found;
}

const all = { campaigns: 9, rows: 34 - 2 + many, lanes: 5, optOuts: 11, unknown: 1 };

it(`imports the files of an earlier version once, killed at ${rounds} moments (seed ${seed})`, async () => {
  const begun = performance.now();
  const whole = largeData();
  // The exit code of a campaign that is damaged.
  expect(await migrate(whole).ended).toBe(10);
  const duration = performance.now() - begun;
  expect(await counts(whole)).toEqual(all);
  for (const moment of moments) {
    const data = largeData();
    const killed = migrate(data);
    await sleep(moment * duration);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const left = readdirSync(data).filter((name) => ['lanes', 'campaigns', 'optouts.ndjson'].includes(name));
    const again = migrate(data);
    const code = await again.ended;
    // If the files were renamed already, nothing is left to do.
    expect([0, 10], again.output.stderr).toContain(code);
    expect(left.length === 0 ? 0 : code, `${left}`).toBe(code);
    expect(await counts(data)).toEqual(all);
    expect(readdirSync(data).filter((name) => name.includes('.imported-'))).toHaveLength(3);
  }
}, 300_000);

it('imports them once if two processes begin at the same time', async () => {
  const data = largeData();
  const codes = await Promise.all([migrate(data).ended, migrate(data).ended]);
  expect(codes.sort()).toEqual([0, 10]);
  expect(await counts(data)).toEqual(all);
  expect(readdirSync(join(data))).toEqual(
    expect.not.arrayContaining(['campaigns', 'lanes', 'optouts.ndjson']),
  );
}, 60_000);
