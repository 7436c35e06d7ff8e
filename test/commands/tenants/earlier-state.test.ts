import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const fixture = join(import.meta.dirname, '../../fixtures/earlier/tenants-6abd2134');

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;
let env: Record<string, string>;
/** The ids of this test's sandbox, by those in the fixture. */
let ids: Readonly<Record<string, string>>;

const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
const statePath = (): string => join(folder, 'tenants.lock.json');
const journal = (): string => `${statePath()}.journal`;

async function upload(teamId: string, name: string, content: string): Promise<string> {
  const form = new FormData();
  form.set('team_id', teamId);
  form.set('chars', String(content.length));
  form.set('file', new Blob([content]), name);
  return String((await service.call('POST', '/documents', form)).id);
}

/** Creates the objects in the fixture's state file, and maps the earlier sandbox's ids to theirs. */
async function arrange(): Promise<void> {
  const before = JSON.parse(text('tenants.lock.json'));
  const { objects } = z.parse(z.object({ objects: z.record(z.string(), z.unknown()) }), before);
  const entry = z.looseObject({ id: z.string(), earlier: z.optional(z.array(z.string())) });
  const idOf = (address: string): string => z.parse(entry, objects[address]).id;
  const corpo = await service.team('Corpo');
  const menu = await upload(corpo, 'menu.txt', 'Soup and bread of today');
  const desk = await service.createBot(corpo, 'Desk');
  await service.call('PATCH', `/bots/${desk}`, { document_ids: [menu], identification_name: 'canary-ident' });
  const [earlier = ''] = z.parse(entry, objects['corpo/documents/menu']).earlier ?? [];
  const all = {
    [idOf('corpo')]: corpo,
    [idOf('nord')]: await service.team('Nord'),
    [idOf('corpo/documents/menu')]: menu,
    [earlier]: await upload(corpo, 'menu.txt (until 2026-11-28)', 'Soup of today'),
    [idOf('corpo/documents/notes')]: await upload(corpo, 'notes.txt', 'Open until six'),
    [idOf('corpo/bots/desk')]: desk,
    [idOf('corpo/devices/reception')]: await service.device(corpo, desk, 'Reception'),
  };
  ids = all;
}

/** Returns a file of the fixture with this sandbox's ids and address, and the current time. */
function here(content: string): string {
  const withIds = Object.entries(ids).reduce((all, [from, to]) => all.replaceAll(from, to), content);
  return withIds
    .replaceAll('http://127.0.0.1:4010', sandbox.baseUrl)
    .replaceAll(/"at":\d+/g, `"at":${Date.now() - 1000}`);
}

beforeEach(async () => {
  const home = temporaryDirectory();
  folder = join(home, 'tenants');
  cpSync(fixture, folder, { recursive: true });
  env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config'), IDENT: 'canary-ident' };
  await arrange();
  writeFileSync(statePath(), here(text('tenants.lock.json')));
});

/** Writes the journal of the interrupted apply beside the state file. */
function interrupt(): void {
  mkdirSync(join(journal(), 'uploads'), { recursive: true });
  writeFileSync(join(journal(), 'killed.ndjson'), here(text('creates.ndjson')));
  writeFileSync(join(journal(), 'uploads', 'killed.ndjson'), here(text('uploads.ndjson')));
}

/** Reverts the files to their content before the interrupted apply. */
function withoutTheNew(): void {
  writeFileSync(join(folder, 'corpo.yaml'), text('corpo.yaml').replace(/^ *extra:.*\n/m, ''));
  writeFileSync(join(folder, 'nord.yaml'), text('nord.yaml').replace(/^ {4}bots:[\s\S]*/m, ''));
  rmSync(join(folder, 'sul.yaml'));
}

async function tenants(command: string, ...more: readonly string[]) {
  const seen = await requestsFromNow(sandbox);
  const ran = await botctl(['tenants', command, folder, '-o', 'json', ...more], {
    env,
    clock: withoutWaiting(),
  });
  const all = (await seen()).map(({ operation }) => String(operation));
  return { ...ran, requests: all, writes: all.filter((one) => /^(create(?!Token)|update|delete)/.test(one)) };
}

const apply = (...more: readonly string[]) => tenants('apply', '--yes', '--discard-token', ...more);

async function counts() {
  const { teams, bots, documents, devices } = await callControl(sandbox.control, '/status', {});
  return { teams, bots, documents, devices };
}

describe('the state file of an earlier version', () => {
  it('requires no changes for unchanged files, except for the refused file', async () => {
    withoutTheNew();
    const planned = await tenants('plan');
    expect(planned.stdout).toContain('has no characters but white space');
    writeFileSync(join(folder, 'notes.txt'), 'Open until six');
    const again = await tenants('plan');
    expect(again, again.stderr).toMatchObject({ exitCode: 0, writes: [] });
    expect(JSON.parse(again.stdout)).toEqual([]);
  });

  it('restores a document of the earlier file, and is written as version 2', async () => {
    withoutTheNew();
    writeFileSync(join(folder, 'notes.txt'), 'Open until six');
    writeFileSync(join(folder, 'menu.txt'), 'Soup of today');
    const before = await counts();
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.writes).not.toContain('createDocument');
    expect(await counts()).toEqual(before);
    const { version, objects } = JSON.parse(text('tenants.lock.json'));
    expect(version).toBe(2);
    expect(objects['corpo/documents/menu']).toMatchObject({ name: 'menu.txt', chars: 13 });
    expect(objects['corpo/documents/menu']).not.toHaveProperty('applied');
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: '[]\n', writes: [] });
  });

  it('lets the next apply settle the interrupted creates and uploads, without duplicates', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'Open until six');
    interrupt();
    // All three took effect after the process had died.
    const [, nord = ''] = Object.entries(ids).find(([from]) => from.startsWith('6e92a4ba')) ?? [];
    const [, corpo = ''] = Object.entries(ids).find(([from]) => from.startsWith('51a64a57')) ?? [];
    const made = {
      sul: await service.team('Sul'),
      'nord/bots/desk': await service.createBot(nord, 'North desk'),
      'corpo/documents/extra': await upload(corpo, 'extra.txt', 'Something extra'),
    };
    await service.call('PATCH', `/bots/${made['nord/bots/desk']}`, { instructions: 'Be kind.' });
    const before = await counts();
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.writes.filter((name) => name.startsWith('create'))).toEqual([]);
    expect(await counts()).toEqual(before);
    const { version, objects } = JSON.parse(text('tenants.lock.json'));
    expect(version).toBe(2);
    for (const [address, id] of Object.entries(made)) expect(objects[address]).toMatchObject({ id });
    expect(existsSync(journal())).toBe(false);
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: '[]\n', writes: [] });
  });

  it('lets the next apply create once what never took effect', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'Open until six');
    interrupt();
    const before = await counts();
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const { teams, bots, documents, devices } = before;
    expect(await counts()).toEqual({ devices, teams: teams + 1, bots: bots + 1, documents: documents + 1 });
    expect(existsSync(journal())).toBe(false);
  });
});

describe('a state file that cannot be used', () => {
  const lineOf = (content: string, address: string): string =>
    content.split('\n').find((line) => line.includes(`"${address}"`)) ?? '';

  it.each([
    ['has the marks of a merge', (was: string) => was.replace('{\n', '<<<<<<< ours\n{\n'), /merge conflict/],
    [
      'has an address twice',
      (was: string) => was.replace(lineOf(was, 'nord'), `${lineOf(was, 'nord')}\n${lineOf(was, 'nord')}`),
      /it has \\"nord\\" 2 times/,
    ],
    [
      'is of a newer version',
      (was: string) => was.replace('"version": 1', '"version": 3'),
      /it was written by a newer version of botctl/,
    ],
    [
      'is of another service',
      (was: string) => was.replace(sandbox.baseUrl, 'https://other.example'),
      /belongs to https:/,
    ],
    ['is cut off', (was: string) => was.slice(0, was.length / 2), /the file is incomplete/],
    ['is empty', () => '', /the file is incomplete/],
    ['is no JSON', () => 'version: 1\n', /the file is incomplete/],
    [
      'has an id that is none',
      (was: string) => was.replace(ids['6e92a4ba'] ?? '"id":"', '"id":"x'),
      /is not valid/,
    ],
  ])('that %s is refused before any request', async (_what, change, words) => {
    writeFileSync(statePath(), change(text('tenants.lock.json')));
    for (const command of ['plan', 'apply']) {
      const ran = await (command === 'plan' ? tenants('plan') : apply());
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
      expect(ran.stderr).toMatch(words);
      expect(ran.stderr).toContain(statePath());
    }
  });

  it('that cannot be read is refused before any request', async () => {
    rmSync(statePath());
    mkdirSync(statePath());
    expect(await apply()).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  });

  it('that is missing is refused while the journal has calls in its teams', async () => {
    interrupt();
    rmSync(statePath());
    for (const ran of [await tenants('plan'), await apply()]) {
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
      expect(ran.stderr).toContain(`${statePath()} is missing`);
    }
  });
});
