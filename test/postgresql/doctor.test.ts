import { expect, it, onTestFinished } from 'vitest';
import { doctor } from '../commands/doctor/support.ts';
import { createDatabase } from '../support/database-server.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const check = 'campaign database';

const examine = (database: string) => doctor({ ...sandbox.env, BOTCTL_DATABASE: database });

it('doctor accepts an empty database for campaigns, and refuses one with other tables and a template', async () => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  const found = async () => (await examine(database.url)).at(check);
  expect(await found()).toMatchObject({
    verdict: 'ok',
    found: expect.stringMatching(/, on PostgreSQL \d.*, is empty\./),
  });
  expect(await database.run(`select from pg_class where relname = 'campaigns'`)).toEqual([]);
  await database.run('create table customers (id integer)');
  expect(await found()).toMatchObject({ verdict: 'broken', found: expect.stringContaining('customers') });
  const template = new URL(database.url);
  template.pathname = '/template1';
  const examined = await examine(template.href);
  expect(examined.exitCode).toBe(2);
  expect(examined.at(check).found).toContain('is a template');
});
