import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { actionText } from './action-text.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;
let env: Record<string, string>;

const tenant = `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: pro
    administrator: { name: Manager, email: aurora@direct.example, phone: "+5511999990000" }
    documents:
      menu: { file: menu.txt }
      faq: { folder: faq }
    bots:
      front: { name: Front desk, instructions: Be kind., documents: [menu, faq] }
      night: { name: Night desk, documents: [menu] }
`;

beforeEach(() => {
  const home = temporaryDirectory();
  folder = join(home, 'tenants');
  mkdirSync(join(folder, 'faq'), { recursive: true });
  env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config') };
  write('aurora.yaml', tenant);
  write('menu.txt', 'soup');
  write('faq/hours.txt', 'From nine to five.');
  write('faq/prices.txt', 'Soup: 4.');
});

afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

const run = (verb: string, args: readonly string[] = []) =>
  botctl(['tenants', verb, folder, ...args], { env, clock: withoutWaiting() });

const row = z.looseObject({
  ...{ address: z.string(), action: z.string(), reason: z.string() },
  outcome: z.optional(z.string()),
});

function told(stdout: string): readonly string[] {
  const rows = stdout === '' ? [] : z.parse(z.array(row), JSON.parse(stdout));
  return rows.map(({ address, outcome, ...what }) =>
    [outcome, `${actionText(what)} ${address.replace('aurora/', '')}`].filter(Boolean).join(': '),
  );
}

async function apply(...args: readonly string[]) {
  const ran = await run('apply', ['--yes', '-o', 'json', ...args]);
  return { ...ran, outcomes: told(ran.stdout) };
}

const plan = async (...args: readonly string[]) => told((await run('plan', ['-o', 'json', ...args])).stdout);

const entry = z.looseObject({ id: z.optional(z.string()), earlier: z.optional(z.array(z.string())) });
const lockSchema = z.looseObject({ objects: z.record(z.string(), z.union([z.literal('end'), entry])) });
const lockPath = () => join(folder, 'tenants.lock.json');
const lockOf = () => z.parse(lockSchema, JSON.parse(readFileSync(lockPath(), 'utf8'))).objects;
function idOf(address: string): string {
  const found = lockOf()[`aurora/${address}`];
  return typeof found === 'object' ? (found.id ?? '') : '';
}

const teamId = (): string => String(z.parse(entry, lockOf().aurora).id);

const named = z.looseObject({ id: z.string(), name: z.string() });

/** Returns the names of the documents by their ids, without the day of retired ones. */
async function documents(): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await botctl(['docs', 'list', '--team', teamId(), '-o', 'json'], { env });
  const all = z.parse(z.array(named), JSON.parse(stdout));
  return Object.fromEntries(
    all.map(({ id, name }) => [id, name.replace(/until \d{4}-\d\d-\d\d/, 'until then')]),
  );
}

const names = async () => Object.values(await documents()).sort();

const links = z.looseObject({
  published: z.boolean(),
  documents: z.array(z.looseObject({ document_id: z.string() })),
});

/** Returns the names of a bot's documents. */
async function documentsOf(bot: string): Promise<readonly (string | undefined)[]> {
  const known = await documents();
  const { documents: attached } = z.parse(links, await service.bot(idOf(`bots/${bot}`)));
  return attached.map(({ document_id: id }) => known[id]).sort();
}

async function writesSince(seen: Awaited<ReturnType<typeof requestsFromNow>>): Promise<readonly string[]> {
  return (await seen())
    .map(({ operation }) => String(operation))
    .filter((name) => /^(create(?!Token)|update|delete)/.test(name));
}

describe('the documents of tenants with changed files', () => {
  it('are replaced once: uploaded, attached to every bot instead of the earlier one, which is renamed', async () => {
    expect(await apply()).toMatchObject({ exitCode: 0 });
    const before = { menu: idOf('documents/menu'), hours: idOf('documents/faq/hours.txt') };
    write('menu.txt', 'soup, and bread');
    write('faq/hours.txt', 'From ten to six.');
    const checked = await run('plan', ['--check', '-o', 'table']);
    expect(checked).toMatchObject({ exitCode: 11 });
    const seen = await requestsFromNow(sandbox);
    const ran = await apply();
    expect({ code: ran.exitCode, outcomes: ran.outcomes }).toEqual({
      code: 0,
      outcomes: [
        'done: replace (content) documents/menu',
        'done: replace (content) documents/faq/hours.txt',
        'done: update bots/front',
        'done: update bots/night',
        'done: update (replaced) documents/menu',
        'done: update (replaced) documents/faq/hours.txt',
      ],
    });
    expect(await writesSince(seen)).toEqual([
      ...['createDocument', 'createDocument', 'updateBot', 'updateBot', 'updateDocument', 'updateDocument'],
    ]);
    const retiredIds = z
      .parse(z.array(named), JSON.parse(ran.stdout))
      .slice(4)
      .map(({ id }) => id);
    expect(retiredIds).toEqual([before.menu, before.hours]);
    const after = await documents();
    expect([after[before.menu], after[before.hours]]).toEqual([
      'menu.txt (until then)',
      'hours.txt (until then)',
    ]);
    expect(await documentsOf('front')).toEqual(['hours.txt', 'menu.txt', 'prices.txt']);
    expect(lockOf()['aurora/documents/menu']).toMatchObject({ earlier: [before.menu], chars: 15, size: 15 });
    const again = await requestsFromNow(sandbox);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(await writesSince(again)).toEqual([]);
  });

  it('stay attached to a bot whose documents the files do not declare', async () => {
    await apply();
    write('aurora.yaml', tenant.replace('Night desk, documents: [menu]', 'Night desk'));
    write('menu.txt', 'soup, and bread');
    const ran = await apply();
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('aurora/bots/night');
    expect(await documentsOf('night')).toEqual(['menu.txt (until then)']);
    expect(await documentsOf('front')).toContain('menu.txt');
  });

  it('are replaced by their earlier document if a file has its earlier content again, without an upload', async () => {
    await apply();
    const first = idOf('documents/menu');
    write('menu.txt', 'soup, and bread');
    await apply();
    const second = idOf('documents/menu');
    write('menu.txt', 'soup');
    const seen = await requestsFromNow(sandbox);
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await writesSince(seen)).toEqual(['updateDocument', 'updateBot', 'updateBot', 'updateDocument']);
    expect(await documents()).toMatchObject({ [first]: 'menu.txt', [second]: 'menu.txt (until then)' });
    expect(await documentsOf('night')).toEqual(['menu.txt']);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('wait for consent if a bot is published, and keep the name that a bot still uses with --target', async () => {
    await apply();
    const first = idOf('documents/menu');
    await service.publish(idOf('bots/front'));
    write('menu.txt', 'soup, and bread');
    const seen = await requestsFromNow(sandbox);
    const refused = await apply();
    expect(refused).toMatchObject({ exitCode: 2, outcomes: [] });
    expect(refused.stderr).toContain('--allow unpublish');
    expect(await writesSince(seen)).toEqual([]);
    expect((await apply('--target', 'aurora/documents/menu')).outcomes).toEqual([
      'done: replace (content) documents/menu',
    ]);
    expect(await names()).toEqual(['hours.txt', 'menu.txt', 'menu.txt', 'prices.txt']);
    expect((await apply('--target', 'aurora/bots/night')).outcomes).toEqual(['done: update bots/night']);
    expect(await plan()).toEqual(['update (replaced) documents/menu', 'update bots/front']);
    const [retired] = z.parse(z.array(named), JSON.parse((await run('plan', ['-o', 'json'])).stdout));
    expect(retired).toMatchObject({ action: 'update', reason: 'replaced', id: first });
    expect((await apply('--allow', 'unpublish')).outcomes).toEqual([
      'done: update bots/front',
      'done: update (replaced) documents/menu',
    ]);
    expect(await names()).toEqual(['hours.txt', 'menu.txt', 'menu.txt (until then)', 'prices.txt']);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('keep the earlier name if a bot could not be changed, and are renamed the next time', async () => {
    await apply();
    write('menu.txt', 'soup, and bread');
    const target = { target: 'updateBot', effect: { kind: 'status', status: 400 }, times: 1 } as const;
    await callControl(sandbox.control, '/fault/add', target);
    const ran = await apply();
    expect(ran.exitCode).toBe(10);
    expect(ran.outcomes).toEqual([
      'done: replace (content) documents/menu',
      'failed: update bots/front',
      'done: update bots/night',
      'skipped: update (replaced) documents/menu',
    ]);
    expect((await apply()).outcomes).toEqual([
      'done: update bots/front',
      'done: update (replaced) documents/menu',
    ]);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('cause no upload if they were moved, renamed, or saved again with the same text', async () => {
    await apply();
    const ids = [idOf('documents/faq/hours.txt'), idOf('documents/faq/prices.txt')];
    mkdirSync(join(folder, 'faq', 'old'));
    renameSync(join(folder, 'faq', 'hours.txt'), join(folder, 'faq', 'old', 'hours.txt'));
    renameSync(join(folder, 'faq', 'prices.txt'), join(folder, 'faq', 'costs.txt'));
    write('menu.txt', '\uFEFFsoup');
    expect(await plan()).toEqual([
      ...[
        'adopt (same-text) documents/menu',
        'update (renamed) documents/faq/costs.txt',
        'adopt (moved) documents/faq/old/hours.txt',
      ],
    ]);
    const seen = await requestsFromNow(sandbox);
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await writesSince(seen)).toEqual(['updateDocument']);
    expect(await names()).toEqual(['costs.txt', 'hours.txt', 'menu.txt']);
    expect([idOf('documents/faq/old/hours.txt'), idOf('documents/faq/costs.txt')]).toEqual(ids);
    expect(Object.keys(lockOf())).not.toContain('aurora/documents/faq/hours.txt');
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    // Facts that only the state file records are no difference.
    write('menu.txt', 'soup');
    expect(await run('plan', ['--check'])).toMatchObject({ exitCode: 0 });
  });

  it('follow their files with --target too, which includes the other file, and none is uploaded twice', async () => {
    await apply();
    const [hours, prices] = [idOf('documents/faq/hours.txt'), idOf('documents/faq/prices.txt')];
    write('faq/hours.txt', 'Soup: 4.');
    write('faq/prices.txt', 'From nine to five.');
    const seen = await requestsFromNow(sandbox);
    const target = ['--target', 'aurora/documents/faq/hours.txt'];
    expect((await apply(...target)).outcomes).toEqual([
      'done: update (renamed) documents/faq/hours.txt',
      'done: update (renamed) documents/faq/prices.txt',
    ]);
    expect([idOf('documents/faq/hours.txt'), idOf('documents/faq/prices.txt')]).toEqual([prices, hours]);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(await writesSince(seen)).toEqual(['updateDocument', 'updateDocument']);
    // The renamed file leaves its name to new content.
    renameSync(join(folder, 'faq', 'hours.txt'), join(folder, 'faq', 'costs.txt'));
    write('faq/hours.txt', 'Never.');
    expect(await apply(...target)).toMatchObject({ exitCode: 0 });
    expect(idOf('documents/faq/costs.txt')).toBe(prices);
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    expect((await writesSince(seen)).filter((name) => name === 'createDocument')).toHaveLength(1);
    expect(await names()).toEqual(['costs.txt', 'hours.txt', 'menu.txt', 'prices.txt']);
  });

  it('remain if their files are gone, attached to the bots too, until they are removed from the state file', async () => {
    await apply();
    rmSync(join(folder, 'faq', 'prices.txt'));
    expect(await plan()).toEqual(['undeclared documents/faq/prices.txt']);
    write('aurora.yaml', tenant.replace('Be kind.', 'Be brief.'));
    expect((await apply()).outcomes).toEqual(['done: update bots/front']);
    expect(await documentsOf('front')).toEqual(['hours.txt', 'menu.txt', 'prices.txt']);
    await botctl(['tenants', 'forget', 'aurora/documents/faq/prices.txt', '--lock', lockPath(), '--yes'], {
      env,
    });
    expect((await apply()).outcomes).toEqual(['done: update bots/front']);
    expect(await documentsOf('front')).toEqual(['hours.txt', 'menu.txt']);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('are unchanged if the file cannot be sent, which is stored with its reason until it is fixed', async () => {
    await apply();
    write('faq/hours.txt', '\n');
    write('faq/new.txt', ' ');
    const ran = await apply();
    expect(ran.exitCode).toBe(2);
    expect(ran.outcomes).toEqual([
      'impossible: impossible documents/faq/hours.txt',
      'impossible: impossible documents/faq/new.txt',
    ]);
    expect(ran.stdout).toContain('The existing document stays.');
    expect(lockOf()).toMatchObject({
      'aurora/documents/faq/hours.txt': { refused: { reason: 'empty' } },
      'aurora/documents/faq/new.txt': { refused: { reason: 'empty' } },
    });
    expect(await documentsOf('front')).toEqual(['hours.txt', 'menu.txt', 'prices.txt']);
    expect((await run('plan', ['--check'])).exitCode).toBe(2);
    write('faq/hours.txt', 'From ten to six.');
    rmSync(join(folder, 'faq', 'new.txt'));
    expect((await apply()).outcomes).toEqual([
      ...['done: replace (content) documents/faq/hours.txt', 'done: update bots/front'],
      'done: update (replaced) documents/faq/hours.txt',
    ]);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('are created again only with consent if they are gone, and can be assigned by the user', async () => {
    await apply();
    const lock = readFileSync(lockPath(), 'utf8');
    const id = idOf('documents/menu');
    writeFileSync(lockPath(), lock.replace(/ {4}"aurora\/documents\/menu".*\n/, ''));
    const lines = ['aurora/documents/menu', id, '--lock', lockPath()];
    expect(await botctl(['tenants', 'import', ...lines], { env })).toMatchObject({ exitCode: 0 });
    expect((await apply()).outcomes).toEqual(['done: adopt (matched) documents/menu']);
    expect(lockOf()['aurora/documents/menu']).toMatchObject({ id, sha256: expect.any(String), chars: 4 });
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('are replaced if they have other content, and can still be assigned by the user, even if another document matches', async () => {
    await apply();
    const [team, fitting] = [teamId(), idOf('documents/menu')];
    const said = await service.document(team, 'menu.txt');
    const at = ['--lock', lockPath()];
    const forget = ['tenants', 'forget', 'aurora/documents/menu', '--yes', ...at];
    expect(await botctl(forget, { env })).toMatchObject({ exitCode: 0 });
    const take = ['tenants', 'import', 'aurora/documents/menu', said, ...at];
    expect(await botctl(take, { env })).toMatchObject({ exitCode: 0 });
    expect(await plan()).toContain('replace (content) documents/menu');
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(lockOf()['aurora/documents/menu']).toMatchObject({ earlier: [said] });
    expect(idOf('documents/menu')).not.toBe(fitting);
    expect(await documents()).toMatchObject({ [fitting]: 'menu.txt', [said]: 'menu.txt (until then)' });
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('in an earlier state file are read unchanged, and replaced like others', async () => {
    await apply();
    const lock = readFileSync(lockPath(), 'utf8');
    writeFileSync(lockPath(), lock.replaceAll(/,"text":"[\da-f]+","size":\d+,"chars":\d+/g, ''));
    expect(lockOf()['aurora/documents/menu']).not.toHaveProperty('text');
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    write('menu.txt', 'soup, and bread');
    expect((await apply()).outcomes).toContain('done: replace (content) documents/menu');
    expect(await names()).toEqual(['hours.txt', 'menu.txt', 'menu.txt (until then)', 'prices.txt']);
  });
});

/** Leaves the intent of a killed run that has sent a file of fifteen bytes. Returns the document's id. */
async function leaveUpload(name: string, before: readonly string[], written = teamId()): Promise<string> {
  const content = 'soup, and bread';
  const path = join(folder, 'sent', name);
  mkdirSync(join(folder, 'sent'));
  writeFileSync(path, content);
  const args = ['--team', teamId(), '--allow', 'duplicate', '-o', 'id'];
  const { stdout } = await botctl(['docs', 'upload', path, ...args], { env });
  const journal = join(`${lockPath()}.journal`, 'uploads');
  mkdirSync(journal, { recursive: true });
  const sha256 = createHash('sha256').update(content).digest('hex');
  const sent = { teamId: written, name, size: 15, chars: 15, sha256, before };
  const begin = { key: 'one', at: Date.now(), details: sent };
  writeFileSync(join(journal, 'killed.ndjson'), `${JSON.stringify({ begin })}\n`);
  return stdout.trim();
}

describe('a document whose upload was interrupted while its file changed', () => {
  it.each([
    ['of other figures', 'soup, and bread, and more', (id: string) => id],
    ['of the same figures', 'tea, and breads', (id: string) => id],
    ['sent by the id of its team in capitals', 'tea', (id: string) => id.toUpperCase()],
  ] as const)('is an earlier one, and the current file is uploaded: %s', async (_, content, written) => {
    await apply();
    const first = idOf('documents/menu');
    const left = await leaveUpload('menu.txt', [first], written(teamId()));
    write('menu.txt', content);
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const after = await documents();
    expect(after[idOf('documents/menu')]).toBe('menu.txt');
    for (const id of [first, left]) expect(after[id]).toMatch(/^menu\.txt \(until then\)(?: 2)?$/);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(await names()).toHaveLength(5);
  });

  it('is found and retired if the file again has the content in the state file', async () => {
    await apply();
    const first = idOf('documents/menu');
    const left = await leaveUpload('menu.txt', [first]);
    const planned = await run('plan', ['--check']);
    expect(planned, planned.stderr).toMatchObject({ exitCode: 0 });
    expect(planned.stderr).toContain('menu.txt');
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({
      exitCode: 0,
      outcomes: ['done: update (replaced) documents/menu'],
    });
    expect(idOf('documents/menu')).toBe(first);
    expect(await documents()).toMatchObject({ [first]: 'menu.txt', [left]: 'menu.txt (until then)' });
    expect(existsSync(`${lockPath()}.journal`)).toBe(false);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it('is looked up by each apply until it is found, and the rest continues', async () => {
    await apply();
    const left = await leaveUpload('menu.txt', [idOf('documents/menu')]);
    // The intent has other sizes, so it is ambiguous whether this is its document.
    const journal = join(`${lockPath()}.journal`, 'uploads', 'killed.ndjson');
    writeFileSync(
      journal,
      readFileSync(journal, 'utf8').replace('"size":15,"chars":15', '"size":16,"chars":16'),
    );
    for (const _ of ['once', 'and again']) {
      const ran = await apply();
      expect(ran).toMatchObject({ exitCode: 0, outcomes: [] });
      expect(ran.stderr).toContain(
        'aurora/documents/menu: It is not known whether an earlier, interrupted run stored menu.txt',
      );
    }
    await service.call('PATCH', `/documents/${left}`, { name: 'other.txt' });
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(existsSync(`${lockPath()}.journal`)).toBe(false);
  });

  it('is reported once, and stays in the team, if the files no longer declare it', async () => {
    await apply();
    const left = await leaveUpload('costs.txt', []);
    const ran = await apply();
    expect(ran).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(ran.stderr).toContain('the files no longer declare it');
    expect(ran.stderr).toContain(`botctl docs get ${left}`);
    expect((await documents())[left]).toBe('costs.txt');
    expect(existsSync(`${lockPath()}.journal`)).toBe(false);
    expect((await apply()).stderr).not.toContain('costs.txt');
  });

  it('is planned as an apply does it, so that the plan can be executed; an unreadable journal is reported', async () => {
    await apply();
    const left = await leaveUpload('costs.txt', []);
    write('faq/costs.txt', 'tea, and breads');
    const kept = join(folder, 'plan.json');
    const planned = await run('plan', ['--out', kept, '-o', 'json']);
    expect(planned, planned.stderr).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('⚠'),
    });
    expect(told(planned.stdout)).toContain('create documents/faq/costs.txt');
    const args = ['--plan', kept, '--yes', '-o', 'json'];
    const ran = await botctl(['tenants', 'apply', ...args], { env, clock: withoutWaiting() });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(idOf('documents/faq/costs.txt')).not.toBe(left);
    expect((await documents())[left]).toBe('costs.txt (until then)');
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: [] });
    mkdirSync(join(`${lockPath()}.journal`, 'uploads'), { recursive: true });
    writeFileSync(join(`${lockPath()}.journal`, 'uploads', 'damaged.ndjson'), 'damaged\n');
    const damaged = await run('plan');
    expect(damaged).toMatchObject({ exitCode: 0 });
    expect(damaged.stderr).toContain("The journal damaged.ndjson can't be read");
  });
});
