import { afterEach, describe, expect, it } from 'vitest';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { formsIn } from '../../secrets/encodings.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { createDatabase, needsServer, type TestDatabase } from '../../support/database-server.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { doctor } from './support.ts';

const sandbox = useSandbox();
const canary = 'pw-canary-p0stgr3s';
const check = 'campaign database';

const examine = (database: string) => doctor({ ...sandbox.env, BOTCTL_DATABASE: database });

describe('the database of campaigns', () => {
  it('is no matter where none is named', async () => {
    const { findings } = await doctor(sandbox.env);
    expect(findings.map((finding) => finding.check)).not.toContain(check);
  });

  it('is broken where it is not there: exit 8, without its password', async () => {
    const examined = await examine(`postgres://ana:${canary}@127.0.0.1:1/campaigns`);
    expect(examined.exitCode).toBe(8);
    expect(examined.at(check)).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining("postgres://127.0.0.1:1/campaigns can't be reached"),
      remedy: 'See that the server runs, and that host and port are right.',
    });
    expect(formsIn(examined.stdout + examined.stderr, canary)).toEqual([]);
  });

  it('is looked at where the profile names it, and broken where the variable names none', async () => {
    const home = temporaryDirectory();
    const profiles = createProfiles(home);
    const { baseUrl, keyId, keySecret } = sandbox;
    await profiles.save({ name: 'default', baseUrl, keyId, keySecret });
    await profiles.configure('default', () => ({ database: 'postgres://ana@127.0.0.1:1/campaigns' }));
    const examined = await doctor({ BOTCTL_CONFIG_DIR: home });
    expect(examined.at(check).found).toContain('postgres://127.0.0.1:1/campaigns');
    expect((await examine('mysql://host/x')).at(check)).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('BOTCTL_DATABASE must be the address of a database'),
    });
  });

  describe('on a server', needsServer, () => {
    const made: TestDatabase[] = [];
    afterEach(async () => {
      for (const database of made.splice(0)) await database.drop();
    });

    it('is there, empty or not, and broken where it holds other things or is a template', async () => {
      const database = await createDatabase();
      made.push(database);
      const found = async () => (await examine(database.url)).at(check);
      expect(await found()).toMatchObject({
        verdict: 'ok',
        found: expect.stringMatching(/, on PostgreSQL \d.*, is there, and empty:/),
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
  });
});
