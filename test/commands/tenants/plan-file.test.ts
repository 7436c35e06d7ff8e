import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { valueHash } from '../../../src/tenants/state-file.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { actionText } from './action-text.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let home: string;
let folder: string;
let kept: string;
let env: Record<string, string>;

beforeEach(() => {
  home = temporaryDirectory();
  folder = join(home, 'tenants');
  kept = join(home, 'plan.json');
  mkdirSync(folder);
  env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config'), STOCK_TOKEN: secret };
  write('menu.txt', 'hello');
  for (const key of ['aurora', 'borealis']) write(`${key}.yaml`, tenant(key));
});

afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

const secret = 'a token of the environment';

const action = `actions: [{ name: a, method: GET, endpoint: "https://a.example/", headers: { Key: "\${env:STOCK_TOKEN}" } }]`;

/** A tenant with one of everything, and a secret. */
const tenant = (key: string): string => `version: 1
tenants:
  ${key}:
    name: ${key} Coffee
    plan_name: pro
    paying: true
    administrator: { name: Manager, email: ${key}@direct.example, phone: "+5511999990000" }
    documents:
      menu: { file: menu.txt }
    bots:
      front:
        name: Front desk
        instructions: Be kind.
        temperature: 0.3
        ${action}
        documents: [menu]
    devices:
      reception: { name: Reception, bot: front }
`;

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

/** Changes a file of tenants. */
function change(key: string, from: string | RegExp, to: string): void {
  write(`${key}.yaml`, readFileSync(join(folder, `${key}.yaml`), 'utf8').replace(from, to));
}

const plan = (args: readonly string[] = [], options: RunOptions = {}) =>
  botctl(['tenants', 'plan', folder, ...args], { env, ...options });

const keep = async (...args: readonly string[]): Promise<void> => {
  const ran = await plan(['--out', kept, '--yes', ...args]);
  // One that is impossible, or at a risk, is written too.
  expect([0, 2], ran.stderr).toContain(ran.exitCode);
};

const rowsSchema = z.array(
  z.looseObject({ action: z.string(), reason: z.string(), address: z.string(), outcome: z.string() }),
);

/** Applies: what came of it, and the operations that changed something. */
async function apply(args: readonly string[], options: RunOptions = {}) {
  const seen = await requestsFromNow(sandbox);
  const answers = ['--yes', '--discard-tokens', '--settle', '10ms', '-o', 'json'];
  const ran = await botctl(['tenants', 'apply', ...args, ...answers], { env, ...options });
  const rows = ran.stdout === '' ? [] : z.parse(rowsSchema, JSON.parse(ran.stdout));
  return {
    ...ran,
    outcomes: rows.map((row) => `${row.outcome}: ${actionText(row)} ${row.address}`).sort(),
    writes: (await seen())
      .map(({ operation }) => String(operation))
      .filter((name) => /^(create(?!Token)|update|delete)/.test(name)),
  };
}

const applyKept = (...args: readonly string[]) => apply(['--plan', kept, ...args]);

/** The same, ended by a signal once an answer was lost. */
const applyEnded = (...args: readonly string[]) => {
  const end = new AbortController();
  return apply(['--plan', kept, ...args], {
    signal: end.signal,
    onError: (text) => {
      if (text.includes('The answer was lost')) end.abort(new Failure('interrupted', 'Interrupted.'));
    },
  });
};

/** Makes the tenants as the files say. */
const applyFiles = async (...args: readonly string[]): Promise<void> => {
  expect(await apply([folder, ...args])).toMatchObject({ exitCode: 0 });
};

const lockPath = () => join(folder, 'tenants.lock.json');

const lockSchema = z.looseObject({ objects: z.record(z.string(), z.unknown()) });

const idOf = (address: string): string => {
  const { objects } = z.parse(lockSchema, JSON.parse(readFileSync(lockPath(), 'utf8')));
  return z.parse(z.looseObject({ id: z.string() }), objects[address]).id;
};

const failureSchema = z.object({
  error: z.looseObject({
    code: z.string(),
    next: z.array(z.array(z.string())),
    details: z.optional(z.unknown()),
  }),
});

/** Returns a kept plan with other members, as if it had been written so. */
function signed(text: string, members: Readonly<Record<string, unknown>>): string {
  const { sha256: _, ...plan } = z.parse(z.looseObject({}), JSON.parse(text));
  const changed = { ...plan, ...members };
  return JSON.stringify({ ...changed, sha256: valueHash(changed) });
}

/** Asserts that a kept plan is refused before anything is written. Returns what was told of each address. */
async function refused(...args: readonly string[]): Promise<unknown> {
  const lock = existsSync(lockPath()) ? readFileSync(lockPath(), 'utf8') : undefined;
  const ran = await applyKept(...args);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 6, stdout: '', writes: [] });
  if (lock !== undefined) expect(readFileSync(lockPath(), 'utf8')).toBe(lock);
  const { error } = z.parse(failureSchema, JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? ''));
  expect(error.code).toBe('STALE_PLAN');
  expect(error.next).toEqual([expect.arrayContaining(['tenants', 'plan', folder, '--out', kept])]);
  return error.details;
}

describe('tenants plan --out', () => {
  it('writes a plan that only its owner may read, without secrets, and names the command that applies it', async () => {
    const ran = await plan(['--out', kept, '-o', 'json']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain(`botctl tenants apply --plan ${kept}`);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const text = readFileSync(kept, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      ...{ version: 2, origin: sandbox.baseUrl, input: { paths: [folder], lock: lockPath() } },
      files: [{ path: join(folder, 'aurora.yaml') }, { path: join(folder, 'borealis.yaml') }],
    });
    for (const hidden of [secret, valueHash(secret), '@direct.example', '+5511999990000'])
      expect(text).not.toContain(hidden);
    const told = await plan(['--out', kept, '--yes', '--var', `token=${secret}`]);
    expect(told).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('token of --var holds a secret'),
    });
    expect(readFileSync(kept, 'utf8')).toBe(text);
    const before = statSync(kept).ino;
    const again = await plan(['--out', kept]);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(`${kept} exists.`);
    expect(await plan(['--out', kept, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(statSync(kept).ino).not.toBe(before);
  });

  it('is not read as a file of tenants, and refuses a name that would be', async () => {
    kept = join(folder, 'plan.json');
    await keep();
    expect(await apply([folder, '--target', 'aurora'])).toMatchObject({ exitCode: 0 });
    expect(await apply([kept])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--plan ${kept}`),
    });
    const ran = await plan(['--out', join(folder, 'next.json')]);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('.plan.json') });
  });

  it('replaces a plan or an empty file, but no file that a plan is made of', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    const vars = join(home, 'vars.yaml');
    writeFileSync(vars, 'a: b\n');
    const one = join(folder, 'aurora.yaml');
    for (const path of [lockPath(), one, vars, join(folder, 'menu.txt')]) {
      const before = readFileSync(path, 'utf8');
      const files = ['tenants', 'plan', one, '--vars', vars];
      const ran = await botctl([...files, '--out', path, '--yes'], { env });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain(path);
      expect(readFileSync(path, 'utf8')).toBe(before);
    }
    writeFileSync(kept, '');
    await keep();
    await keep();
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: ['updateBot'] });
  });
});

describe('tenants apply --plan', () => {
  it('does what was planned and nothing else, once', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep();
    change('aurora', 'plan_name: pro', 'plan_name: basic');
    change('borealis', '0.3', '0.7');
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, writes: ['updateBot'] });
    expect(ran.outcomes).toEqual(['done: update aurora/bots/front']);
    expect(ran.stderr).toContain('aurora');
    expect(await service.bot(idOf('aurora/bots/front'))).toMatchObject({ temperature: 0.5 });
    const again = await applyKept();
    expect(again).toMatchObject({ exitCode: 0, outcomes: [], writes: [] });
  });

  it('ignores a mistake in files that it does not touch, and is refused for one in those it does', async () => {
    await applyFiles('--target', 'aurora');
    change('aurora', '0.3', '0.5');
    await keep('--target', 'aurora');
    const [aurora, borealis] = ['aurora', 'borealis'].map((key) => join(folder, `${key}.yaml`));
    const texts = [aurora, borealis].map((path) => readFileSync(String(path), 'utf8'));
    const moved = 'moved: [{ from: aurora/bots/first, to: aurora/bots/none }]\n';
    const wrong = [
      [0, '      menu: { file', '      menu: [ file', `${aurora}:9:30`],
      [0, 'temperature: 0.5', 'temperature: 9', `aurora.bots.front.temperature`],
      [0, 'version: 1', 'version: 2', 'version must be 1, not 2'],
      [0, 'version: 1\n', `version: 1\n${moved}`, 'Nothing is declared at aurora/bots/none'],
      [1, 'borealis:', 'aurora:', 'aurora is declared twice'],
    ] as const;
    for (const [at, from, to, words] of wrong) {
      write('borealis.yaml', `${texts[1]?.replace('plan_name', 'plan')}`);
      write(at === 0 ? 'aurora.yaml' : 'borealis.yaml', `${texts[at]?.replace(from, to)}`);
      const ran = await applyKept();
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '', writes: [] });
      expect(ran.stderr).toContain(words);
      write('aurora.yaml', `${texts[0]}`);
    }
    write('borealis.yaml', `${texts[1]?.replace('menu: {', 'menu: [')}`);
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: ['done: update aurora/bots/front'] });
    expect(ran.stderr).toContain(borealis);
    expect(await apply([folder, '--target', 'aurora'])).toMatchObject({ exitCode: 2, writes: [] });
  });

  it('makes new tenants, and takes the words of risks as an apply does', async () => {
    write('borealis.yaml', tenant('borealis').replace('paying: true', 'banned: true'));
    await keep('--allow', 'ban');
    expect(await applyKept()).toMatchObject({ exitCode: 2, writes: [] });
    const ran = await applyKept('--allow', 'ban');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.outcomes).toHaveLength(10);
    expect(await applyKept('--allow', 'ban')).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('is refused where a file says something else by now, by address and field', async () => {
    await applyFiles('--target', 'borealis');
    change('borealis', '0.3', '0.5');
    await keep();
    change('borealis', '0.5', '0.6');
    change('borealis', 'Be kind.', 'Be brief.');
    write('menu.txt', 'other');
    expect(await refused()).toEqual({
      'aurora/documents/menu': { file: 'it has other content now' },
      'borealis/bots/front': {
        documents: 'it was to stay as it is, and would be changed now',
        needs: expect.stringMatching(/^borealis\/documents\/menu was .* to be replaced, now$/),
        temperature: 'the files said 0.5, and say 0.6 now',
        instructions: 'it was to stay as it is, and would be changed now, from Be kind. to Be brief.',
      },
    });
  });

  it('is refused where an object is something else by now, or is gone', async () => {
    change('borealis', 'front:\n', 'night: { name: Night, temperature: 0.3 }\n      front:\n');
    await applyFiles();
    change('aurora', '0.3', '0.5');
    change('borealis', '0.3', '0.5');
    change('borealis', 'Be kind.', 'Be brief.');
    await keep();
    const [front, other] = [idOf('aurora/bots/front'), idOf('borealis/bots/front')];
    await service.call('PATCH', `/bots/${front}`, { temperature: 0.9 });
    await service.publish(other);
    await service.call('DELETE', `/bots/${idOf('borealis/bots/night')}`);
    expect(await refused()).toEqual({
      'aurora/bots/front': { temperature: 'the service had 0.3, and has 0.9 now' },
      'borealis/bots/front': { risks: expect.stringContaining('unpublish was not among them.') },
      'borealis/bots/night':
        'it was to be changed (changed in the files), and would be created (gone from the service) now',
    });
  });

  it('is refused where the lock has another object by now, also of what is only needed', async () => {
    await applyFiles();
    change('aurora', 'front:\n', 'night: { name: Night }\n      front:\n');
    change('borealis', '0.3', '0.5');
    await keep();
    const lock = readFileSync(lockPath(), 'utf8');
    const [team, front] = [idOf('aurora'), idOf('borealis/bots/front')];
    const others = await service.team('Other');
    const other = await service.createBot(idOf('borealis'), 'Front desk');
    writeFileSync(lockPath(), lock.replaceAll(team, others).replaceAll(front, other));
    expect(await refused()).toMatchObject({
      'aurora/bots/night': { needs: `aurora was ${team}, and is ${others} now` },
      'borealis/bots/front': { id: `it was ${front}, and is ${other} now` },
    });
    writeFileSync(lockPath(), lock);
    const { exitCode, writes } = await applyKept();
    // Both tenants are applied at once.
    expect({ exitCode, writes: writes.toSorted() }).toEqual({
      exitCode: 0,
      writes: ['createBot', 'updateBot'],
    });
  });

  it('is refused where a file has changed that says a secret, or who administers a new team', async () => {
    await applyFiles('--target', 'aurora');
    change('aurora', 'Key:', 'Other:');
    await keep();
    change('aurora', 'env:STOCK_TOKEN', 'env:BOTCTL_KEY_ID');
    change('borealis', 'Manager', 'Owner');
    expect(await refused()).toEqual({
      'aurora/bots/front': { actions: 'its secret has another value now' },
      borealis: { administrator: expect.stringContaining('borealis.yaml has changed') },
    });
  });

  it('is refused where a secret has another value than when it was planned, and not before', async () => {
    change('aurora', 'aurora@direct.example', `"\${env:MAIL}"`);
    env = { ...env, MAIL: 'first@direct.example' };
    await keep('--target', 'aurora');
    const planned = { ...env };
    env = { ...planned, STOCK_TOKEN: 'another', MAIL: 'second@direct.example' };
    expect(await refused()).toEqual({
      aurora: { administrator: 'its secret has another value now' },
      'aurora/bots/front': { actions: 'its secret has another value now' },
    });
    env = planned;
    expect(await applyKept()).toMatchObject({ exitCode: 0 });
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('deletes the bots that were planned to be, and no other one', async () => {
    for (const key of ['night', 'day'])
      change('aurora', 'front:\n', `${key}: { name: ${key} }\n      front:\n`);
    await applyFiles();
    const [night, day] = [idOf('aurora/bots/night'), idOf('aurora/bots/day')];
    change('aurora', '      night: { name: night }\n', '');
    await keep('--prune', '--allow', 'delete-bot');
    change('aurora', '      day: { name: day }\n', '');
    await service.publish(night);
    expect(await refused('--allow', 'delete-bot')).toMatchObject({
      'aurora/bots/night': { risks: expect.anything() },
    });
    await service.call('PATCH', `/bots/${night}`, { temperature: 1 });
    // The change by hand has unpublished it.
    const ran = await applyKept('--allow', 'delete-bot');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: ['done: delete aurora/bots/night'] });
    expect(ran.stderr).toContain('aurora/bots/day');
    expect(await service.bot(day)).toMatchObject({ name: 'day' });
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('finishes with the same line what was ended in the middle of any create, and makes nothing twice', async () => {
    await keep('--target', 'aurora');
    const writes: string[] = [];
    for (const target of ['createTeam', 'createDocument', 'createBot']) {
      await callControl(sandbox.control, '/fault/add', {
        target,
        effect: { kind: 'reset', when: 'after' },
        times: 1,
      });
      const ended = await applyEnded();
      expect(ended, ended.stderr).toMatchObject({ exitCode: 130 });
      writes.push(...ended.writes);
    }
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, writes: ['createDevice'] });
    expect(writes).toEqual(['createTeam', 'updateTeam', 'createDocument', 'createBot']);
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('goes on with what it has adopted, and with what it has made again', async () => {
    const team = await service.team('aurora Coffee');
    change('aurora', 'plan_name: pro\n    paying: true\n', 'plan_name: pro\n');
    change('aurora', /\n +actions.*/, '');
    await service.createBot(team, 'Front desk');
    await keep('--target', 'aurora/bots/front');
    await callControl(sandbox.control, '/fault/add', {
      target: 'updateBot',
      effect: { kind: 'status', status: 400 },
      times: 1,
    });
    const first = await applyKept('--allow', 'adopt');
    expect(first).toMatchObject({ exitCode: 10, writes: ['createDocument', 'updateBot'] });
    expect(await applyKept()).toMatchObject({
      exitCode: 0,
      outcomes: ['done: update (differs) aurora/bots/front'],
    });
    await service.call('DELETE', `/bots/${idOf('aurora/bots/front')}`);
    await keep('--target', 'aurora/bots/front');
    await callControl(sandbox.control, '/fault/add', {
      target: 'createBot',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    expect(await applyEnded('--allow', 'recreate')).toMatchObject({ exitCode: 130, writes: ['createBot'] });
    expect(await applyKept('--allow', 'recreate')).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('goes on with documents that it has replaced or renamed, and renames no other one', async () => {
    change('aurora', 'menu: { file: menu.txt }', 'menu: { file: menu.txt }\n      faq: { folder: faq }');
    mkdirSync(join(folder, 'faq'));
    write('faq/hours.txt', 'From nine to five.');
    await applyFiles('--target', 'aurora');
    const [menu, team] = [idOf('aurora/documents/menu'), idOf('aurora')];
    write('menu.txt', 'soup');
    renameSync(join(folder, 'faq', 'hours.txt'), join(folder, 'faq', 'open.txt'));
    await keep('--target', 'aurora');
    const lock = readFileSync(lockPath(), 'utf8');
    const other = await service.document(team, 'menu.txt');
    writeFileSync(lockPath(), lock.replaceAll(menu, other));
    expect(await refused()).toMatchObject({
      'aurora/documents/menu': { retires: `${other} would get another name, and was not to` },
    });
    writeFileSync(lockPath(), lock);
    for (const target of ['updateDocument', 'updateBot'])
      await callControl(sandbox.control, '/fault/add', {
        target,
        effect: { kind: 'status', status: 400 },
        times: 1,
      });
    const first = await applyKept();
    expect(first).toMatchObject({ exitCode: 10 });
    expect(first.writes).toEqual(['createDocument', 'updateDocument', 'updateBot']);
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.writes).toEqual(['updateDocument', 'updateBot', 'updateDocument']);
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('goes on beside a device of which nobody knows, which stays unknown until that is said', async () => {
    await keep('--target', 'aurora');
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    for (const writes of [5, 0]) {
      const ran = await applyKept();
      expect(ran).toMatchObject({ exitCode: 12 });
      expect(ran.writes).toHaveLength(writes);
    }
    const forget = ['tenants', 'forget', 'aurora/devices/reception', '--lock', lockPath(), '--yes'];
    expect(await botctl(forget, { env })).toMatchObject({ exitCode: 0 });
  });

  it('ends as a plain apply does where something could not be done, or was not known, when it was planned', async () => {
    await applyFiles('--target', 'borealis');
    change('borealis', 'menu: { file: menu.txt }', 'menu: { file: menu.txt }\n      faq: { folder: faq }');
    mkdirSync(join(folder, 'faq'));
    write('faq/empty.txt', '');
    await keep('--target', 'borealis');
    for (const ran of [await apply([folder, '--target', 'borealis']), await applyKept()])
      expect(ran, ran.stderr).toMatchObject({
        exitCode: 2,
        outcomes: ['impossible: impossible borealis/documents/faq/empty.txt'],
        stderr: expect.stringContaining('1 not possible.'),
      });
    write('faq/empty.txt', 'hello to all');
    const [stale, mended] = [await applyKept(), await apply([folder, '--target', 'borealis'])];
    expect(stale).toMatchObject({ exitCode: 0, writes: [] });
    expect(stale.stderr).toContain('borealis/documents/faq/empty.txt');
    expect(mended).toMatchObject({ exitCode: 0, writes: ['createDocument'] });
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    expect(await apply([folder, '--target', 'aurora'])).toMatchObject({ exitCode: 12 });
    expect(await plan(['--out', kept, '--yes'])).toMatchObject({ exitCode: 12 });
    for (const ran of [await apply([folder]), await applyKept()]) {
      expect(ran, ran.stderr).toMatchObject({ exitCode: 12, writes: [] });
      expect(ran.outcomes).toEqual(['unknown: unknown aurora/devices/reception']);
    }
  });

  it('is refused together with files or options that a plan is made of', async () => {
    const ran = await botctl(['tenants', 'apply', folder, '--plan', kept, '--var', 'a=b', '--prune'], {
      env,
    });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('is refused if its file is cut, edited, newer, something else, or for another service', async () => {
    await keep();
    const text = readFileSync(kept, 'utf8');
    const cases = [
      [text.slice(0, -20), 'it is not whole'],
      [text.replace('0.3', '0.4'), 'somebody has changed it since it was written'],
      [text.replace('"version": 2', '"version": 1'), 'an earlier botctl wrote it'],
      [text.replace('"version": 2', '"version": 3'), 'a newer botctl wrote it'],
      ['{}', 'it is something else'],
      ['tenants:', 'it is something else'],
      [signed(text, { origin: 'https://api.example' }), 'is a plan for https://api.example'],
    ] as const;
    for (const [changed, words] of cases) {
      writeFileSync(kept, changed);
      const ran = await botctl(['tenants', 'apply', '--plan', kept, '--yes'], { env });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) });
    }
  });

  it('is refused where the lock is not there that it was made of, or none of the files', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep();
    const lock = readFileSync(lockPath(), 'utf8');
    rmSync(lockPath());
    const withoutLock = await applyKept();
    expect(withoutLock).toMatchObject({ exitCode: 2, writes: [] });
    expect(withoutLock.stderr).toContain(lockPath());
    writeFileSync(lockPath(), lock);
    for (const key of ['aurora', 'borealis']) rmSync(join(folder, `${key}.yaml`));
    const withoutFiles = await applyKept();
    expect(withoutFiles).toMatchObject({ exitCode: 2, writes: [] });
  });
});
