import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';
import { createDatabase, needsServer } from '../../support/database-server.ts';
import { earlierData, fixtures } from '../../support/earlier-files.ts';

const identity = {
  BOTCTL_BASE_URL: 'http://127.0.0.1:4010',
  BOTCTL_KEY_ID: 'key_1',
  BOTCTL_KEY_SECRET: 'botsecret_1',
};

const migrate = async (data: string, ...options: readonly string[]) => {
  const env = { ...identity, BOTCTL_CONFIG_DIR: dirname(data) };
  const ran = await botctl(['campaigns', 'migrate', ...options, '-o', 'json'], { env });
  return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
};

describe('campaigns migrate', () => {
  it('imports the files of an earlier version, and ends with 10 and the name of a campaign that is damaged', async () => {
    const data = earlierData();
    const { exitCode, stdout, stderr } = await migrate(data);
    expect(exitCode).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({
      campaigns: 9,
      rows: 34,
      unknown: 1,
      optouts: 11,
      database: null,
    });
    expect(stderr).toContain("campaign damaged, can't be read");
    expect(stderr).toContain('1 campaign could not be imported');
    expect(lstatSync(join(data, 'campaigns.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(data).filter((name) => name.includes('.imported-'))).toHaveLength(3);
    const again = await migrate(data);
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ campaigns: 0, optouts: 0, files: [] });
  });

  it('changes nothing, exit 2, if opt-outs cannot be read', async () => {
    const data = earlierData();
    const path = join(data, 'optouts.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -10));
    const { exitCode, stderr } = await migrate(data);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('line 16 is not an opt-out');
    expect(existsSync(path) && existsSync(join(data, 'campaigns'))).toBe(true);
  });

  it('warns if the opt-outs are a link to a file that other machines may share', async () => {
    const data = earlierData();
    const shared = join(dirname(data), 'shared.ndjson');
    renameSync(join(data, 'optouts.ndjson'), shared);
    symlinkSync(shared, join(data, 'optouts.ndjson'));
    const { stdout, stderr } = await migrate(data);
    expect(JSON.parse(stdout)).toMatchObject({ optouts: 11 });
    expect(stderr).toContain(`The opt-outs were in ${shared}, behind a link`);
    expect(existsSync(shared)).toBe(true);
  });

  it('brings a database of an earlier version to the current tables', needsServer, async () => {
    const data = earlierData();
    const database = await createDatabase();
    await database.run(readFileSync(join(fixtures, 'campaigns-6abd2134.sql'), 'utf8'));
    const first = await migrate(data, '--database', database.url);
    expect(first.stderr).toContain('Migrated postgres://');
    expect(JSON.parse(first.stdout).campaigns).toBe(9);
    const again = await migrate(data, '--database', database.url);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('is up to date');
    await database.drop();
  });
});
