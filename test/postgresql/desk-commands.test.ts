import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deskDirectory } from '../../src/desk/desk-directory.ts';
import { Outbox } from '../../src/desk/outbox.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { addressFor, insertEvent, insertRecord } from '../support/desk-roles.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

const create = async (): Promise<TestDatabase> => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
};

/** Returns a function that runs commands of a machine with a profile. */
async function machine() {
  const directory = temporaryDirectory();
  const { profiles } = settingsIn(directory);
  const { baseUrl, keyId, keySecret } = sandbox;
  await profiles.save({ name: 'default', baseUrl, keyId, keySecret });
  await profiles.use('default');
  const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
    botctl(line.split(' '), { env: { BOTCTL_CONFIG_DIR: directory, ...more } });
  return Object.assign(run, { directory });
}

describe('desk', () => {
  it('is set up from the profile on, and each step suggests the next one', async () => {
    const { url } = await create();
    const run = await machine();
    const set = await run(`profiles set default --desk-database ${url} --operator Ana`);
    expect(set.exitCode, set.stderr).toBe(0);
    expect(set.stderr).toContain('has no desk yet.');
    expect(set.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `botctl desk migrate --database ${addressFor(url, 'OWNER')}`,
    );
    const early = await run('desk status -o json');
    expect(early).toMatchObject({ exitCode: 2, stdout: '' });
    expect(early.stderr).toContain(`botctl desk migrate --database ${addressFor(url, 'OWNER')}`);
    const created = await run('desk migrate -o json');
    expect(JSON.parse(created.stdout)).toMatchObject({
      schema: 'public',
      tables: 'created',
      keep_seconds: 7_776_000,
    });
    expect(created.stderr).toContain('botctl help desk');
    expect(JSON.parse((await run('desk migrate -o json')).stdout)).toMatchObject({ tables: 'unchanged' });
    const status = await run('desk status -o json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      ...{ role: 'owner', user: 'postgres', operator: 'Ana', devices: 0, events: 0, machines: 0 },
      ...{
        keep_seconds: 7_776_000,
        schema: 'public',
        server: expect.stringMatching(/^\d/),
        botctl: expect.any(String),
      },
    });
    const again = await run(`profiles set default --desk-database ${url}`);
    expect(again.stderr).not.toContain('has no desk yet');
    expect(again.stderr).toContain('botctl desk status --profile default');
  });

  it('is checked if a profile names it, even if the environment names another one', async () => {
    const [{ url }, other] = [await create(), await create()];
    const run = await machine();
    await run('desk migrate', { BOTCTL_DESK_DATABASE: other.url });
    const set = await run(`profiles set default --desk-database ${url}`, {
      BOTCTL_DESK_DATABASE: other.url,
    });
    expect(set.stderr).toContain('has no desk yet.');
    expect(set.stderr).not.toContain('botctl desk status');
  });

  it('suggests the command that moves the devices of files to it, and how to undo that', async () => {
    const { url } = await create();
    const run = await machine();
    const listed = async () => JSON.parse((await run('device list -o json --fields id')).stdout);
    await run(`desk migrate --database ${url}`);
    const id = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
    await run(`device add ${id} --offline`);
    const set = await run(`profiles set default --desk-database ${url}`);
    expect(set.stderr.replaceAll(/\s+/g, ' ')).toContain('botctl desk migrate --profile default');
    expect((await run('desk migrate --yes --profile default')).exitCode).toBe(0);
    await insertRecord(url, { id, forgotten_at: new Date().toISOString(), tombstone: true });
    const { stderr } = await run('desk delete');
    expect(stderr).toContain('--unset desk-database');
    expect(stderr).toContain('devices.ndjson.moved-DATE');
    await run('profiles set default --unset desk-database');
    expect(await listed()).toEqual([]);
    const { data } = settingsIn(run.directory).paths;
    const moved = readdirSync(data).find((name) => name.startsWith('devices.ndjson.moved-')) ?? '';
    renameSync(join(data, moved), join(data, 'devices.ndjson'));
    expect(await listed()).toEqual([{ id }]);
  });

  it('receives the devices of a profile that is not in use, also if its address contains a variable', async () => {
    const { url } = await create();
    const run = await machine();
    const { baseUrl, keyId, keySecret } = sandbox;
    await settingsIn(run.directory).profiles.save({ name: 'other', baseUrl, keyId, keySecret });
    await run('device add 5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52 --offline');
    await run(`profiles set default --desk-database ${url}`);
    const moved = await run(`desk migrate --yes --profile other --database ${url} -o json`, {
      PGSSLMODE: 'disable',
    });
    expect(JSON.parse(moved.stdout)).toMatchObject({ devices: 1 });
  });

  it('is left with the number of its devices, and with the commands that export them', async () => {
    const { url } = await create();
    const run = await machine();
    const listed = async () => JSON.parse((await run('device list -o json --fields name')).stdout);
    await run(`desk migrate --database ${url}`);
    await run('device add 5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52 --name Lobby --offline');
    await run(`profiles set default --desk-database ${url}`);
    await run('desk migrate --yes --profile default');
    await run('device list');
    const left = await run('profiles set default --unset desk-database');
    expect(left.stderr).toContain('has 1 device and the history.');
    expect(left.stderr).toMatch(/old device book of this machine is in \S*devices\.ndjson\.moved-/);
    const [, address = '', from = ''] =
      left.stderr.match(/env BOTCTL_DESK_DATABASE=(\S+) \\\n {2}botctl (.*) > devices\.json/) ?? [];
    const [, to = ''] = left.stderr.match(/botctl (device import .*)/) ?? [];
    expect(await listed()).toEqual([]);
    const exported = await run(from, { BOTCTL_DESK_DATABASE: address });
    const file = join(run.directory, 'devices.json');
    writeFileSync(file, exported.stdout);
    const taken = await run(to.replace('devices.json', file));
    expect(taken.exitCode, taken.stderr).toBe(0);
    expect(await listed()).toEqual([{ name: 'Lobby' }]);
  });

  /**
   * Returns a machine with a change that waits for the desk of its profile.
   * @param parameters of the address that commands use
   */
  async function waitingMachine(parameters = '') {
    const { url } = await create();
    const run = await machine();
    await run(`desk migrate --database ${url}`);
    await run(`profiles set default --desk-database ${url}`);
    const { data } = settingsIn(run.directory).paths;
    const outbox = new Outbox(deskDirectory(data, new URL(url + parameters)));
    const at = new Date().toISOString();
    await outbox.add({ kind: 'record', id: randomUUID(), at, seen: 0, record: { id: randomUUID() } });
    return { url, run };
  }

  const unset = 'profiles set default --unset desk-database';

  it('is not left without a question while changes are queued for its address with a variable', async () => {
    const { url, run } = await waitingMachine('?sslmode=disable');
    const env = { PGSSLMODE: 'disable' };
    const refused = await run(unset, env);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('1 change of this machine waits in ');
    const left = await run(`${unset} --yes`, env);
    expect(left.exitCode, left.stderr).toBe(0);
    expect(left.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `To send it: env BOTCTL_DESK_DATABASE="${url}?sslmode=disable" botctl desk status --profile default`,
    );
  });

  it('is not left without a question while changes are queued for it', async () => {
    const { url, run } = await waitingMachine();
    const refused = await run(unset);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('1 change of this machine waits in ');
    expect(refused.stderr).toContain('botctl device list --profile default');
    expect((await run(`profiles set default --desk-database ${url}?application_name=x`)).exitCode).toBe(2);
    expect((await run(`profiles set default --desk-database ${addressFor(url, 'ana')}`)).exitCode).toBe(0);
    // A command that also ends the protection reports both refusals at once.
    await run('profiles set default --protect');
    const both = await run(`${unset} --no-protect`);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toMatch(/1 change of this machine waits[\s\S]*is protected/);
    await run('profiles set default --no-protect --confirm default');
    const left = await run(`${unset} --yes`);
    expect(left.exitCode, left.stderr).toBe(0);
    expect(left.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `To send it: env BOTCTL_DESK_DATABASE=${addressFor(url, 'ana')} botctl desk status --profile default`,
    );
  });

  it('refuses a damaged table, and names who can repair it', async () => {
    const { url, run: sql } = await create();
    const run = await machine();
    const env = { BOTCTL_DESK_DATABASE: url };
    await run('desk migrate', env);
    await sql('delete from desk');
    const damaged = await run('desk status -o json', env);
    expect(damaged.exitCode).toBe(2);
    expect(JSON.parse(damaged.stderr.trimEnd().split('\n').at(-1) ?? '').error.hint).toContain('backup');
  });

  it('counts the devices that are not forgotten, the events and the machines', async () => {
    const { url } = await create();
    const run = await machine();
    const env = { BOTCTL_DESK_DATABASE: url };
    await run('desk migrate', env);
    const seen = { seen_at: '2026-01-01T00:00:00Z' };
    await insertRecord(url, { id: 'd1', ...seen });
    await insertRecord(url, { id: 'd1', name: 'Counter', ...seen }, { host: "'desk-2'" });
    await insertRecord(url, { id: 'd1', ...seen }, { origin: "'https://b.example'" });
    await insertRecord(url, { id: 'd2', ...seen });
    await insertRecord(url, { id: 'd2', forgotten_at: '2026-01-02T00:00:00Z', tombstone: true });
    await insertRecord(url, { id: 'd2', name: 'An old file', ...seen });
    await insertRecord(url, { intent: 'k', name: 'Counter' });
    await insertEvent(url, { host: "'desk-3'" });
    await insertEvent(url, { host: "'desk-4'", at: "now() - interval '25 hours'" });
    const { stdout } = await run('desk status -o json', env);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ devices: 2, events: 2, machines: 3 });
    expect(Math.abs(found.clock_ahead_seconds)).toBeLessThan(5);
  });

  it('needs no API key', async () => {
    const { url } = await create();
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    expect(await botctl(['desk', 'migrate', '--database', url], { env })).toMatchObject({ exitCode: 0 });
    const status = await botctl(['desk', 'status', '--database', url, '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({
      role: 'owner',
      operator: expect.stringMatching(/.@./),
    });
  });

  it('shares a database with campaigns in a schema of its own', async () => {
    const { url, run: sql } = await create();
    const run = await machine();
    const campaigns = { BOTCTL_DATABASE: url };
    expect((await run('optouts add +5511988887777', campaigns)).exitCode).toBe(0);
    const refused = await run('desk migrate', { BOTCTL_DESK_DATABASE: url });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('?options=-csearch_path%3Ddesk');
    await sql('create schema desk');
    const env = { ...campaigns, BOTCTL_DESK_DATABASE: `${url}?options=-csearch_path%3Ddesk` };
    expect((await run('desk migrate', env)).exitCode).toBe(0);
    expect(JSON.parse((await run('desk status -o json', env)).stdout)).toMatchObject({ schema: 'desk' });
    expect(JSON.parse((await run('optouts list -o json', env)).stdout)).toHaveLength(1);
    expect((await run('optouts add +5511977776666', env)).exitCode).toBe(0);
  });
});
