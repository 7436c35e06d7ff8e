import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignFile } from '../../../src/campaigns/store/file.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { formsIn } from '../../secrets/encodings.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { doctor } from './support.ts';

const sandbox = useSandbox();
const canary = 'pw-canary-p0stgr3s';
const check = 'campaign database';

const examine = (database: string) => doctor({ ...sandbox.env, BOTCTL_DATABASE: database });

describe('the file of campaigns', () => {
  const fileCheck = 'campaign file';

  it('is not mentioned before it exists, and is intact after the first opt-out', async () => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const before = await doctor(env);
    expect(before.findings.map((finding) => finding.check)).not.toContain(fileCheck);
    expect(await botctl(['optouts', 'add', '+5511988887777'], { env })).toMatchObject({ exitCode: 0 });
    const file = campaignFile(findPaths(env).data);
    expect((await doctor(env)).at(fileCheck)).toMatchObject({ verdict: 'ok', found: `${file} is intact.` });
  });

  it.each([
    ['a page', (size: number) => size - 4096],
    ['its beginning', () => 0],
  ])('is broken if %s is damaged: exit code 2', async (_what, at) => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    expect(await botctl(['optouts', 'add', '+5511988887777'], { env })).toMatchObject({ exitCode: 0 });
    const file = campaignFile(findPaths(env).data);
    const bytes = readFileSync(file);
    bytes.fill(0xff, at(bytes.length), at(bytes.length) + 100);
    writeFileSync(file, bytes);
    const examined = await doctor(env);
    expect(examined.exitCode).toBe(2);
    expect(examined.at(fileCheck)).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining(`${file} is damaged`),
      remedy: expect.stringContaining('backup'),
    });
  });
});

describe('the data of the sandbox', () => {
  const dataCheck = 'sandbox data';

  it('is served by a running sandbox', async () => {
    const { at } = await doctor({ ...sandbox.env, BOTCTL_SANDBOX_DATA: sandbox.data });
    expect(at(dataCheck)).toMatchObject({ verdict: 'ok', found: `A sandbox runs on ${sandbox.data}.` });
  });

  it('is intact after a sandbox has ended', async () => {
    const data = temporaryDirectory();
    const key = [
      'sandbox',
      'key',
      'create',
      '--name',
      'ci',
      '--data',
      data,
      '--secret-file',
      join(temporaryDirectory(), 'ci'),
    ];
    expect(await botctl(key)).toMatchObject({ exitCode: 0 });
    const { at } = await doctor({ ...sandbox.env, BOTCTL_SANDBOX_DATA: data });
    expect(at(dataCheck)).toMatchObject({ verdict: 'ok', found: `The data in ${data} is intact.` });
  });

  it('breaks nothing if an earlier version made it, or if it is damaged', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'engine'), 'PGlite 0.5 (PostgreSQL 18)\n');
    const examine = () => doctor({ ...sandbox.env, BOTCTL_SANDBOX_DATA: data });
    expect((await examine()).at(dataCheck)).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('PGlite 0.5'),
    });
    rmSync(join(data, 'engine'));
    writeFileSync(join(data, 'sandbox.db'), 'not a database, '.repeat(1000));
    const examined = await examine();
    expect(examined.at(dataCheck)).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('is damaged'),
    });
    expect(examined.exitCode).toBe(0);
  });
});

describe('the database of campaigns', () => {
  it('is not checked if none is named', async () => {
    const { findings } = await doctor(sandbox.env);
    expect(findings.map((finding) => finding.check)).not.toContain(check);
  });

  it('is broken if it does not exist: exit code 8, without its password', async () => {
    const examined = await examine(`postgres://ana:${canary}@127.0.0.1:1/campaigns`);
    expect(examined.exitCode).toBe(8);
    expect(examined.at(check)).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining("postgres://127.0.0.1:1/campaigns can't be reached"),
      remedy: 'Check that the server is running, and that host and port are right.',
    });
    expect(formsIn(examined.stdout + examined.stderr, canary)).toEqual([]);
  });

  it('is checked if the profile names it, and broken if the variable names an invalid one', async () => {
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
});
