import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { mask } from '../../../src/secrets/secret.ts';
import { type StateEntry, stateText } from '../../../src/tenants/state-file.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;
beforeEach(() => {
  folder = join(temporaryDirectory(), 'customers');
});

const run = (...args: readonly string[]) => botctl(['tenants', ...args], { env: sandbox.env });
const exportTo = (...args: readonly string[]) => run('export', ...args, '--out', folder);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

let made = 0;

/** The ids of a team and of its objects. */
interface Made {
  readonly team: string;
  readonly bot: string;
  readonly device: string;
}

/** Returns an environment whose device book has the device. */
async function bookedIn({ team, bot, device }: Made): Promise<Readonly<Record<string, string>>> {
  const home = temporaryDirectory();
  const booked = { id: device, name: 'Reception', teamId: team, botId: bot };
  await booksIn(join(home, 'data')).record(sandbox.baseUrl, {
    ...booked,
    seenAt: '2026-01-01T00:00:00.000Z',
  });
  return { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
}

/** Creates a team with an object of every kind. */
async function makeTeam(name: string): Promise<Made> {
  const team = await service.team(`Made ${++made}`);
  await service.call('PATCH', `/teams/${team}`, { name });
  const menu = await service.document(team, 'menu.txt');
  const bot = await service.createBot(team, 'Front desk');
  const headers = { Authorization: 'Bearer of nobody else', Accept: 'text/plain' };
  const stock = {
    name: 'stock',
    description: '',
    endpoint: `https://stock.example/\${env:HOME}?page=\${var:a}&api_key=key%2Dof-them&key=#end`,
    method: 'GET',
    headers,
    body: [],
  };
  await service.call('PATCH', `/bots/${bot}`, {
    instructions: `Be kind to \${env:HOME}.\n@menu.txt\n`,
    questions: [{ question: '007', answer: ' yes ' }],
    ...{ actions: [stock], document_ids: [menu], temperature: 0.3 },
  });
  return { team, bot, device: await service.device(team, bot, 'Reception') };
}

describe('tenants export', () => {
  it('writes teams with their state file, so that the plan is empty', async () => {
    const { team, bot, device } = await makeTeam('Café São');
    await service.team('Borealis');
    const env = await bookedIn({ team, bot, device });
    const ran = await botctl(['tenants', 'export', '--all', '--out', folder, '-o', 'json'], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject([
      {
        address: 'cafe-sao',
        id: team,
        file: join(folder, 'cafe-sao.yaml'),
        documents: 1,
        bots: 1,
        devices: 1,
        left_out: [],
      },
      { address: 'borealis', documents: 0, bots: 0, devices: 0 },
    ]);
    const text = read('cafe-sao.yaml');
    expect(text).toMatch(/^# yaml-language-server: \$schema=tenants\.schema\.json\n/);
    expect(text).toContain('      menu:\n        existing: menu.txt\n');
    expect(text).toContain('      reception:\n        name: Reception\n        bot: front-desk\n');
    expect(read('cafe-sao/front-desk.md')).toBe(`Be kind to \${env:HOME}.\n@menu.txt\n`);
    const planned = await run('plan', folder, '--check', '-o', 'json');
    expect(planned).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it('keeps header values and secret parameters out of committed files and the state file', async () => {
    await makeTeam('Aurora');
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    const secret = 'secrets/aurora/front-desk-stock-authorization';
    expect(read(secret)).toBe('Bearer of nobody else\n');
    expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600);
    for (const name of ['secrets', 'secrets/aurora'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o700);
    expect(read('secrets/.gitignore')).toBe('*\n');
    expect(read('aurora.yaml')).toContain(`Authorization: \${file:${secret}}`);
    const parameter = 'secrets/aurora/front-desk-stock-api-key';
    expect(read(parameter)).toBe('key%2Dof-them\n');
    const [before, after] = ['https://stock.example/$${env:HOME}?page=$${var:a}&api_key=', '&key=#end'];
    expect(read('aurora.yaml')).toContain(`${before}\${file:${parameter}}${after}`);
    for (const name of readdirSync(folder).filter((one) => /\./.test(one)))
      for (const secret of ['nobody else', 'of-them']) expect(read(name)).not.toContain(secret);
  });

  it('keeps the login of an endpoint, and only secret values of a body, out of committed files', async () => {
    const { bot } = await makeTeam('Aurora');
    const other = await service.createBot((await makeTeam('Borealis')).team, 'Night desk');
    const action = { name: 'stock', description: '', method: 'POST', headers: {} };
    const body = [
      { key: 'api_key', value: 'body-of-them', type: 'string' },
      { key: 'room', value: 'lobby', type: 'string' },
    ];
    const [login, plain] = ['https://svc:login-of-them@stock.example/', 'https://stock.example/'];
    await service.call('PATCH', `/bots/${bot}`, { actions: [{ ...action, endpoint: login, body: [] }] });
    await service.call('PATCH', `/bots/${other}`, { actions: [{ ...action, endpoint: plain, body }] });
    expect(await exportTo('Aurora', 'Borealis')).toMatchObject({ exitCode: 0 });
    expect(read('secrets/aurora/front-desk-stock-login')).toBe('svc:login-of-them\n');
    expect(read('secrets/borealis/night-desk-stock-api-key')).toBe('body-of-them\n');
    expect(read('aurora.yaml')).toContain(
      `https://\${file:secrets/aurora/front-desk-stock-login}@stock.example/`,
    );
    expect(read('borealis.yaml')).toContain('lobby');
    const committed = readdirSync(folder).filter((one) => /\./.test(one));
    for (const name of committed) expect(read(name)).not.toMatch(/(login|body)-of-them/);
    expect(read('tenants.lock.json')).toContain('"secret":["actions"]');
    const planned = await run('plan', folder, '--check', '-o', 'json');
    expect(planned).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('detects a changed secret in its file, and other changes next to it', async () => {
    const { bot } = await makeTeam('Aurora');
    const action = { name: 'stock', description: '', method: 'GET', headers: { 'X-Key': 'first-of-them' } };
    const body = [{ key: 'api_key', value: 'body-of-them', type: 'string' }];
    const endpoint = 'https://svc:login-of-them@stock.example/?token=of-them&page=1';
    const actions = [{ ...action, endpoint, body }];
    await service.call('PATCH', `/bots/${bot}`, { actions });
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    await service.call('PATCH', `/bots/${bot}`, { actions: [{ ...actions[0], headers: {} }] });
    const planned = await run('plan', folder, '-o', 'json');
    expect(JSON.parse(planned.stdout)).toMatchObject([{ reason: 'drifted' }]);
    await service.call('PATCH', `/bots/${bot}`, { actions });
    const [text, lock] = [read('aurora.yaml'), read('tenants.lock.json')];
    writeFileSync(join(folder, 'secrets/aurora/front-desk-stock-x-key'), 'second-of-them\n');
    writeFileSync(join(folder, 'aurora.yaml'), text.replace('page=1', 'page=2'));
    expect(await run('plan', folder, '--check')).toMatchObject({ exitCode: 11 });
    expect(await run('apply', folder, '--yes')).toMatchObject({ exitCode: 0 });
    expect(await service.bot(bot)).toMatchObject({
      actions: [{ headers: { 'X-Key': 'second-of-them' }, endpoint: endpoint.replace('page=1', 'page=2') }],
    });
    expect(await exportTo('Aurora', '--yes')).toMatchObject({ exitCode: 0 });
    expect(read('tenants.lock.json')).not.toBe(lock);
    expect(await run('plan', folder, '--check', '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('keeps texts that the state file marks as secret out of committed files, as long as they are', async () => {
    const { bot } = await makeTeam('Aurora');
    const name = 'front-desk';
    await service.call('PATCH', `/bots/${bot}`, { actions: [] });
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    const open = read('aurora.yaml');
    const lock = read('tenants.lock.json');
    const hidden = /,"instructions":"[^"]*"|,"questions":[^\]]*\]/g;
    expect(lock.match(hidden)).toHaveLength(2);
    const named = lock
      .replaceAll(hidden, '')
      .replace(/("applied":\{[^}]*"Front desk"[^}]*\})/, '$1,"secret":["instructions","questions"]');
    const lockPath = join(folder, 'tenants.lock.json');
    const instructions = 'The door code is TOPSECRET.\n';
    const questions = [
      { question: 'The code?', answer: 'TOPSECRET' },
      { question: 'Else?', answer: 'TOPSECRET' },
    ];
    await service.call('PATCH', `/bots/${bot}`, { instructions, questions });
    writeFileSync(lockPath, named);
    for (const _ of ['once', 'and again']) {
      expect(await exportTo('Aurora', '--yes')).toMatchObject({ exitCode: 0 });
      expect(read('aurora.yaml')).toContain(`\${file:secrets/aurora/${name}-instructions}\n`);
      expect(read(`secrets/aurora/${name}-instructions`)).toBe(instructions);
      for (const of of ['questions', 'questions-2'])
        expect(read(`secrets/aurora/${name}-${of}`)).toBe('TOPSECRET\n');
      for (const file of readdirSync(folder).filter((one) => /\./.test(one)))
        expect(read(file)).not.toContain('TOPSECRET');
      expect(read('tenants.lock.json')).toContain('"secret":["instructions","questions"]');
      const planned = await run('plan', folder, '--check', '-o', 'json');
      expect(planned, planned.stderr).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    }
    // A file with one line can't hold this secret.
    await service.call('PATCH', `/bots/${bot}`, { instructions: 'One.\nTOPSECRET\n' });
    for (const _ of ['once', 'and again']) {
      expect(await exportTo('Aurora', '--yes')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(`aurora/bots/${name}: instructions, whose secret a file can't hold.`),
      });
      for (const file of readdirSync(folder).filter((one) => /\./.test(one)))
        expect(read(file)).not.toContain('TOPSECRET');
      expect(read('tenants.lock.json')).toContain('"secret":["questions","instructions"]');
      expect(await run('plan', folder, '--check')).toMatchObject({ exitCode: 0 });
    }
    expect(open).toContain('instructions_file: aurora/front-desk.md');
  });

  it('omits texts that contain the secret of its own key, or repeat one of an action', async () => {
    const { bot } = await makeTeam('Aurora');
    const own = `with ${sandbox.env.BOTCTL_KEY_SECRET}`;
    const action = {
      name: 'stock',
      description: '',
      endpoint: 'https://stock.example',
      method: 'GET',
      headers: { Authorization: 'Bearer sk-of-them' },
      body: [],
    };
    for (const [changes, field] of [
      [{ instructions: `Call ${own}\n` }, 'instructions'],
      [{ instructions: '', actions: [{ ...action, headers: { Key: own } }] }, 'actions'],
      [{ instructions: '', actions: [{ ...action, name: own }] }, 'actions'],
      [{ instructions: 'Use sk-of-them.', actions: [action] }, 'instructions'],
      [{ instructions: '', actions: [{ ...action, description: 'Use sk-of-them.' }] }, 'actions'],
    ] as const) {
      await service.call('PATCH', `/bots/${bot}`, changes);
      const ran = await exportTo('Aurora', '--yes', '-o', 'json');
      expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject([
        { left_out: [`aurora/bots/front-desk: ${field}, whose value contains a secret`] },
      ]);
      for (const file of ['aurora.yaml', 'tenants.lock.json'])
        for (const secret of [sandbox.env.BOTCTL_KEY_SECRET, 'sk-of-them', mask])
          expect(read(file)).not.toContain(secret);
      expect(await run('plan', folder, '--check')).toMatchObject({ exitCode: 0 });
    }
  });

  it('omits names that contain a secret', async () => {
    const own = sandbox.env.BOTCTL_KEY_SECRET;
    const { team, bot } = await makeTeam('Aurora');
    await service.document(team, `${own}.txt`);
    await service.call('PATCH', `/bots/${bot}`, { name: `Desk ${own}` });
    const other = await makeTeam(own);
    const env = await bookedIn(other);
    const ran = await botctl(['tenants', 'export', '--all', '--out', folder, '-o', 'json'], { env });
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject([
      {
        address: 'aurora',
        documents: 2,
        left_out: [`aurora: bot ${bot}, whose name a file can't hold`],
      },
    ]);
    expect(ran.stderr).toContain(`Team ${other.team}: a file can't hold its name.`);
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      expect(path).not.toContain(own.toLowerCase().slice(0, 12));
      if (statSync(join(folder, path)).isFile()) expect(read(path)).not.toContain(own);
    }
    expect(await run('plan', folder, '--check')).toMatchObject({ exitCode: 0 });
  });

  it('keeps keys from the state file, and asks before it replaces local changes', async () => {
    const { bot } = await makeTeam('Aurora');
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    await service.call('PATCH', `/bots/${bot}`, { name: 'Main desk' });
    writeFileSync(join(folder, 'aurora.yaml'), `${read('aurora.yaml')}# mine\n`);
    const refused = await exportTo('Aurora');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`${join(folder, 'aurora.yaml')} already exists.`);
    expect(read('aurora.yaml')).toContain('# mine');
    expect(await exportTo('Aurora', '--yes')).toMatchObject({ exitCode: 0 });
    expect(read('aurora.yaml')).toContain('      front-desk:\n        name: Main desk\n');
    await makeTeam('AURORA ');
    expect(await exportTo('AURORA ')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('aurora-2'),
    });
    expect(await run('plan', folder, '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('writes nothing if another command changed the state file since the teams were read', async () => {
    await makeTeam('Aurora');
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    const other = stateText({
      origin: sandbox.baseUrl,
      entries: new Map([['aurora', { id: await service.team('Borealis'), applied: {} }]]),
    });
    writeFileSync(join(folder, 'aurora.yaml'), 'version: 1\n');
    const refused = await botctl(['tenants', 'export', 'Aurora', '--out', folder], {
      env: sandbox.env,
      terminal: true,
      answers: { 'Replace it?': 'y' },
      onError: (text) => {
        if (text.includes('Replace it?')) writeFileSync(join(folder, 'tenants.lock.json'), other);
      },
    });
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/was changed\s+by\s+another command/),
    });
    expect([read('aurora.yaml'), read('tenants.lock.json')]).toEqual(['version: 1\n', other]);
  });

  it('writes nothing into an unrelated folder, or if one of its files cannot be written', async () => {
    await makeTeam('Aurora');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{}');
    const refused = await exportTo('Aurora');
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is not empty') });
    expect(readdirSync(folder)).toEqual(['package.json']);
    folder = join(folder, '..', 'others');
    await service.team('Borealis');
    expect(await exportTo('Borealis')).toMatchObject({ exitCode: 0 });
    writeFileSync(join(folder, 'aurora'), 'a file in the place of a folder');
    const before = readdirSync(folder);
    expect(await exportTo('Aurora')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining("Can't write"),
    });
    expect(readdirSync(folder)).toEqual(before);
    writeFileSync(join(folder, 'north.yaml'), read('borealis.yaml'));
    writeFileSync(join(folder, 'borealis.yaml'), 'version: 1\n');
    const twice = await exportTo('Borealis', '--yes');
    expect(twice).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('borealis is already declared in'),
    });
  });

  it('keeps what only the state file has: devices, one that may exist, and what was created from the files', async () => {
    const { team, bot, device } = await makeTeam('Aurora');
    const env = await bookedIn({ team, bot, device });
    const other = await service.device(team, bot, 'Reception');
    mkdirSync(folder);
    const since = '2026-01-01T00:00:00.000Z';
    const entries = new Map<string, StateEntry>([
      ['aurora', { id: team, created: true, applied: {} }],
      ['aurora/devices/reception', { id: other, applied: { name: 'Reception', bot_id: bot } }],
      ['aurora/devices/reception-2', { unknown_since: since, applied: {} }],
    ]);
    writeFileSync(join(folder, 'tenants.lock.json'), stateText({ origin: sandbox.baseUrl, entries }));
    expect(await botctl(['tenants', 'export', 'Aurora', '--out', folder], { env })).toMatchObject({
      exitCode: 0,
    });
    const { objects } = JSON.parse(read('tenants.lock.json'));
    expect(objects).toMatchObject({
      aurora: { id: team, created: true, applied: { name: 'Aurora' } },
      'aurora/devices/reception': { id: other },
      'aurora/devices/reception-2': { unknown_since: since },
      'aurora/devices/reception-3': { id: device },
    });
  });

  it('declares nothing twice that existing files create with variables, and asks about every file', async () => {
    await makeTeam('Aurora');
    expect(await exportTo('Aurora')).toMatchObject({ exitCode: 0 });
    writeFileSync(join(folder, 'tenants.schema.json'), 'mine');
    const asked = await exportTo('Aurora');
    expect(asked).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('tenants.schema.json already exists.'),
    });
    const text = read('aurora.yaml');
    const variable = text.replace('name: Aurora', `name: \${var:name}`);
    rmSync(join(folder, 'aurora.yaml'));
    for (const [declared, says] of [
      [variable, 'is already declared in'],
      [variable.replace('  aurora:', `  \${var:key}:`), 'may already be declared in'],
      ['tenants: [', 'This is neither YAML nor JSON'],
    ] as const) {
      writeFileSync(join(folder, 'all.yaml'), declared);
      const refused = await exportTo('Aurora', '--yes');
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(says) });
    }
    expect(read('tenants.schema.json')).toBe('mine');
  });

  it('writes no files if there can be no state file, and both at once into a new folder', async () => {
    await makeTeam('Aurora');
    const lock = join(folder, 'prod.lock.json');
    expect(await exportTo('Aurora', '--lock', lock)).toMatchObject({ exitCode: 0 });
    expect(await run('plan', folder, '--lock', lock, '--check')).toMatchObject({ exitCode: 0 });
    rmSync(join(folder, 'aurora.yaml'));
    rmSync(lock);
    mkdirSync(lock);
    expect(await exportTo('Aurora', '--lock', lock)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(existsSync(join(folder, 'aurora.yaml'))).toBe(false);
  });

  it('lets a plan of many tenants request each team and bot once, and each list once', async () => {
    await callControl(sandbox.control, '/seed', { teams: 10, bots: 10, documents: 10 });
    expect(await exportTo('--all')).toMatchObject({ exitCode: 0 });
    const seen = await requestsFromNow(sandbox);
    expect(await run('plan', folder, '--check', '-o', 'json')).toMatchObject({
      exitCode: 0,
      stdout: '[]\n',
    });
    const counts = new Map<unknown, number>();
    for (const { operation } of await seen()) counts.set(operation, (counts.get(operation) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({ getTeam: 10, getBot: 10, listDocuments: 1 });
  });

  it('writes no name that Windows reserves or treats as equal to another', async () => {
    const made = await makeTeam('AUX');
    await service.call('PATCH', `/bots/${made.bot}`, { name: 'nul' });
    const lock = join(folder, 'tenants.lock.json');
    mkdirSync(folder);
    const entries = new Map([['Con', { id: made.team, applied: {} }]]);
    writeFileSync(lock, stateText({ origin: sandbox.baseUrl, entries }));
    const other = await makeTeam('con');
    const ran = await botctl(['tenants', 'export', made.team, other.team, '--out', folder], {
      env: sandbox.env,
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) =>
      path.split(sep),
    );
    expect(names).toContain('Con_.yaml');
    for (const name of names) expect(name).not.toMatch(/^(aux|con|nul)(\.|$)/i);
    const folded = readdirSync(folder).map((name) => name.toLowerCase());
    expect(new Set(folded).size).toBe(folded.length);
    const plan = await botctl(['tenants', 'plan', folder, '--check'], { env: sandbox.env });
    expect(plan, plan.stderr).toMatchObject({ exitCode: 0 });
  });

  it('exports teams or --all, and finds nothing on an empty service', async () => {
    for (const args of [[], ['--all', 'Aurora']])
      expect(await exportTo(...args)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await exportTo('--all', '-o', 'json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(existsSync(folder)).toBe(false);
  });
});
