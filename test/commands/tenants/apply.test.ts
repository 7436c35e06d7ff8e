import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { systemClock } from '../../../src/lib/clock.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { tryLock } from '../../../src/lib/files/lock.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { TokenFile } from '../../../src/tenants/apply/token-file.ts';
import { answer, answerInTurn } from '../../support/answer.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { actionText } from './action-text.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  const home = temporaryDirectory();
  folder = join(home, 'tenants');
  mkdirSync(folder);
  env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config') };
});

/** A tenant with one object of each kind. */
const tenant = (key: string, more = ''): string => `version: 1
tenants:
  ${key}:
    name: ${key} Coffee
    plan_name: pro
    paying: true
    quotas: { bots: 3 }
    administrator: { name: Manager, email: ${key}@direct.example, phone: "+5511999990000" }
    documents:
      menu: { file: menu.txt }
    bots:
      front:
        name: Front desk
        instructions: Be kind.
        temperature: 0.3
        questions: [{ question: When?, answer: At 7 }]
        documents: [menu]
    devices:
      reception: { name: Reception, bot: front }
${more}`;

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

function writeTenants(...keys: readonly string[]): void {
  for (const key of keys) write(`${key}.yaml`, tenant(key));
  write('menu.txt', 'hello');
}

const run = (verb: string, args: readonly string[] = [], options: RunOptions = {}) =>
  botctl(['tenants', verb, folder, ...args], { env, clock: withoutWaiting(), ...options });

const answers = ['--yes', '--discard-token', '-o', 'json'] as const;

const rowsSchema = z.array(
  z.looseObject({
    address: z.string(),
    action: z.string(),
    reason: z.string(),
    outcome: z.string(),
    id: z.nullable(z.string()),
    error: z.nullable(z.string()),
  }),
);

async function apply(...args: readonly string[]) {
  const ran = await run('apply', [...answers, ...args]);
  const rows = ran.stdout === '' ? [] : z.parse(rowsSchema, JSON.parse(ran.stdout));
  const outcomes = rows.map((row) => `${row.outcome}: ${actionText(row)} ${row.address}`).sort();
  return { ...ran, rows, outcomes };
}

const lockSchema = z.looseObject({ objects: z.record(z.string(), z.unknown()) });
const entryOf = (address: string) => z.parse(z.looseObject({ id: z.string() }), lockOf()[address]);
const lockOf = (): Readonly<Record<string, unknown>> =>
  z.parse(lockSchema, JSON.parse(readFileSync(join(folder, 'tenants.lock.json'), 'utf8'))).objects;

/** Returns the number of the service's objects of each kind. */
async function counts() {
  const { teams, bots, documents, devices } = await callControl(sandbox.control, '/status', {});
  return { teams, bots, documents, devices };
}

/** Deletes a bot as another user does in the platform. */
async function deleteBot(id: string): Promise<void> {
  expect(await botctl(['bots', 'delete', id, '--confirm', id], { env })).toMatchObject({ exitCode: 0 });
}

/** Creates another team with a name and another administrator. Returns its id. */
async function sharedTeam(name: string): Promise<string> {
  const admin = ['--admin-name', 'N', '--admin-email', 'n@direct.example', '--admin-phone', '+5511999990001'];
  const line = [
    ...['teams', 'create', '--name', name, '--plan', 'pro', ...admin, '--allow', 'duplicate'],
    ...['-o', 'id'],
  ];
  return (await botctl(line, { env })).stdout.trim();
}

const deviceCount = async (): Promise<number> => (await counts()).devices;

/** Returns the write operations since then. */
async function writesSince(seen: Awaited<ReturnType<typeof requestsFromNow>>): Promise<readonly string[]> {
  return (await seen())
    .map(({ operation }) => String(operation))
    .filter((name) => /^(create(?!Token)|update|delete)/.test(name));
}

describe('tenants apply', () => {
  it('masks a secret until a plain value in its place is applied', async () => {
    writeTenants('aurora');
    const written = tenant('aurora');
    const secret = 'The door code is of the environment.';
    write('aurora.yaml', written.replace('Be kind.', `\${env:DOOR}`));
    env = { ...env, DOOR: secret };
    expect(await apply()).toMatchObject({ exitCode: 0 });
    // Undeclared fields are kept in the service.
    write('aurora.yaml', written.replace('        instructions: Be kind.\n', '').replace('0.3', '0.4'));
    expect(await apply()).toMatchObject({ exitCode: 0, outcomes: ['done: update aurora/bots/front'] });
    write('aurora.yaml', written.replace('Be kind.', 'Knock.'));
    env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const kept = join(temporaryDirectory(), 'plan.json');
    for (const args of [
      ['-o', 'json'],
      ['-o', 'markdown'],
      ['--out', kept, '--yes'],
    ]) {
      const ran = await run('plan', args);
      expect(ran).toMatchObject({ exitCode: 0 });
      expect(ran.stdout).not.toContain('door code');
    }
    expect(readFileSync(kept, 'utf8')).not.toContain('door code');
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(lockOf()['aurora/bots/front']).toMatchObject({ applied: { instructions: 'Knock.' } });
    expect(lockOf()['aurora/bots/front']).not.toHaveProperty('secret');
  });

  it('creates the declared objects once, and leaves no file but the state file', async () => {
    writeTenants('aurora', 'borealis');
    const first = await apply();
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.outcomes).toEqual(
      ['aurora', 'borealis']
        .flatMap((key) => [
          `done: create ${key}`,
          `done: create ${key}/bots/front`,
          `done: create ${key}/devices/reception`,
          `done: create ${key}/documents/menu`,
          `done: update ${key}`,
        ])
        .sort(),
    );
    const { 'aurora/bots/front': front, aurora } = lockOf();
    expect(aurora).toMatchObject({ created: true, applied: { paying: true, 'quotas.bots': 3 } });
    const { id } = z.parse(z.looseObject({ id: z.string() }), front);
    expect(await service.bot(id)).toMatchObject({ instructions: 'Be kind.', documents: [{}] });
    expect(readdirSync(folder).sort()).toEqual([
      'aurora.yaml',
      'borealis.yaml',
      'menu.txt',
      'tenants.lock.json',
    ]);
    const seen = await requestsFromNow(sandbox);
    const second = await apply();
    expect(second).toMatchObject({ exitCode: 0, rows: [] });
    expect(await writesSince(seen)).toEqual([]);
  });

  it('sends one PATCH for one instruction that changed in one file, and reverts concurrent changes', async () => {
    writeTenants('aurora', 'borealis');
    await apply();
    write('aurora.yaml', tenant('aurora').replace('Be kind.', 'Be brief.'));
    const seen = await requestsFromNow(sandbox);
    expect((await apply()).outcomes).toEqual(['done: update aurora/bots/front']);
    expect(await writesSince(seen)).toEqual(['updateBot']);
    const { id } = entryOf('borealis/bots/front');
    await service.call('PATCH', `/bots/${id}`, { temperature: 2 });
    expect((await apply()).outcomes).toEqual(['done: update (drifted) borealis/bots/front']);
    expect(await service.bot(id)).toMatchObject({ temperature: 0.3 });
  });

  it('ignores line endings, and line breaks at the end of a text', async () => {
    writeTenants('aurora');
    const written = tenant('aurora').replace('instructions: Be kind.', 'instructions_file: front.md');
    const text = `Be kind.\n${'Ask before you send. '.repeat(30)}\n`;
    write('aurora.yaml', written);
    write('front.md', text);
    expect(await apply()).toMatchObject({ exitCode: 0 });
    for (const other of [text.replaceAll('\n', '\r\n'), `${text}\n`, text.replace(/\n$/, '')]) {
      write('front.md', other);
      write('aurora.yaml', written.replaceAll('\n', '\r\n'));
      write('menu.txt', 'hello\r\n');
      expect(await run('plan', ['--check'])).toMatchObject({ exitCode: 0 });
    }
    // Line ends do not affect who changed an object either.
    await service.call('PATCH', `/bots/${entryOf('aurora/bots/front').id}`, { instructions: 'Else.' });
    expect(await run('plan', ['-o', 'json'])).toMatchObject({
      stdout: expect.stringContaining('"moved":"service"'),
    });
  });

  it('renames and attaches what differs, and writes a changed key to the state file only', async () => {
    writeTenants('aurora');
    await apply();
    const before = entryOf('aurora/bots/front');
    write('wine.txt', 'red');
    write(
      'aurora.yaml',
      tenant('aurora', 'moved: [{ from: aurora/bots/front, to: aurora/bots/desk }]\n')
        .replace('      front:', '      desk:')
        .replace('bot: front', 'bot: desk')
        .replace('menu: { file: menu.txt }', 'menu: { file: menu.txt }\n      wine: { file: wine.txt }')
        .replace('documents: [menu]', 'documents: [menu, wine]')
        .replace('name: aurora Coffee', 'name: Aurora'),
    );
    const seen = await requestsFromNow(sandbox);
    const { outcomes, exitCode } = await apply();
    expect({ exitCode, outcomes }).toEqual({
      exitCode: 0,
      outcomes: [
        'done: create aurora/documents/wine',
        'done: update aurora',
        'done: update aurora/bots/desk',
      ],
    });
    expect(await writesSince(seen)).toEqual(['updateTeam', 'createDocument', 'updateBot']);
    expect(entryOf('aurora/bots/desk').id).toBe(before.id);
    expect(Object.keys(lockOf())).not.toContain('aurora/bots/front');
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
  });

  it('does not overwrite changes since the plan, and unpublishes no bot that was published since', async () => {
    writeTenants('aurora');
    await apply();
    const [team, bot] = ['aurora', 'aurora/bots/front'].map((address) => entryOf(address).id);
    const shown = await service.call('GET', `/teams/${team}`);
    const shownBot = await service.call('GET', `/bots/${bot}`);
    const seen = await requestsFromNow(sandbox);
    write('aurora.yaml', tenant('aurora').replace('plan_name: pro', 'plan_name: business'));
    await answerInTurn(sandbox, 'getTeam', answer(shown), answer({ ...shown, plan_name: 'starter' }));
    const one = await apply();
    expect(one).toMatchObject({ exitCode: 6, outcomes: ['failed: update aurora'] });
    expect(one.rows[0]?.error).toContain('Someone else has changed plan_name');
    await callControl(sandbox.control, '/fault/clear', {});
    write('aurora.yaml', tenant('aurora').replace('Be kind.', 'Be brief.'));
    await answerInTurn(sandbox, 'getBot', answer(shownBot), answer({ ...shownBot, published: true }));
    const other = await apply();
    expect(other).toMatchObject({ exitCode: 6, outcomes: ['failed: update aurora/bots/front'] });
    expect(other.rows[0]?.error).toContain('was published in the meantime');
    await callControl(sandbox.control, '/fault/clear', {});
    expect(await writesSince(seen)).toEqual([]);
  });

  it('continues with the other tenants if one fails, and does the rest the next time', async () => {
    writeTenants('aurora', 'borealis');
    // An administrator's email address can be used only once.
    await service.team('borealis');
    const first = await apply();
    expect(first).toMatchObject({ exitCode: 10 });
    expect(first.outcomes).toEqual(
      [
        'done: create aurora',
        'done: create aurora/bots/front',
        'done: create aurora/devices/reception',
        'done: create aurora/documents/menu',
        'done: update aurora',
        'failed: create borealis',
        'skipped: create borealis/bots/front',
        'skipped: create borealis/devices/reception',
        'skipped: create borealis/documents/menu',
        'skipped: update borealis',
      ].sort(),
    );
    write('borealis.yaml', tenant('borealis').replace('borealis@', 'other@'));
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
  });

  it('adopts existing objects if the state file is lost, and devices by the device book', async () => {
    writeTenants('aurora');
    await apply();
    const { id } = entryOf('aurora/devices/reception');
    const book = await botctl(['device', 'list', '-o', 'json'], { env });
    expect(JSON.parse(book.stdout)).toContainEqual(expect.objectContaining({ id, bot_name: 'Front desk' }));
    rmSync(join(folder, 'tenants.lock.json'));
    const seen = await requestsFromNow(sandbox);
    const ran = await run('apply', ['--yes', '--allow', 'adopt', '-o', 'json']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await writesSince(seen)).toEqual([]);
    expect(entryOf('aurora/devices/reception').id).toBe(id);
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
  });

  it('asks before it creates a device that may exist if the state file and the device book are lost', async () => {
    writeTenants('aurora');
    await apply();
    const devices = await deviceCount();
    rmSync(join(folder, 'tenants.lock.json'));
    env.BOTCTL_CONFIG_DIR = temporaryDirectory();
    const seen = await requestsFromNow(sandbox);
    const refused = await apply();
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--allow create-device');
    const others = await apply('--target', 'aurora/bots/front');
    expect(others).toMatchObject({ exitCode: 0 });
    expect(others.outcomes).toContain('done: adopt aurora/bots/front');
    expect(await writesSince(seen)).toEqual([]);
    expect(await deviceCount()).toBe(devices);
  });

  it('finds devices in the device book: one that an old state file lacks is a risk, and one that was cut off after its response exists', async () => {
    writeTenants('aurora');
    await apply();
    const lock = join(folder, 'tenants.lock.json');
    const whole = readFileSync(lock, 'utf8');
    const { id } = entryOf('aurora/devices/reception');
    const withLine = (change: (line: string) => readonly string[]): void =>
      writeFileSync(
        lock,
        whole
          .split('\n')
          .flatMap((line) => (line.includes('/devices/reception') ? change(line) : [line]))
          .join('\n'),
      );
    withLine(() => []);
    const refused = await apply();
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(id);
    const line = `tenants import aurora/devices/reception ${id} --lock ${lock}`;
    expect(refused.stderr).toContain(`botctl ${line}`);
    expect(await botctl(line.split(' '), { env })).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
    withLine((line) => [line.replace(`"id":"${id}"`, '"unknown_since":"2020-01-01T00:00:00.000Z"')]);
    expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
    expect(entryOf('aurora/devices/reception').id).toBe(id);
    expect(await deviceCount()).toBe(1);
  });

  it('accepts for a risk only its own --allow value, and does nothing without it', async () => {
    writeTenants('aurora');
    await apply();
    const { id } = entryOf('aurora/bots/front');
    await service.publish(id);
    write(
      'aurora.yaml',
      tenant('aurora').replace('Be kind.', 'Be brief.').replace('paying: true', 'banned: true'),
    );
    const seen = await requestsFromNow(sandbox);
    const refused = await apply();
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--allow ban,unpublish');
    expect(await apply('--allow', 'ban')).toMatchObject({ exitCode: 2 });
    expect(await writesSince(seen)).toEqual([]);
    expect(await apply('--allow', 'ban,unpublish')).toMatchObject({ exitCode: 0 });
    expect(await service.bot(id)).toMatchObject({ instructions: 'Be brief.', published: false });
  });

  it('asks the user once', async () => {
    writeTenants('aurora');
    const no = await run('apply', [], { terminal: true, answers: { 'Apply it?': 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await service.bots()).toEqual([]);
    const yes = await run('apply', ['--discard-token'], { terminal: true, answers: { 'Apply it?': 'y' } });
    expect(yes, yes.stderr).toMatchObject({ exitCode: 0 });
    const { id } = entryOf('aurora/devices/reception');
    expect(yes.stderr).toContain(`botctl device connect ${id}`);
  });

  it('folds the plan in the log of a CI, in which no name can be a log command', async () => {
    writeTenants('aurora');
    write('aurora.yaml', tenant('aurora').replace('name: aurora Coffee', 'name: "::add-mask::a ##[b"'));
    const github = await run('apply', ['-o', 'json'], { env: { ...env, GITHUB_ACTIONS: 'true' } });
    expect(github.stderr).toMatch(/^::group::.*\n(.|\n)*\n::endgroup::\n/);
    expect(github.stderr.match(/^ *::(?!group|endgroup)|##\[/gm)).toBe(null);
    const gitlab = await run('apply', ['-o', 'json'], { env: { ...env, GITLAB_CI: 'true' } });
    expect(gitlab.stderr).toMatch(/section_start:\d+:botctl_plan\[collapsed=true\]\r/);
    expect(gitlab.stderr).toMatch(/section_end:\d+:botctl_plan\r/);
  });

  it('changes nothing without a terminal and without --yes', async () => {
    writeTenants('aurora');
    const ran = await run('apply', ['--discard-token']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--yes');
    expect(existsSync(join(folder, 'tenants.lock.json'))).toBe(false);
  });

  it('adds the tokens of new devices to a private file, and creates none if they would be lost', async () => {
    writeTenants('aurora');
    const without = await run('apply', ['--yes']);
    expect(without).toMatchObject({ exitCode: 2, stdout: '' });
    expect(without.stderr).toContain('--secrets-file');
    expect(without.stderr).not.toContain('--yes');
    expect((await run('apply')).stderr).toMatch(/add:\n +--yes\n +--secrets-file/);
    const nowhere = await run('apply', ['--yes', '--secrets-file', join(folder, 'none', 'tokens')]);
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await service.bots()).toEqual([]);
    const file = join(folder, 'tokens.ndjson');
    writeFileSync(file, 'before\n', { mode: 0o644 });
    const ran = await run('apply', ['--yes', '--secrets-file', file, '-o', 'json']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const [before, line = '', ...others] = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect({ before, others, mode: statSync(file).mode & 0o777 }).toEqual({
      before: 'before',
      others: [],
      mode: 0o600,
    });
    const { token, ...rest } = z.parse(z.looseObject({ token: z.string() }), JSON.parse(line));
    expect(rest).toEqual({
      address: 'aurora/devices/reception',
      device_id: entryOf('aurora/devices/reception').id,
    });
    const lock = readFileSync(join(folder, 'tenants.lock.json'), 'utf8');
    for (const text of [ran.stdout, ran.stderr, lock]) expect(text).not.toContain(token);
  });

  it('warns if the service returned no token for a device, and creates the rest', async () => {
    writeTenants('aurora');
    const id = crypto.randomUUID();
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: answer({ id }),
      times: 1,
    });
    const file = join(folder, 'tokens.ndjson');
    const ran = await run('apply', ['--yes', '--secrets-file', file]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain(id);
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(entryOf('aurora/devices/reception').id).toBe(id);
  });

  it('creates no second device if the token of one could not be written, and recognizes it', async () => {
    writeTenants('aurora');
    const devices = '      side-door: { name: Side door, bot: front }\n';
    write('aurora.yaml', tenant('aurora').replace('    devices:\n', `    devices:\n${devices}`));
    const isBroken = vi.spyOn(TokenFile.prototype, 'isBroken', 'get').mockReturnValue(false);
    const add = vi.spyOn(TokenFile.prototype, 'add').mockImplementation(() => {
      isBroken.mockReturnValue(true);
      throw new Failure('outputFailed', 'Its token is lost.');
    });
    const file = join(folder, 'tokens.ndjson');
    const ran = await run('apply', ['--yes', '--secrets-file', file, '-o', 'json']);
    for (const spy of [isBroken, add]) spy.mockRestore();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    expect(ran.stderr).toContain('aurora/devices/side-door');
    expect(entryOf('aurora/devices/side-door').id).toMatch(/^[\da-f-]{36}$/);
    expect(await deviceCount()).toBe(1);
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await deviceCount()).toBe(2);
  });

  it('runs once at a time per state file', async () => {
    writeTenants('aurora');
    const turn = tryLock(join(folder, 'tenants.lock.json.apply'));
    if (turn.state !== 'acquired') throw new Error('nobody else has it');
    const held = await apply();
    expect(held).toMatchObject({ exitCode: 2, stdout: '' });
    expect(held.stderr).toContain(`process ${process.pid}`);
    turn.lock.release();
    expect(await apply()).toMatchObject({ exitCode: 0 });
  });

  const changes = [
    ['forget', (): readonly string[] => ['aurora/devices/reception', '--yes']],
    ['import', (): readonly string[] => ['aurora/bots/other', 'Other']],
  ] as const;
  it.each(changes)('ends before %s changes its state file', async (verb, words) => {
    writeTenants('aurora');
    expect(await apply()).toMatchObject({ exitCode: 0 });
    await botctl(['bots', 'create', '--name', 'Other', '--team', entryOf('aurora').id], { env });
    const path = join(folder, 'tenants.lock.json');
    const before = readFileSync(path, 'utf8');
    const turn = tryLock(`${path}.apply`);
    if (turn.state !== 'acquired') throw new Error('nobody else has it');
    let whileHeld = '';
    const ran = await botctl(['tenants', verb, ...words(), '--lock', path], {
      env,
      onError: (text) => {
        if (whileHeld !== '' || !text.includes('waiting until it has')) return;
        whileHeld = readFileSync(path, 'utf8');
        turn.lock.release();
      },
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(whileHeld).toBe(before);
    expect(readFileSync(path, 'utf8')).not.toBe(before);
  });
});

describe('tenants apply --prune', () => {
  afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

  /** Applies bots, then removes them from the files. Returns their ids by their keys. */
  async function applyThenLeaveOut(...keys: readonly string[]) {
    const bots = keys.map((key) => `      ${key}: { name: ${key} }\n`).join('');
    write('aurora.yaml', tenant('aurora').replace('      front:\n', `${bots}      front:\n`));
    write('menu.txt', 'hello');
    expect(await apply()).toMatchObject({ exitCode: 0 });
    writeTenants('aurora');
    return Object.fromEntries(keys.map((key) => [key, entryOf(`aurora/bots/${key}`).id]));
  }

  const botNames = async () => {
    const bots = z.parse(z.array(z.looseObject({ name: z.string() })), await service.bots());
    return bots.map(({ name }) => name).sort();
  };

  it('deletes bots that the files no longer declare, only with --allow delete-bot', async () => {
    const { night = '' } = await applyThenLeaveOut('night');
    await service.createBot(String((await service.bot(night)).team_id), 'Made by hand');
    await service.publish(night);
    const seen = await requestsFromNow(sandbox);
    const kept = await apply();
    expect(kept).toMatchObject({ exitCode: 0, rows: [] });
    const planned = await run('plan', ['--prune', '-o', 'table', '--check', '--allow', 'delete-bot']);
    expect(planned).toMatchObject({ exitCode: 11 });
    expect(planned.stdout).not.toContain('by hand');
    const refused = await apply('--prune');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--allow delete-bot');
    expect(await writesSince(seen)).toEqual([]);
    const pruned = await apply('--prune', '--allow', 'delete-bot');
    expect(pruned).toMatchObject({ exitCode: 0, rows: [{ id: night }] });
    expect(pruned.outcomes).toEqual(['done: delete aurora/bots/night']);
    expect(await botNames()).toEqual(['Front desk', 'Made by hand']);
    expect(Object.keys(lockOf()).filter((address) => address.includes('/bots/'))).toEqual([
      'aurora/bots/front',
    ]);
    expect(await apply('--prune')).toMatchObject({ exitCode: 0, rows: [] });
  });

  it('asks to type each name on a terminal, or the id if two share the name, and does nothing after other input', async () => {
    const { night = '', day = '' } = await applyThenLeaveOut('night', 'day');
    const typed = (forDay: string, forNight = 'no') =>
      run('apply', ['--prune', '--yes', '-o', 'json'], {
        terminal: true,
        answers: { '(aurora/bots/day,': forDay, '(aurora/bots/night,': forNight },
      });
    const seen = await requestsFromNow(sandbox);
    expect(await typed('day')).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await writesSince(seen)).toEqual([]);
    await service.call('PATCH', `/bots/${night}`, { name: 'day' });
    expect(await typed('day', night)).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await botNames()).toEqual(['Front desk', 'day', 'day']);
    const ran = await typed(day, night);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(await botNames()).toEqual(['Front desk']);
  });

  it('keeps a bot that is linked to a device, or is of another team, and reports that before', async () => {
    const { night = '', day = '' } = await applyThenLeaveOut('night', 'day');
    const team = String((await service.bot(night)).team_id);
    const device = await service.device(team, night, 'By hand');
    await botctl(['device', 'add', device, '--bot', night], { env });
    const other = await service.createBot(await service.team('Other'), 'Elsewhere');
    const path = join(folder, 'tenants.lock.json');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(day, other));
    const planned = await run('plan', ['--prune', '-o', 'json']);
    expect(JSON.parse(planned.stdout)).toMatchObject([
      {
        address: 'aurora/bots/day',
        action: 'none',
        reason: 'impossible',
        impossible: [expect.stringContaining('belongs to another team')],
      },
      {
        address: 'aurora/bots/night',
        action: 'none',
        reason: 'impossible',
        impossible: [expect.stringContaining(device)],
      },
    ]);
    const seen = await requestsFromNow(sandbox);
    expect(await apply('--prune', '--allow', 'delete-bot')).toMatchObject({ exitCode: 2 });
    expect(await writesSince(seen)).toEqual([]);
  });

  it('deletes the bots of a removed tenant, and only the state entries of missing ones', async () => {
    const { night = '' } = await applyThenLeaveOut('night');
    writeTenants('borealis');
    rmSync(join(folder, 'aurora.yaml'));
    await service.call('DELETE', `/bots/${night}`);
    const ran = await apply('--prune');
    expect(ran.outcomes).toContain('done: delete (deleted) aurora/bots/night');
    expect(ran.outcomes).toContain('impossible: impossible aurora/bots/front');
    expect(ran.stderr).toContain('aurora/devices/reception');
    expect(ran.stderr).toMatch(
      /aurora\/documents\/menu\n +document \S+: the API can't delete it, but tenants forget/,
    );
    expect(Object.keys(lockOf())).not.toContain('aurora/bots/night');
  });

  it.each(['before', 'after'] as const)(
    'looks up a delete whose responses were all lost: reset %s it took effect',
    async (when) => {
      await applyThenLeaveOut('night');
      await callControl(sandbox.control, '/fault/add', {
        target: 'deleteBot',
        effect: { kind: 'reset', when },
      });
      const ran = await apply('--prune', '--allow', 'delete-bot', '--retries', '0');
      expect(ran.outcomes).toEqual([`${when === 'after' ? 'done' : 'failed'}: delete aurora/bots/night`]);
      await callControl(sandbox.control, '/fault/clear', {});
      expect(await apply('--prune', '--allow', 'delete-bot')).toMatchObject({ exitCode: 0 });
      expect(await botNames()).toEqual(['Front desk']);
    },
  );

  it('requires all files, and no target', async () => {
    writeTenants('aurora');
    const file = join(folder, 'aurora.yaml');
    const some = await botctl(['tenants', 'apply', file, '--prune'], { env });
    expect(some).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(folder) });
    for (const verb of ['plan', 'apply']) {
      const aimed = await run(verb, ['--prune', '--target', 'aurora']);
      expect(aimed).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("and --target can't be combined"),
      });
    }
  });
});

describe('tenants apply after a killed run', () => {
  const journal = (): string => join(folder, 'tenants.lock.json.journal');

  /** Writes the journal of a run that was killed while it created something. */
  function leave(details: Readonly<Record<string, unknown>>, at = Date.now(), key = 'one'): void {
    mkdirSync(journal(), { recursive: true });
    const begin = { key, at, details: { entry: { applied: {} }, ...details } };
    writeFileSync(join(journal(), `killed-${key}.ndjson`), `${JSON.stringify({ begin })}\n`);
  }

  const corpo = `version: 1
tenants:
  corpo:
    name: Corpo
    plan_name: pro
    administrator: { name: M, email: c@direct.example, phone: "+5511999990000" }
    bots: { desk: { name: Desk } }
    devices: { rec: { name: Rec, bot: desk } }
`;
  const teamIntent = {
    ...{ noun: 'team', address: 'corpo', name: 'Corpo', set: { name: 'Corpo', plan_name: 'pro' } },
    entry: { created: true, applied: { name: 'Corpo', plan_name: 'pro' } },
  };

  it('adopts the team that the run created, and creates the rest without asking', async () => {
    write('corpo.yaml', corpo);
    leave(teamIntent);
    const id = await service.team('Corpo');
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.outcomes).toEqual(['done: create corpo/bots/desk', 'done: create corpo/devices/rec']);
    expect(lockOf().corpo).toMatchObject({ id, created: true, applied: { plan_name: 'pro' } });
    expect(existsSync(journal())).toBe(false);
  });

  it('creates the rest first, and waits once for everything that it did not find', async () => {
    const named = (key: string): string =>
      corpo
        .replace('corpo:', `${key}:`)
        .replace('Corpo', key)
        .replace('c@', `${key}@`)
        .replace(/ {4}devices.*\n/, '');
    for (const key of ['first', 'second']) {
      write(`${key}.yaml`, named(key));
      const set = { name: key, plan_name: 'pro' };
      leave({ ...teamIntent, address: key, name: key, set }, Date.now(), key);
    }
    write('zulu.yaml', named('zulu'));
    let slept = 0;
    const now = (): number => Date.now() + slept;
    // Long enough for all other tenants to finish; concurrent waits end at the same time.
    const sleep = async (time: number): Promise<void> => {
      const until = now() + time;
      await pause(Math.min(time, 500));
      slept = Math.max(slept, until - Date.now());
    };
    const args = ['--yes', '--fields', 'address', '-o', 'tsv'];
    const ran = await run('apply', args, { clock: { ...systemClock, now, sleep } });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout.split('\n').slice(0, 2)).toEqual(['zulu', 'zulu/bots/desk']);
    expect((await counts()).teams).toBe(3);
    expect(slept).toBeLessThan(61_000);
    expect(existsSync(journal())).toBe(false);
  });

  /** Returns a clock that does not wait: an earlier run's interrupted call takes effect meanwhile. */
  const lateClock = (takeEffect: () => Promise<unknown>) => {
    let slept = 0;
    const sleep = async (time: number): Promise<void> => {
      if (slept === 0 && time > 1000) await takeEffect();
      slept += time;
    };
    return { ...systemClock, now: () => Date.now() + slept, sleep };
  };
  const applyLate = (id: () => Promise<string>) => run('apply', ['--yes'], { clock: lateClock(id) });
  const teamAlone = corpo.replace(/ {4}(bots|devices).*\n/g, '');

  it('updates objects that appear late to the files, which have changed since', async () => {
    write('corpo.yaml', teamAlone.replace('plan_name: pro', 'plan_name: basic'));
    leave(teamIntent);
    const ran = await applyLate(() => service.team('Corpo'));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect((await counts()).teams).toBe(1);
    const { stdout } = await botctl(['teams', 'list', '--fields', 'plan_name'], { env });
    expect(stdout).toBe('basic\n');
    expect(lockOf().corpo).toMatchObject({ created: true, applied: { plan_name: 'basic' } });
  });

  it('waits for requests that were sent under a key that has changed since', async () => {
    const moved = 'moved: [{ from: corpo, to: other }]\n';
    write('corpo.yaml', `${teamAlone.replace('corpo:', 'other:')}${moved}`);
    leave(teamIntent);
    let id: string | undefined;
    const ran = await applyLate(async () => {
      id = await service.team('Corpo');
      return id;
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect((await counts()).teams).toBe(1);
    expect(entryOf('other').id).toBe(id);
  });

  it('creates nothing in place of what another checkout has replaced, and suggests how to use that', async () => {
    write('corpo.yaml', corpo.replace(/ {4}devices.*\n/, ''));
    await apply();
    const lockFile = join(folder, 'tenants.lock.json');
    const before = await counts();
    for (const address of ['corpo', 'corpo/bots/desk']) {
      const { id } = entryOf(address);
      const gone = id.replace(/^.{8}/, '00000000');
      writeFileSync(lockFile, readFileSync(lockFile, 'utf8').replace(id, gone));
      const refused = await apply('--allow', 'recreate');
      expect(refused.exitCode, refused.stderr).not.toBe(0);
      const line = `tenants forget ${address} --lock ${lockFile}`;
      expect(refused.stderr).toContain(`botctl ${line}`);
      expect(await botctl([...line.split(' '), '--yes'], { env })).toMatchObject({ exitCode: 0 });
      const again = await apply('--allow', 'adopt');
      expect(again, again.stderr).toMatchObject({ exitCode: 0 });
      expect(entryOf(address).id).toBe(id);
    }
    expect(await counts()).toEqual(before);
  });

  it('creates nothing whose name has appeared since the plan', async () => {
    write('corpo.yaml', corpo);
    // Delays the list right before the create; the plan's comes first.
    await callControl(sandbox.control, '/fault/add', { target: 'listTeams', after: 1, delay: 500, times: 1 });
    let other: Promise<string> | undefined;
    const onError = (text: string): void => {
      // The question comes after the plan.
      if (text.includes('Apply it?')) other ??= service.team('corpo');
    };
    const ran = await run('apply', ['--discard-token'], {
      terminal: true,
      onError,
      answers: { 'Apply it?': 'y' },
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 6 });
    expect(ran.stderr).toContain(await other);
    expect((await counts()).teams).toBe(1);
  });

  const others = [
    ['another plan', corpo.replace('plan_name: pro', 'plan_name: basic'), 'basic', 0],
    ['a later time', corpo, 'pro', 60 * 60_000],
  ] as const;
  it.each(others)(
    'asks before it adopts a team of its name that someone else created: of %s',
    async (_what, files, plan, ago) => {
      write('corpo.yaml', files);
      leave({ ...teamIntent, set: { name: 'Corpo', plan_name: plan } }, Date.now() - ago);
      await service.team('Corpo');
      const seen = await requestsFromNow(sandbox);
      const ran = await apply();
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('create-device');
      expect(await writesSince(seen)).toEqual([]);
      expect(existsSync(join(folder, 'tenants.lock.json'))).toBe(false);
    },
  );

  it('finds a replacement of a deleted object that was created before, and creates it once', async () => {
    write('corpo.yaml', corpo.replace(/ {4}devices.*\n/, ''));
    await apply();
    const { id: replaces } = entryOf('corpo/bots/desk');
    const { id: teamId } = entryOf('corpo');
    await deleteBot(replaces);
    const set = { name: 'Desk' };
    leave({ ...{ noun: 'bot', address: 'corpo/bots/desk', name: 'Desk', teamId, replaces, set } });
    const made = await service.createBot(teamId, 'Desk');
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, rows: [] });
    expect(entryOf('corpo/bots/desk').id).toBe(made);
    expect((await counts()).bots).toBe(1);
  });

  it('continues with another tenant if an object is ambiguous, and names all candidates', async () => {
    write('corpo.yaml', corpo);
    writeTenants('aurora');
    leave(teamIntent);
    const [one, other] = [await service.team('Corpo'), await sharedTeam('Corpo')];
    expect(await apply('--target', 'aurora')).toMatchObject({ exitCode: 0 });
    writeTenants('borealis');
    const ran = await apply();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    for (const id of [one, other]) expect(ran.rows[0]).toMatchObject({ error: expect.stringContaining(id) });
    expect(ran.outcomes).toContain('impossible: impossible corpo');
    expect(ran.outcomes).toContain('done: create borealis/bots/front');
    const lock = ['--lock', join(folder, 'tenants.lock.json')];
    expect(ran.stderr).toMatch(/botctl tenants import corpo \S+ --lock /);
    await botctl(['tenants', 'import', 'corpo', one, ...lock], { env });
    expect(await apply('--allow', 'create-device')).toMatchObject({ exitCode: 0 });
    expect(existsSync(journal())).toBe(false);
  });

  it('does not create two teams of one name at once, which would be ambiguous', async () => {
    write('corpo.yaml', corpo);
    write('other.yaml', corpo.replace('corpo:', 'other:').replace('c@', 'o@'));
    const refused = await apply();
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.rows.every(({ outcome }) => outcome === 'impossible')).toBe(true);
    expect(refused.rows[0]?.error).toContain(
      'corpo and other have the same name and would be created together',
    );
    expect(refused.stderr).toContain('--target corpo');
    expect((await counts()).teams).toBe(0);
    expect(await apply('--target', 'corpo')).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect((await counts()).teams).toBe(2);
  });

  it('does not adopt a document that the run was to send to another tenant', async () => {
    const without = (key: string): string =>
      tenant(key)
        .replace(/ {4}documents:[\s\S]*? {4}bots:/, '    bots:')
        .replace('documents: [menu]', '');
    for (const key of ['aurora', 'borealis']) write(`${key}.yaml`, without(key));
    expect(await apply()).toMatchObject({ exitCode: 0 });
    writeTenants('aurora', 'borealis');
    const theirs = await service.document(entryOf('aurora').id, 'menu.txt');
    const details = { teamId: entryOf('aurora').id, name: 'menu.txt', size: 5, chars: 5, before: [] };
    mkdirSync(join(journal(), 'uploads'), { recursive: true });
    const begin = { key: 'one', at: Date.now() - 1000, details };
    writeFileSync(join(journal(), 'uploads', 'killed.ndjson'), `${JSON.stringify({ begin })}\n`);
    expect(await apply('--target', 'borealis')).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(journal(), 'uploads', 'killed.ndjson'))).toBe(true);
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(entryOf('aurora/documents/menu').id).toBe(theirs);
    expect(entryOf('borealis/documents/menu').id).not.toBe(theirs);
    expect(existsSync(journal())).toBe(false);
  });

  it('removes the journal of a run that had nothing in flight', async () => {
    write('corpo.yaml', corpo);
    await apply();
    mkdirSync(join(journal(), 'uploads'), { recursive: true });
    const begin = { key: 'one', at: 1, details: { teamId: 't', name: 'n', size: 1, chars: 1, before: [] } };
    const lines = [{ begin }, { end: 'one' }].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(journal(), 'uploads', 'killed.ndjson'), lines.join(''));
    await apply();
    expect(existsSync(journal())).toBe(false);
  });
});

describe('tenants apply after lost responses', () => {
  afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

  const losses = [
    ['a connection that is reset after', { kind: 'reset', when: 'after' }],
    ['a limit of its rate', { kind: 'status', status: 429, retry_after: 0 }],
  ] as const;
  it.each(losses)(
    'creates everything once if the first response of each create is lost: %s',
    async (_what, effect) => {
      writeTenants('aurora');
      for (const target of ['createTeam', 'createBot', 'createDocument', 'updateTeam'])
        await callControl(sandbox.control, '/fault/add', { target, effect, times: 1 });
      const ran = await apply();
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      expect(ran.outcomes.every((outcome) => outcome.startsWith('done'))).toBe(true);
      expect(await counts()).toEqual({ teams: 1, bots: 1, documents: 1, devices: 1 });
      expect(await apply()).toMatchObject({ exitCode: 0, rows: [] });
    },
  );

  it('reports a device with a lost response as unknown, and never creates it again on its own', async () => {
    writeTenants('aurora');
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    const first = await apply();
    expect(first).toMatchObject({ exitCode: 12 });
    expect(first.outcomes).toContain('unknown: create aurora/devices/reception');
    expect(first.stderr).toContain('botctl tenants import aurora/devices/reception');
    for (const again of [await apply(), await run('plan')]) {
      expect(again).toMatchObject({ exitCode: 12 });
      expect(again.stderr).toContain('botctl tenants import aurora/devices/reception');
    }
    expect(await deviceCount()).toBe(1);
    // Its tenant's other objects are still applied.
    write('aurora.yaml', tenant('aurora').replace('Be kind.', 'Be brief.'));
    expect((await apply()).outcomes).toContain('done: update aurora/bots/front');
    const lock = ['--lock', join(folder, 'tenants.lock.json')];
    const forgotten = await botctl(['tenants', 'forget', 'aurora/devices/reception', '--yes', ...lock], {
      env,
    });
    expect(forgotten, forgotten.stderr).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await deviceCount()).toBe(2);
  });

  it('keeps the token of a device that could not be written to the state file, and names the device', async () => {
    writeTenants('aurora');
    const locks = join(folder, '..', 'locks');
    mkdirSync(locks);
    const [lock, tokens] = [join(locks, 'lock.json'), join(folder, 'tokens.ndjson')];
    await callControl(sandbox.control, '/fault/add', { target: 'createDevice', delay: 1500, times: 1 });
    const files = ['--lock', lock, '--secrets-file', tokens];
    const running = run('apply', ['--yes', '-o', 'json', ...files]);
    // Waits until the service has the call. Its entry in the state file was synced to disk before that.
    const isThere = async () =>
      (await callControl(sandbox.control, '/fault/list', {})).every(({ met }) => met === 1);
    await vi.waitFor(async () => expect(await isThere()).toBe(true), { timeout: 60_000, interval: 5 });
    expect(readFileSync(lock, 'utf8')).toContain('unknown_since');
    rmSync(locks, { recursive: true });
    const ran = await running;
    expect(ran, ran.stderr).toMatchObject({ exitCode: 12 });
    const kept = z.object({ device_id: z.string(), token: z.string() });
    const { device_id } = z.parse(kept, JSON.parse(readFileSync(tokens, 'utf8')));
    expect(ran.stderr).toContain(`botctl tenants import aurora/devices/reception ${device_id}`);
  });

  it('removes the mark of a device that the service refused', async () => {
    writeTenants('aurora');
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'status', status: 400 },
      times: 1,
    });
    expect(await apply()).toMatchObject({ exitCode: 10 });
    expect(Object.keys(lockOf())).not.toContain('aurora/devices/reception');
    expect(await apply()).toMatchObject({ exitCode: 0 });
  });

  it('ends on a signal with the results of what was started, and can continue', async () => {
    writeTenants('aurora');
    const signal = new AbortController();
    const ended = await run('apply', [...answers.slice(0, -2), '-o', 'ndjson'], {
      signal: signal.signal,
      onOutput: (text) => {
        if (text.includes('"aurora"')) signal.abort(new Failure('interrupted', 'Interrupted.'));
      },
    });
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(ended.stderr).toContain('not reached');
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(await counts()).toEqual({ teams: 1, bots: 1, documents: 1, devices: 1 });
  });
});

it('stops once its rows cannot be written, with everything it created in the state file', async () => {
  writeTenants('iris', 'juno');
  const before = await counts();
  const ran = await run('apply', ['--yes', '--discard-token', '-o', 'ndjson'], { unwritable: 'ENOSPC' });
  expect(ran.exitCode, ran.stderr).not.toBe(0);
  const made = await counts();
  const known = Object.keys(lockOf()).filter((address) => address !== '~');
  const sum = (one: typeof made): number => Object.values(one).reduce((total, count) => total + count, 0);
  expect(sum(made) - sum(before), ran.stderr).toBe(known.length);
  expect(known.length).toBeLessThan(8);
  expect(await apply()).toMatchObject({ exitCode: 0 });
  expect(sum(await counts()) - sum(before)).toBe(8);
});
