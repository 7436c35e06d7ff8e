import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl, findControl } from '../../src/sandbox/control/client.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { whileRunning } from '../support/running-sandbox.ts';

const fixtures = join(import.meta.dirname, '../fixtures/earlier');

const expected = z.parse(
  z.object({
    ...{ teams: z.array(z.unknown()), bots: z.array(z.unknown()), documents: z.array(z.unknown()) },
    key: z.object({ key_id: z.string(), key_secret: z.string() }),
  }),
  JSON.parse(readFileSync(join(fixtures, 'sandbox-6abd2134.expected.json'), 'utf8')),
);

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const createEmpty = async (): Promise<TestDatabase> => {
  const database = await createDatabase();
  closers.push(database.drop);
  return database;
};

describe('sandbox migrate', () => {
  it('is asked for by a start, and keeps all data of an earlier version with its files and its key', async () => {
    const { url, run } = await createEmpty();
    await run(readFileSync(join(fixtures, 'sandbox-6abd2134.sql'), 'utf8'));
    const home = temporaryDirectory();
    const files = join(home, 'uploads');
    cpSync(join(fixtures, 'sandbox-uploads'), files, { recursive: true });
    const env = { BOTCTL_CONFIG_DIR: home };
    const line = ['sandbox', 'start', '--port', '0', '--database', url, '--files', files];

    const refused = await botctl(line, { env });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('has tables of an earlier botctl');
    expect(refused.stderr).toContain(`botctl sandbox migrate --database ${url}`);
    expect(await run(`select 1 from kysely_migration where name like '008%'`)).toEqual([]);
    const key = ['sandbox', 'key', 'create', '--database', url, '--name', 'x', '--show-secret'];
    expect(await botctl(key, { env })).toMatchObject({ exitCode: 2, stdout: '' });

    const migrating = ['sandbox', 'migrate', '--database', url];
    expect(await botctl(migrating, { env })).toMatchObject({ exitCode: 2 });
    const migrated = await botctl([...migrating, '--yes', '-o', 'json'], { env });
    expect(migrated.exitCode, migrated.stderr).toBe(0);
    expect(JSON.parse(migrated.stdout)).toMatchObject({ migrated: true });
    const again = await botctl([...migrating, '--yes', '-o', 'json'], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ migrated: false });

    // A database that was loaded from a dump is another one; its files have to be given to it.
    const others = await botctl(line, { env });
    const [, id = ''] = /echo (\S+) >/.exec(others.stderr) ?? [];
    writeFileSync(join(files, 'database-id'), `${id}\n`);

    const lists: Record<string, unknown> = {};
    await whileRunning(home, ['--database', url, '--files', files, '-o', 'json'], {
      act: async () => {
        const { base_url } = await callControl(
          findControl(join(home, 'data', 'sandbox-on-database')),
          '/status',
          {},
        );
        const caller = {
          BOTCTL_BASE_URL: base_url,
          BOTCTL_KEY_ID: expected.key.key_id,
          BOTCTL_KEY_SECRET: expected.key.key_secret,
        };
        for (const noun of ['teams', 'bots', 'docs']) {
          const listed = await botctl([noun, 'list', '-o', 'json'], { env: { ...env, ...caller } });
          expect(listed.exitCode, listed.stderr).toBe(0);
          lists[noun] = JSON.parse(listed.stdout);
        }
      },
    });
    const { teams, bots, documents } = expected;
    expect(lists).toEqual({ teams, bots, docs: documents });
  });

  it('refuses what is no database of a sandbox', async () => {
    const { url, run } = await createEmpty();
    await run('create table letters (id int)');
    const ran = await botctl(['sandbox', 'migrate', '--database', url, '--yes']);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('it has the table letters') });
    expect(await botctl(['sandbox', 'migrate', '--yes'])).toMatchObject({ exitCode: 2 });
  });
});
