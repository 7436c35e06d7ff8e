import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { applyRisks } from '../../../src/commands/tenants/options.ts';
import { type State, type StateEntry, stateText } from '../../../src/tenants/state-file.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const aurora = `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: pro
    administrator: { name: Manager, email: manager@aurora.example, phone: "+5511999990000" }
    documents:
      menu: { file: menu.txt }
    bots:
      front:
        name: Front desk
        instructions: Be kind.
        temperature: 0.3
        documents: [menu]
    devices:
      reception: { name: Reception, bot: front }
`;

const borealis = `version: 1
tenants:
  borealis:
    name: Borealis Books
    plan_name: basic
    administrator: { name: Owner, email: owner@borealis.example, phone: "+5511999990001" }
`;

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

let folder: string;

beforeEach(() => {
  folder = join(temporaryDirectory(), 'tenants');
  mkdirSync(folder);
  write('aurora.yaml', aurora);
  write('menu.txt', 'hello');
});

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

const plan = (args: readonly string[] = [], options: RunOptions = {}) =>
  botctl(['tenants', 'plan', folder, ...args], { env: sandbox.env, ...options });

const allRisks = ['--allow', applyRisks.join(',')];

/** Returns the rows of a plan with every risk allowed. */
async function rows(...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await plan(['-o', 'json', ...allRisks, ...args]);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Creates the tenant with plain commands; returns the ids of its team, document and bot. */
async function makeByHand() {
  const run = async (args: readonly string[]): Promise<string> => {
    const ran = await botctl([...args, '-o', 'id'], { env: sandbox.env });
    expect(ran).toMatchObject({ exitCode: 0 });
    return ran.stdout.trim();
  };
  const admin = ['--admin-name', 'M', '--admin-email', 'm@aurora.example', '--admin-phone', '+5511999990000'];
  const team = await run(['teams', 'create', '--name', 'Aurora Coffee', '--plan', 'pro', ...admin]);
  const menu = await run(['docs', 'upload', join(folder, 'menu.txt'), '--team', team]);
  const texts = ['--instructions', 'Be kind.', '--temperature', '0.3', '--document', 'menu.txt'];
  const front = await run(['bots', 'create', '--team', team, '--name', 'Front desk', ...texts]);
  return { team, menu, front };
}

/** Creates the tenant, and the state file that an apply of it would write. */
async function apply(
  others: Readonly<Record<string, StateEntry>> = {},
): Promise<{ front: string; written: State }> {
  const team = await service.team('Aurora Coffee');
  const menu = await service.document(team, 'menu.txt');
  const front = await service.createBot(team, 'Front desk');
  const texts = { instructions: 'Be kind.', temperature: 0.3, document_ids: [menu] };
  await service.call('PATCH', `/bots/${front}`, texts);
  const entries: Record<string, StateEntry> = {
    aurora: { id: team, created: true, applied: { name: 'Aurora Coffee', plan_name: 'pro' } },
    'aurora/documents/menu': {
      path: 'aurora/documents/menu',
      id: menu,
      name: 'menu.txt',
      sha256: sha256Of('hello'),
    },
    'aurora/bots/front': {
      id: front,
      applied: { name: 'Front desk', ...texts },
    },
    'aurora/devices/reception': { id: front, applied: { name: 'Reception', bot_id: front } },
    ...others,
  };
  const written = { origin: sandbox.baseUrl, entries: new Map(Object.entries(entries)) };
  write('tenants.lock.json', stateText(written));
  return { front, written };
}

describe('tenants plan', () => {
  it('lists what would be created for new tenants, and changes nothing', async () => {
    write('borealis.yaml', borealis);
    expect(await rows()).toMatchObject([
      { address: 'aurora', kind: 'team', action: 'create', name: 'Aurora Coffee', id: null },
      { address: 'aurora/documents/menu', kind: 'document', action: 'create', name: 'menu.txt' },
      {
        ...{ address: 'aurora/bots/front', kind: 'bot', action: 'create' },
        fields: [
          { field: 'name', from: null, to: 'Front desk' },
          { field: 'instructions', to: 'Be kind.' },
          { field: 'temperature', to: 0.3 },
          { field: 'documents', to: ['aurora/documents/menu'] },
        ],
      },
      { address: 'aurora/devices/reception', kind: 'device', action: 'create', risks: [] },
      { address: 'borealis', action: 'create' },
    ]);
    expect(await service.bots()).toEqual([]);
    const drawn = await plan(['-o', 'table']);
    expect(drawn.stdout).not.toContain('manager@aurora.example');
    // An apply in a job would be refused without it.
    expect(drawn.stderr).toContain('--discard-token');
  });

  it('adopts what was created by hand and matches the files, and needs consent for a device', async () => {
    const { team, menu, front } = await makeByHand();
    expect(await rows()).toMatchObject([
      { address: 'aurora', action: 'adopt', id: team, fields: [], risks: [] },
      { address: 'aurora/documents/menu', action: 'adopt', id: menu, risks: [] },
      { address: 'aurora/bots/front', action: 'adopt', id: front, fields: [], risks: [] },
      { address: 'aurora/devices/reception', action: 'create', risks: [{ risk: 'create-device' }] },
    ]);
  });

  it('matches documents if one unit of size fits several, and refuses to guess otherwise', async () => {
    const names = ['one.txt', 'two.txt', 'three.txt'];
    for (const [at, name] of names.entries()) write(name, 'x'.repeat(1500 + 2000 * at));
    const { team, menu } = await makeByHand();
    for (const name of names)
      await botctl(['docs', 'upload', join(folder, name), '--team', team], { env: sandbox.env });
    sandbox.behave({ size_unit: 'kB' });
    const line = '      menu: { file: menu.txt }\n';
    const more = names.map((name) => `      ${name.replace('.txt', '')}: { file: ${name} }\n`).join('');
    write('aurora.yaml', aurora.replace(line, line + more));
    const planned: { readonly kind: string; readonly action: string }[] = await rows();
    const documents = planned.filter(({ kind }) => kind === 'document');
    expect(documents.map(({ action }) => action)).toEqual(Array(4).fill('adopt'));
    write('aurora.yaml', aurora);
    const unclear = await plan();
    expect(unclear).toMatchObject({ exitCode: 2 });
    expect(unclear.stderr).toContain(`botctl tenants import aurora/documents/menu ${menu}`);
  });

  it('reports all ambiguous names at once, and plans the other tenants', async () => {
    const [one, other] = [await service.team('Aurora Coffee'), await makeByHand()];
    const books = await service.team('Borealis Books');
    for (const name of ['Shelf', 'Shelf']) await service.createBot(books, name);
    write('borealis.yaml', `${borealis}    bots: { shelf: { name: Shelf }, till: { name: Till } }\n`);
    const corona = borealis.replaceAll(/borealis/gi, 'corona').replace('0001"', '0002"');
    write('corona.yaml', corona);
    const ran = await plan(['-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2 });
    const planned: readonly { readonly address: string; readonly impossible: readonly string[] }[] =
      JSON.parse(ran.stdout);
    const saysOf = (address: string): string =>
      planned.find((row) => row.address === address)?.impossible.join(' ') ?? '';
    for (const id of [one, other.team]) expect(saysOf('aurora')).toContain(id);
    expect(saysOf('aurora/bots/front')).toContain('aurora');
    expect(saysOf('borealis/bots/shelf')).toContain('Shelf');
    expect(planned).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ address: 'borealis/bots/till', action: 'create' }),
        expect.objectContaining({ address: 'corona', action: 'create' }),
      ]),
    );
    for (const line of [`import aurora ${one} --lock ${folder}`, 'import borealis/bots/shelf '])
      expect(ran.stderr).toContain(`botctl tenants ${line}`);
  });

  it('distinguishes drift from changes of the files, and reports what they would unpublish', async () => {
    const made = await apply();
    await service.call('PATCH', `/bots/${made.front}`, {
      temperature: 0.9,
      description: 'nobody declared this',
    });
    await service.publish(made.front);
    write('aurora.yaml', aurora.replace('Be kind.', 'Be kind, and brief.'));
    expect(await rows()).toMatchObject([
      {
        ...{ address: 'aurora/bots/front', action: 'update' },
        fields: [
          { field: 'instructions', from: 'Be kind.', to: 'Be kind, and brief.', moved: 'files' },
          { field: 'temperature', from: 0.9, to: 0.3, moved: 'service', applied: 0.3 },
        ],
        risks: [{ risk: 'unpublish' }],
      },
    ]);
    const piped = await plan();
    expect(piped.stdout).toBe(
      `aurora/bots/front\tbot\tupdate\tFront desk\t${made.front}\t["instructions","temperature"]\t["unpublish"]\tdrifted\n`,
    );
    const checked = await plan(['--check', '-o', 'table', '--allow', 'unpublish']);
    expect(checked).toMatchObject({ exitCode: 11 });
    expect(checked.stderr).toContain('--allow unpublish');
    expect(checked.stdout).toContain('temperature: was 0.3, is 0.9');
    const markdown = await plan(['-o', 'markdown']);
    expect(markdown.stdout.indexOf('unpublish')).toBeLessThan(markdown.stdout.indexOf('#### change'));
    expect(markdown.stdout).toContain('- temperature: 0.9\n+ temperature: 0.3');
  });

  it('plans only what --target names, and suggests an address for a wrong one', async () => {
    write('borealis.yaml', borealis);
    expect(await rows('--target', 'borealis')).toMatchObject([{ address: 'borealis' }]);
    expect(await rows('--target', 'aurora/documents/menu')).toMatchObject([
      { address: 'aurora' },
      { address: 'aurora/documents/menu' },
    ]);
    const ran = await plan(['--target', 'aurora/bots/fromt']);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean aurora/bots/front?'),
    });
  });

  it('masks secrets of the environment, and values that another user set instead', async () => {
    const actions = (token: string) =>
      `        actions: [{ name: stock, method: GET, endpoint: "https://stock.example/", headers: { Authorization: "${token}" } }]\n`;
    const made = await apply();
    const own = 'a token of the environment';
    write(
      'aurora.yaml',
      aurora.replace('        documents:', `${actions(`\${env:STOCK}`)}        documents:`),
    );
    await service.call('PATCH', `/bots/${made.front}`, {
      actions: [
        {
          ...{ name: 'stock', description: '', method: 'GET', endpoint: 'https://stock.example/', body: [] },
          headers: { Authorization: 'a token that somebody else set' },
        },
      ],
    });
    for (const format of ['json', 'table', 'markdown', 'yaml']) {
      const ran = await plan(['-o', format], { env: { ...sandbox.env, STOCK: own } });
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      expect(ran.stdout).toContain('actions');
      expect(ran.stdout).not.toMatch(/a token/);
    }
    expect(readFileSync(join(folder, 'tenants.lock.json'), 'utf8')).not.toContain('token');
  });

  it('masks the login, query and body of an action that another user set, but not those of the files', async () => {
    const { front } = await apply();
    const action = (login: string, key: string, value: string) => ({
      ...{ name: 'stock', description: '', method: 'POST', headers: {} },
      endpoint: `https://${login}@stock.example/x?page=1&api_key=${key}`,
      body: [
        { key: 'api_key', value, type: 'string' },
        { key: 'room', value: 'lobby', type: 'string' },
      ],
    });
    await service.call('PATCH', `/bots/${front}`, {
      actions: [action('svc:foreign-login', 'foreign-query', 'foreign-body')],
    });
    const own = JSON.stringify([action('svc:own-login', 'own-query', 'own-body')]);
    write('aurora.yaml', aurora.replace('        documents:', `        actions: ${own}\n        documents:`));
    const kept = join(folder, '..', 'plan.json');
    expect(await plan(['--out', kept, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(kept, 'utf8')).not.toContain('foreign');
    for (const format of ['json', 'table', 'markdown']) {
      const { stdout } = await plan(['-o', format]);
      expect(stdout).not.toContain('foreign');
      for (const shown of ['own-login', 'own-query', 'own-body', 'lobby']) expect(stdout).toContain(shown);
    }
  });

  it('plans the documents of a folder next to files that cannot be uploaded', async () => {
    mkdirSync(join(folder, 'faq', 'old'), { recursive: true });
    for (const name of ['hours.txt', 'photo.png', 'old/prices.md']) write(`faq/${name}`, `hello ${name}`);
    write('aurora.yaml', aurora.replace('{ file: menu.txt }', '{ folder: faq }'));
    const planned = await plan(['-o', 'json']);
    expect(planned).toMatchObject({ exitCode: 2 });
    expect(JSON.parse(planned.stdout)).toMatchObject([
      { address: 'aurora' },
      { address: 'aurora/documents/menu/hours.txt', action: 'create', name: 'hours.txt' },
      { address: 'aurora/documents/menu/old/prices.md', action: 'create' },
      { address: 'aurora/documents/menu/photo.png', action: 'none', reason: 'impossible' },
      { address: 'aurora/bots/front', action: 'create' },
      { address: 'aurora/devices/reception', action: 'create' },
    ]);
    write('faq/old/hours.txt', 'hello');
    const ran = await plan();
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(
      'aurora.yaml:8:7: aurora/documents/menu/hours.txt, aurora/documents/menu/old/hours.txt would get the same name, hours.txt.',
    );
  });

  it('reports a failure in Markdown too', async () => {
    write('aurora.yaml', aurora.replace('plan_name', '"```plan"'));
    const broken = await plan(['-o', 'markdown']);
    expect(broken).toMatchObject({ exitCode: 2 });
    expect(broken.stdout).toMatch(/^### Failed with exit code 2\n\n````text\n.*aurora\.yaml:/);
    expect(broken.stderr).toContain('aurora.yaml:');
    write('aurora.yaml', aurora.replace('{ file: menu.txt }', '{ existing: gone.pdf }'));
    const unknown = await plan(['-o', 'markdown'], {
      env: { ...sandbox.env, BOTCTL_KEY_SECRET: 'x'.repeat(64) },
    });
    expect(unknown).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('exit code 4') });
    const impossible = await plan(['-o', 'markdown']);
    expect(impossible).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(/^### Tenants: /) });
    expect(impossible.stdout).not.toContain('exit code');
  });

  it('truncates Markdown between sections to the limit of a GitHub comment', async () => {
    const bot = (at: number) => `      bot-${at}: { name: "Bot ${at} *of* @many ${'m'.repeat(40)}" }\n`;
    const many = Array.from({ length: 700 }, (_, at) => bot(at));
    write('aurora.yaml', aurora.replace('    devices:\n', `${many.join('')}    devices:\n`));
    const { stdout } = await plan(['-o', 'markdown']);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(60_000);
    expect(stdout).toContain('\\*of\\* @\u200bmany');
    expect(stdout).toMatch(/_\d+ more parts do not fit here\._\n$/);
  });
});

describe('the exit code of tenants plan', () => {
  const applyInJob = (...args: readonly string[]) =>
    botctl(['tenants', 'apply', folder, '--yes', '--discard-token', ...args], { env: sandbox.env });

  it('is 2 for a risk without consent, and 0 with it, like that of an apply in a script', async () => {
    const { front } = await apply();
    await service.publish(front);
    write('aurora.yaml', aurora.replace('Be kind.', 'Be brief.'));
    for (const check of [[], ['--check']]) {
      const ran = await plan(['-o', 'json', ...check]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('"unpublish"') });
      const { code, next } = JSON.parse(ran.stderr).error;
      expect(code).toBe('NOT_CONFIRMED');
      expect(next).toEqual([['botctl', 'tenants', 'plan', folder, '--allow', 'unpublish']]);
    }
    expect(await applyInJob()).toMatchObject({ exitCode: 2 });
    expect(await plan(['--allow', 'ban'])).toMatchObject({ exitCode: 2 });
    expect(await plan(['--allow', 'unpublish'])).toMatchObject({ exitCode: 0 });
    expect(await plan(['--allow', 'unpublish', '--check'])).toMatchObject({ exitCode: 11 });
    expect(await applyInJob('--allow', 'unpublish')).toMatchObject({ exitCode: 0 });
  });

  it('is 2 for an impossible change, without a suggestion to apply it, like that of an apply that can do nothing else', async () => {
    await apply();
    write('aurora.yaml', aurora.replace('    bots:', '      logo: { file: logo.png }\n    bots:'));
    write('logo.png', 'hello');
    for (const check of [[], ['--check']]) {
      const ran = await plan(check);
      expect(ran).toMatchObject({ exitCode: 2 });
      expect(ran.stderr).toContain("aurora/documents/logo: It can't be uploaded: ");
      expect(ran.stderr).not.toContain('tenants apply');
    }
    expect(await applyInJob()).toMatchObject({ exitCode: 2 });
    write('borealis.yaml', borealis);
    expect(await applyInJob()).toMatchObject({ exitCode: 10 });
  });

  it('is 11 with --check, which lists only what the service changed', async () => {
    const { front } = await apply();
    write('aurora.yaml', aurora.replace('Be kind.', 'Be brief.'));
    write('borealis.yaml', borealis);
    const undrifted = await plan(['--check']);
    expect(undrifted).toMatchObject({ exitCode: 11 });
    expect(undrifted.stderr).not.toContain('Changed in the service');
    await service.call('PATCH', `/bots/${front}`, { temperature: 1 });
    const ran = await plan(['--check']);
    expect(ran).toMatchObject({ exitCode: 11 });
    expect(ran.stderr).toContain('Changed in the service since the last apply: aurora/bots/front.');
    await service.call('DELETE', `/bots/${front}`);
    const gone = await plan(['--check', '--allow', 'recreate']);
    expect(gone).toMatchObject({ exitCode: 11 });
    expect(gone.stderr).toContain('Changed in the service since the last apply: aurora/bots/front.');
  });
});

describe('tenants show and forget', () => {
  it('list the state file, and remove a tenant from it with all its entries', async () => {
    const { front } = await apply();
    const path = join(folder, 'tenants.lock.json');
    const shown = await botctl(['tenants', 'show', '--lock', path, '-o', 'id']);
    expect(shown.stdout.split('\n')).toContain(front);
    // A refusal is reported before the question.
    const typo = await botctl(['tenants', 'forget', 'auroa', '--lock', path]);
    expect(typo).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Did you mean aurora?') });
    const refused = await botctl(['tenants', 'forget', 'aurora', '--lock', path]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await botctl(['tenants', 'forget', 'aurora', '--lock', path, '--yes'])).toMatchObject({
      exitCode: 0,
    });
    const none = await botctl(['tenants', 'show', '--lock', path, '-o', 'json']);
    expect(none).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });
});

describe('tenants import', () => {
  const take = (address: string, object: string) =>
    botctl(['tenants', 'import', address, object, '--lock', join(folder, 'tenants.lock.json')], {
      env: sandbox.env,
    });

  it('reports which of several objects it can be, and refuses one that is taken or of another team, and an invalid address', async () => {
    const other = await service.team('Borealis Books');
    const front = await service.createBot(other, 'Front desk');
    const team = await service.team('Aurora Coffee');
    await service.call('PATCH', `/teams/${other}`, { name: 'Aurora Coffee' });
    expect(await plan()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('tenants import aurora'),
    });
    expect(await take('aurora', team)).toMatchObject({ exitCode: 0 });
    expect(await take('aurora', team)).toMatchObject({ exitCode: 0 });
    expect((await rows()).map(({ address }: { address: string }) => address)).not.toContain('aurora');
    for (const [address, object, words] of [
      ['aurora', other, `aurora is already linked to ${team}.`],
      ['borealis', team, 'Aurora Coffee is already linked to aurora.'],
      ['aurora/bots/front', front, 'Front desk belongs to another team than aurora.'],
      ['aurora/bot/front', front, 'is not an address'],
    ] as const)
      expect(await take(address, object)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(words),
      });
  });

  it('keeps concurrent changes of the state file', async () => {
    const keys = ['aurora', 'borealis', 'corona'];
    const teams = await Promise.all(keys.map((key) => service.team(key)));
    const taken = await Promise.all(keys.map((key, at) => take(key, String(teams[at]))));
    expect(taken.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const lock = ['--lock', join(folder, 'tenants.lock.json')];
    const forgotten = await Promise.all(
      ['aurora', 'corona'].map((key) => botctl(['tenants', 'forget', key, ...lock, '--yes'])),
    );
    expect(forgotten.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const { stdout } = await botctl(['tenants', 'show', ...lock, '--fields', 'address', '-o', 'csv']);
    expect(stdout).toBe('address\r\nborealis\r\n');
  });

  it('resolves a device whose create was interrupted', async () => {
    const { front } = await apply({
      'aurora/devices/reception': { unknown_since: '2026-11-23T10:00:00.000Z', applied: {} },
    });
    expect(await plan()).toMatchObject({ exitCode: 12 });
    const { team_id: team } = await service.bot(front);
    const device = await service.device(String(team), front, 'Reception');
    expect(await take('aurora/devices/reception', device)).toMatchObject({ exitCode: 0 });
    expect(await rows()).toEqual([]);
  });

  it('keeps in the state file which bot such a device is linked to, which is then not deleted', async () => {
    const team = await service.team('Aurora Coffee');
    const front = await service.createBot(team, 'Front desk');
    const applied = { name: 'Reception', bot_id: front };
    const entries: Record<string, StateEntry> = {
      aurora: { id: team, applied: {} },
      'aurora/bots/front': { id: front, applied: {} },
      'aurora/devices/reception': { unknown_since: '2026-11-23T10:00:00.000Z', applied },
    };
    const lock = { origin: sandbox.baseUrl, entries: new Map(Object.entries(entries)) };
    write('tenants.lock.json', stateText(lock));
    const device = await service.device(team, front, 'Reception');
    expect(await take('aurora/devices/reception', device)).toMatchObject({ exitCode: 0 });
    write('aurora.yaml', 'version: 1\ntenants: { aurora: { name: Aurora Coffee } }\n');
    const ran = await plan(['--prune', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2 });
    const planned: { readonly address: string }[] = JSON.parse(ran.stdout);
    expect(planned.find(({ address }) => address === 'aurora/bots/front')).toMatchObject({
      action: 'none',
      reason: 'impossible',
      impossible: [expect.stringContaining('linked to aurora/devices/reception')],
    });
  });
});
