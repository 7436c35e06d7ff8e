import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { type StateEntry, stateText } from '../../../src/tenants/state-file.ts';
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
let team: string;

beforeEach(async () => {
  const home = temporaryDirectory();
  folder = join(home, 'tenants');
  mkdirSync(folder);
  env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config') };
  team = await service.team('Mine');
  writeFileSync(join(folder, 'mine.txt'), 'hello');
});

/** Writes the files: one tenant with these lines below its name. */
function write(lines: string, key = 'mine', rest = ''): void {
  const own = lines
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');
  writeFileSync(join(folder, 'mine.yaml'), `version: 1\ntenants:\n  ${key}:\n    name: Mine\n${own}${rest}`);
}

function writeState(objects: Readonly<Record<string, StateEntry>>): void {
  const lock = { origin: sandbox.baseUrl, entries: new Map(Object.entries(objects)) };
  writeFileSync(join(folder, 'tenants.lock.json'), stateText(lock));
}

const rowsSchema = z.array(
  z.looseObject({
    address: z.string(),
    action: z.string(),
    reason: z.string(),
    outcome: z.string(),
    error: z.nullable(z.string()),
  }),
);

const document = (name: string): Promise<string> => service.document(team, name);

/** Applies the files; returns the rows and the write operations. */
async function apply(...more: readonly string[]) {
  const seen = await requestsFromNow(sandbox);
  const answers = ['--yes', '--discard-token', '-o', 'json'];
  const ran = await botctl(['tenants', 'apply', folder, ...answers, ...more], {
    env,
    clock: withoutWaiting(),
  });
  const rows = ran.stdout === '' ? [] : z.parse(rowsSchema, JSON.parse(ran.stdout));
  const writes = (await seen()).map(({ operation }) => String(operation));
  return {
    ...ran,
    rows,
    outcomes: rows.map((row) => `${row.outcome}: ${actionText(row)} ${row.address}`),
    writes: writes.filter((name) => /^(create(?!Token)|update|delete)/.test(name)),
  };
}

const lockOf = (): Readonly<Record<string, unknown>> => {
  const schema = z.looseObject({ objects: z.record(z.string(), z.unknown()) });
  return z.parse(schema, JSON.parse(readFileSync(join(folder, 'tenants.lock.json'), 'utf8'))).objects;
};

describe('a state file with an object of another team', () => {
  it('blocks changes to that object and with it, and remains unchanged', async () => {
    const victim = await service.team('Victim');
    const bot = await service.createBot(victim, 'Front desk');
    const document = await service.document(victim, 'menu.txt');
    write(
      'documents: { mine: { file: mine.txt }, given: { existing: menu.txt } }\nbots:\n  front: { name: Ours }\n  other: { name: Other, documents: [mine] }\ndevices: { d: { name: D, bot: front } }',
    );
    writeState({
      mine: { id: team, created: true, applied: { name: 'Mine' } },
      'mine/bots/front': { id: bot, applied: {} },
      'mine/documents/mine': { path: 'mine/documents/mine', id: document },
      'mine/documents/given': { path: 'mine/documents/given', id: document },
    });
    const before = lockOf();
    const ran = await apply();
    expect(ran).toMatchObject({ exitCode: 2, writes: [] });
    expect(ran.outcomes).toEqual(
      ['documents/mine', 'documents/given', 'bots/front', 'bots/other', 'devices/d'].map(
        (address) => `impossible: impossible mine/${address}`,
      ),
    );
    for (const { error } of [ran.rows[0], ran.rows[2]].flatMap((row) => row ?? []))
      expect(error).toContain('of another team');
    expect(await service.bot(bot)).toMatchObject({ name: 'Front desk' });
    expect(lockOf()).toEqual(before);
  });

  it.each([
    ['another name', () => ({ name: 'theirs.txt', team_id: team }), 'Someone else has renamed it'],
    ['another team', () => ({ name: 'menu.txt', team_id: crypto.randomUUID() }), 'belongs to another team'],
  ])('keeps a document that has %s at the time of its rename', async (_what, shown, says) => {
    const id = await service.document(team, 'menu.txt');
    write('documents: { mine: { file: mine.txt } }');
    writeState({
      mine: { id: team, applied: { name: 'Mine' } },
      'mine/documents/mine': { path: 'mine/documents/mine', id, name: 'menu.txt' },
    });
    const answer = JSON.stringify({ success: true, data: { id, ...shown() } });
    const body = Buffer.from(answer).toString('base64');
    const effect = { kind: 'body', bytes: body, type: 'application/json', status: 200 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'getDocument', effect, times: 1 });
    const ran = await apply();
    await callControl(sandbox.control, '/fault/clear', {});
    expect(ran).toMatchObject({
      exitCode: 6,
      writes: [],
      outcomes: ['failed: update (renamed) mine/documents/mine'],
    });
    expect(ran.rows[0]?.error).toContain(says);
    expect(await apply()).toMatchObject({ exitCode: 0, writes: ['updateDocument'] });
  });
});

describe('an existing document of the files', () => {
  it('is replaced if the files name another one, regardless of the state file', async () => {
    const ids = { a: await document('A.txt'), b: await document('B.txt') };
    const bot = await service.createBot(team, 'Front desk');
    await service.call('PATCH', `/bots/${bot}`, { document_ids: [ids.a] });
    const attaches = (name: string): void =>
      write(`documents: { a: { existing: ${name} } }\nbots: { front: { name: Front desk, documents: [a] } }`);
    attaches('A.txt');
    writeState({
      mine: { id: team, applied: { name: 'Mine' } },
      'mine/documents/a': { path: 'mine/documents/a', id: ids.a, name: 'A.txt' },
      'mine/bots/front': { id: bot, applied: { name: 'Front desk', document_ids: [ids.a] } },
    });
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
    attaches('Nope.txt');
    const none = await apply();
    expect(none).toMatchObject({ exitCode: 2, writes: [] });
    expect(none.rows[0]?.error).toContain('The team has no document "Nope.txt"');
    attaches('B.txt');
    expect(await apply()).toMatchObject({
      ...{ exitCode: 0, writes: ['updateBot'] },
      outcomes: ['done: adopt mine/documents/a', 'done: update mine/bots/front'],
    });
    expect(await service.bot(bot)).toMatchObject({ documents: [{ document_id: ids.b }] });
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
  });

  it('is that of the state file if several have its name', async () => {
    const [, id] = [await document('A.txt'), await document('A.txt')];
    write('documents: { a: { existing: A.txt } }');
    writeState({
      mine: { id: team, applied: { name: 'Mine' } },
      'mine/documents/a': { path: 'mine/documents/a', id: String(id) },
    });
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
  });
});

describe('a key that changed in the files', () => {
  const parts = (bot: string, document: string, device: string): string =>
    `documents: { ${document}: { file: mine.txt } }\nbots: { ${bot}: { name: Front desk, documents: [${document}] } }\ndevices: { ${device}: { name: Reception, bot: ${bot} } }`;
  const before = parts('front', 'menu', 'reception');

  /** Creates the tenant from files that name it `mine`. */
  const make = async (): Promise<void> => {
    write(before);
    writeState({ mine: { id: team, created: true, applied: {} } });
    expect(await apply()).toMatchObject({ exitCode: 0 });
  };

  it('creates no duplicate without consent, and deletes nothing: of a tenant', async () => {
    await make();
    write(before, 'maine');
    for (const more of [[], ['--prune', '--allow', 'delete-bot']]) {
      const ran = await apply(...more);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, writes: [] });
      expect(ran.rows.every(({ outcome }) => outcome === 'impossible')).toBe(true);
      expect(ran.rows[0]?.error).toContain('moved: [{ from: mine, to: maine }]');
    }
    write(before, 'maine', 'moved: [{ from: mine, to: maine }]\n');
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [], writes: [] });
    expect(Object.keys(lockOf()).every((address) => /^(~|maine)/.test(address))).toBe(true);
  });

  it('creates no duplicate without consent, and deletes nothing: of an object of a tenant', async () => {
    await make();
    write(parts('desk', 'card', 'door'));
    for (const more of [[], ['--prune', '--allow', 'delete-bot']]) {
      const ran = await apply(...more);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, writes: [] });
      for (const [from, to] of [
        ['bots/front', 'bots/desk'],
        ['documents/menu', 'documents/card'],
      ])
        expect(ran.rows.map(({ error }) => error).join(' ')).toContain(
          `moved: [{ from: mine/${from}, to: mine/${to} }]`,
        );
    }
    const moved =
      'moved: [{ from: mine/bots/front, to: mine/bots/desk }, { from: mine/documents/menu, to: mine/documents/card }]\n';
    write(parts('desk', 'card', 'door'), 'mine', moved);
    const device = await apply();
    expect(device).toMatchObject({ exitCode: 2, writes: [] });
    expect(device.rows[0]?.error).toContain('from: mine/devices/reception, to: mine/devices/door');
  });

  it('does not prevent another team of the same name, while both are declared', async () => {
    writeState({ mine: { id: team, created: true, applied: { name: 'Mine' } } });
    const admin = '{ name: M, email: m@other.example, phone: "+5511999990000" }';
    write('', 'mine', `  other:\n    name: Mine\n    plan_name: pro\n    administrator: ${admin}\n`);
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: ['done: create other'] });
  });
});
