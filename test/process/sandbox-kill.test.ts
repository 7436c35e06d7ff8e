import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { fileUrl } from '../../src/sandbox/document-files.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { documentForm } from '../sandbox/samples.ts';
import { start } from '../support/process.ts';
import { listTeams, type Service, startService, writeTeams } from '../support/served-teams.ts';

const rounds = 20;
const writers = 4;

const uploaded = z.object({ data: z.object({ id: z.string(), size: z.number() }) });

const firstLine = z.object({ base_url: z.url() });

let home: string;
let data: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-kill-'));
  data = join(home, 'data');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it(`loses no acknowledged team or document in ${rounds} kills, and leaves no team without its user and no document without its file`, async () => {
  const acknowledged = new Set<string>();
  const documents = new Map<string, number>();
  const add = async (service: Service, team: string): Promise<void> => {
    acknowledged.add(team);
    const form = documentForm(team, { bytes: `Of ${team}. `.repeat(1000) });
    const { data: document } = z.parse(uploaded, await service.call('POST', '/v1/documents', form));
    documents.set(document.id, document.size);
  };
  const missing = async (service: Service): Promise<readonly string[]> => {
    const there = await listTeams(service);
    return [...acknowledged].filter((id) => !there.has(id));
  };

  for (let round = 0; round < rounds; round += 1) {
    const service = await startService(['--data', data]);
    expect(await missing(service)).toEqual([]);
    const before = documents.size;
    const writing = Array.from({ length: writers }, (_, writer) =>
      writeTeams(service, `round-${round}-writer-${writer}`, (id) => add(service, id)),
    );
    await expect.poll(() => documents.size, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before);
    await sleep(Math.random() * 1000);
    service.running.process.kill('SIGKILL');
    await Promise.all(writing);
    expect(await service.running.ended).toBe('SIGKILL');
  }

  const last = await startService(['--data', data]);
  expect(await missing(last)).toEqual([]);
  last.running.process.kill('SIGINT');
  expect(await last.running.ended).toBe(0);

  const store = await openStore(data);
  const { db } = store;
  const teams = await db.selectFrom('teams').select('id').execute();
  const users = await db.selectFrom('users').select('team_id').execute();
  const rows = await db.selectFrom('documents').selectAll().execute();
  await store.close();
  const sizes = new Map(rows.map(({ id, size }) => [id, size]));
  expect([...documents].filter(([id, size]) => sizes.get(id) !== size)).toEqual([]);
  // The last start has removed the files whose rows were not written.
  const files = readdirSync(store.files, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('.'),
  );
  expect(files.sort()).toEqual(rows.map(fileUrl).sort());
  for (const row of rows) expect(statSync(join(store.files, fileUrl(row))).size).toBe(row.size);
  expect(users.map((user) => user.team_id).sort()).toEqual(teams.map((team) => team.id).sort());
  expect(teams.length).toBeGreaterThanOrEqual(acknowledged.size);
  process.stdout.write(
    `${rounds} kills: ${acknowledged.size} teams and ${documents.size} documents acknowledged, none lost.\n`,
  );
});

it('leaves a data directory that opens, whenever the first start is killed', async () => {
  for (let round = 0; round < 10; round += 1) {
    const fresh = join(home, `fresh-${round}`);
    const first = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', fresh]);
    await sleep(Math.random() * 1500);
    first.process.kill('SIGKILL');
    await first.ended;
    const second = start(['sandbox', 'start', '--port', '0', '-o', 'json', '--data', fresh]);
    z.parse(firstLine, JSON.parse(await second.firstLine()));
    second.process.kill('SIGINT');
    expect(await second.ended).toBe(0);
  }
});
