import { describe, expect, it, onTestFinished } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';

async function createEmpty(): Promise<TestDatabase> {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
}

describe('sandbox migrate', () => {
  it('creates the tables in an empty database, after a confirmation, and keeps current ones unchanged', async () => {
    const { url, run } = await createEmpty();
    const migrating = ['sandbox', 'migrate', '--database', url];
    expect(await botctl(migrating)).toMatchObject({ exitCode: 2 });
    expect(await run(`select to_regclass('teams') as teams`)).toEqual([{ teams: null }]);
    const migrated = await botctl([...migrating, '--yes', '-o', 'json']);
    expect(migrated.exitCode, migrated.stderr).toBe(0);
    expect(JSON.parse(migrated.stdout)).toMatchObject({ migrated: true });
    const again = await botctl([...migrating, '--yes', '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ migrated: false });
  });

  it('changes nothing in a database of a version before the first release', async () => {
    const { url, run } = await createEmpty();
    await botctl(['sandbox', 'migrate', '--database', url, '--yes']);
    await run(`delete from kysely_migration where name like '008%'`);
    for (const line of [
      ['sandbox', 'migrate', '--database', url, '--yes'],
      ['sandbox', 'key', 'create', '--database', url, '--name', 'x', '--show-secret'],
    ]) {
      const ran = await botctl(line);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('too old to migrate');
    }
    expect(await run('select count(*)::int as keys from api_keys')).toEqual([{ keys: 0 }]);
  });

  it('refuses a database that is not one of a sandbox', async () => {
    const { url, run } = await createEmpty();
    await run('create table letters (id int)');
    const ran = await botctl(['sandbox', 'migrate', '--database', url, '--yes']);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('it has the table letters') });
    expect(await botctl(['sandbox', 'migrate', '--yes'])).toMatchObject({ exitCode: 2 });
  });
});
