import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;

beforeEach(() => {
  folder = join(temporaryDirectory(), 'tenants');
  mkdirSync(folder);
  for (const name of ['one', 'two', 'three']) write(`${name}.txt`, `${name} `.repeat(10));
});

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

interface Declared {
  readonly quotas?: string;
  readonly documents?: readonly string[];
  readonly bots?: readonly string[];
}

/** Writes a tenant with documents of those files and bots of those keys. */
function declare({ quotas = '', documents = [], bots = [] }: Declared): void {
  const files = documents.map((key) => `      ${key}: { file: ${key}.txt }\n`).join('');
  const each = bots.map((key) => `      ${key}: { name: ${key}, documents: [${documents.join(', ')}] }\n`);
  write(
    'aurora.yaml',
    `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: pro
    quotas: { ${quotas} }
    administrator: { name: Manager, email: manager@aurora.example, phone: "+5511999990000" }
    documents:
${files}    bots:
${each.join('')}`.replace(/ +(documents|bots):\n(?! {6})/g, ''),
  );
}

const shownSchema = z.array(z.looseObject({ address: z.string(), id: z.string() }));

/** Returns the id that the state file has for an address. */
async function idOf(address: string): Promise<string> {
  const lock = join(folder, 'tenants.lock.json');
  const { stdout } = await botctl(['tenants', 'show', '--lock', lock, '-o', 'json']);
  return z.parse(shownSchema, JSON.parse(stdout)).find((one) => one.address === address)?.id ?? '';
}

const run = (verb: string, ...args: readonly string[]) =>
  botctl(['tenants', verb, folder, ...args], { env: sandbox.env, clock: withoutWaiting() });
const apply = (...args: readonly string[]) => run('apply', '--yes', ...args);

const writesSince = async (seen: Awaited<ReturnType<typeof requestsFromNow>>) =>
  (await seen())
    .map(({ operation }) => String(operation))
    .filter((name) => /^(create(?!Token)|update|delete)/.test(name));

/** Asserts that plan and apply refuse objects beyond the quotas, before any of them is created. */
async function refuses(says: string): Promise<void> {
  const seen = await requestsFromNow(sandbox);
  const planned = await run('plan');
  expect(planned, planned.stderr).toMatchObject({ exitCode: 2 });
  expect(planned.stderr).toContain(says);
  const applied = await apply();
  expect(applied, applied.stderr).toMatchObject({ exitCode: 2 });
  expect(applied.stderr).not.toContain('same command again');
  expect(await writesSince(seen)).toEqual([]);
}

async function fits(...args: readonly string[]): Promise<void> {
  const planned = await run('plan', ...args);
  expect(planned, planned.stderr).toMatchObject({ exitCode: 0 });
  const applied = await apply(...args);
  expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
}

describe('a plan beyond the quotas of a team', () => {
  it.each([
    ['documents', 'documents: 1', 'quotas.documents to at least 2', 'documents: 2'],
    ['characters', 'characters: 60', 'quotas.characters to at least 78', 'characters: 78'],
    ['bots', 'bots: 1', 'quotas.bots to at least 2', 'bots: 2'],
  ])('is refused before a new team is created, until there is room: %s', async (_, quotas, says, enough) => {
    const parts = { documents: ['one', 'two'], bots: ['front', 'back'] };
    declare({ ...parts, quotas });
    await refuses(says);
    declare({ ...parts, quotas: enough });
    await fits();
  });

  it('counts what a team has, against the quotas that it shows if the files declare none', async () => {
    declare({ quotas: 'documents: 2, bots: 1', documents: ['one'], bots: ['front'] });
    await fits();
    await service.document(await idOf('aurora'), 'by-hand.txt');
    declare({ documents: ['one', 'two'], bots: ['front'] });
    await refuses('it has 2 of 2 documents, and 1 more would be created');
    // A replaced document remains next to the new one.
    declare({ documents: ['one'], bots: ['front'] });
    write('one.txt', 'another text');
    await refuses('it has 2 of 2 documents, and 1 more would be created');
    declare({ quotas: 'documents: 3', documents: ['one'], bots: ['front'] });
    await fits();
    declare({ documents: ['one'], bots: ['front', 'back'] });
    await refuses('it has 1 of 1 bots, and 1 more would be created');
  });

  it('covers only the target', async () => {
    declare({ quotas: 'documents: 2' });
    await fits();
    declare({ documents: ['one', 'two', 'three'] });
    expect(await run('plan')).toMatchObject({ exitCode: 2 });
    await fits('--target', 'aurora/documents/one', '--target', 'aurora/documents/two');
  });

  it('replaces a bot in one run if there is room for only one', async () => {
    declare({ quotas: 'bots: 1', bots: ['front'] });
    await fits();
    declare({ bots: ['back'] });
    await refuses('it has 1 of 1 bots');
    const seen = await requestsFromNow(sandbox);
    await fits('--prune', '--allow', 'delete-bot');
    expect(await writesSince(seen)).toEqual(['deleteBot', 'createBot']);
  });

  it('is accepted once a bot of the state file is gone', async () => {
    declare({ quotas: 'bots: 1', bots: ['front'] });
    await fits();
    await service.call('DELETE', `/bots/${await idOf('aurora/bots/front')}`);
    await fits('--allow', 'recreate');
  });

  it('has no room for a bot that replaces one that the service deleted already', async () => {
    declare({ quotas: 'bots: 1', bots: ['front'] });
    await fits();
    const team = await idOf('aurora');
    await service.call('DELETE', `/bots/${await idOf('aurora/bots/front')}`);
    await service.createBot(team, 'By hand');
    declare({ bots: ['back'] });
    const planned = await run('plan', '--prune', '--allow', 'delete-bot');
    expect(planned, planned.stderr).toMatchObject({ exitCode: 2 });
    expect(planned.stderr).toContain('it has 1 of 1 bots');
  });
});
