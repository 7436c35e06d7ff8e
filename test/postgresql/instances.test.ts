import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { documentForm } from '../sandbox/samples.ts';
import { createDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { startOwnServer } from '../support/found-server.ts';
import { listTeams, namedTeam, type Service, startService, writeTeams } from '../support/served-teams.ts';
import { databaseOf, runAt } from '../support/statements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const [killRounds, restarts] = [20, 3];

/** The storage that the processes of one service share. */
interface Place {
  readonly url: string;
  readonly home: string;
}

async function place(): Promise<Place> {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return { url: database.url, home: temporaryDirectory() };
}

function startInstance({ url, home }: Place, name: string): Promise<Service> {
  return startService(['--database', url, '--files', join(home, 'uploads'), '--data', join(home, name)]);
}

const uploadsOf = ({ home }: Place): string => join(home, 'uploads', 'files');

/** The acknowledged data: teams, and the sizes of the files of their documents. */
class Acknowledged {
  readonly teams = new Set<string>();
  readonly files = new Map<string, number>();

  /** Records a team, and uploads a document for it. */
  async add(service: Service, team: string): Promise<void> {
    this.teams.add(team);
    const form = documentForm(team, { bytes: `Of ${team}. `.repeat(1000) });
    const answer = await service.call('POST', '/v1/documents', form);
    const { data } = z.parse(
      z.object({ data: z.object({ file_url: z.string(), size: z.number() }) }),
      answer,
    );
    this.files.set(data.file_url, data.size);
  }

  /** Expects all of it to exist completely, and every row in the database to be complete. */
  async check(service: Service, { url, home }: Place): Promise<void> {
    const there = await listTeams(service);
    expect([...this.teams].filter((id) => !there.has(id))).toEqual([]);
    const torn = await runAt(
      url,
      'select id from teams where (select count(*) from users where team_id = teams.id) <> 1',
    );
    expect(torn).toEqual([]);
    const rows = await runAt(
      url,
      `select team_id || '/' || provider_id || '.' || extension as path, size::int as size from documents`,
    );
    const documents = new Map(rows.map(({ path, size }) => [String(path), Number(size)]));
    expect([...this.files].filter(([path, size]) => documents.get(path) !== size)).toEqual([]);
    const directory = uploadsOf({ url, home });
    expect([...documents].filter(([path, size]) => statSync(join(directory, path)).size !== size)).toEqual(
      [],
    );
  }
}

it(`three processes lose nothing acknowledged in ${killRounds} kills of one of them, and leave no partial data`, async () => {
  const shared = await place();
  const lasting = await Promise.all(['a', 'b'].map((name) => startInstance(shared, name)));
  const acknowledged = new Acknowledged();
  const load = (service: Service, name: string): Promise<void> =>
    writeTeams(service, name, (team) => acknowledged.add(service, team));
  const [reader] = lasting;
  if (!reader) throw new Error('there is no service');
  const writing = lasting.flatMap((service, index) => [
    load(service, `a-${index}`),
    load(service, `b-${index}`),
  ]);
  for (let round = 0; round < killRounds; round += 1) {
    const victim = await startInstance(shared, 'victim');
    let done = 0;
    const dying = ['x', 'y'].map((name) =>
      writeTeams(victim, `round-${round}-${name}`, async (team) => {
        await acknowledged.add(victim, team);
        done += 1;
      }),
    );
    await eventually(() => done > 0);
    await sleep(Math.random() * 200);
    victim.running.process.kill('SIGKILL');
    await Promise.all(dying);
    expect(await victim.running.ended).toBe('SIGKILL');
  }
  for (const { running } of lasting) running.process.kill('SIGKILL');
  await Promise.all(writing);
  const last = await startInstance(shared, 'a');
  await acknowledged.check(last, shared);
  process.stdout.write(`${killRounds} kills: ${acknowledged.teams.size} teams acknowledged, none lost.\n`);
});

it('two processes recover each time that their database is restarted under load', async () => {
  const server = await startOwnServer();
  onTestFinished(server.stop);
  await runAt(
    databaseOf(server.url, 'postgres'),
    `create database shared template template0 encoding 'UTF8'`,
  );
  const shared = { url: databaseOf(server.url, 'shared'), home: temporaryDirectory() };
  const services = await Promise.all(['a', 'b'].map((name) => startInstance(shared, name)));
  const acknowledged = new Acknowledged();
  const refused = new Set<string>();
  let isOver = false;
  const writing = services.flatMap((service, index) =>
    ['x', 'y', 'z'].map(async (name) => {
      for (let count = 0; !isOver; count += 1) {
        const { status, body } = await service.send(
          'POST',
          '/v1/teams',
          namedTeam(`${name}-${index}`, count),
        );
        if (status === 200) {
          const created = z.parse(z.object({ data: z.object({ team: z.object({ id: z.string() }) }) }), body);
          acknowledged.teams.add(created.data.team.id);
        } else refused.add(z.parse(z.object({ success: z.literal(false), code: z.string() }), body).code);
      }
    }),
  );
  for (let round = 0; round < restarts; round += 1) {
    const before = acknowledged.teams.size;
    await eventually(() => acknowledged.teams.size > before + 20);
    refused.clear();
    await server.restart(eventually(() => refused.size > 0));
    expect([...refused]).toEqual(['INTERNAL_ERROR']);
  }
  const after = acknowledged.teams.size;
  await eventually(() => acknowledged.teams.size > after + 20);
  isOver = true;
  await Promise.all(writing);
  for (const service of services) await acknowledged.check(service, shared);
});
