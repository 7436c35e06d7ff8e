import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { valueHash } from '../../../src/tenants/state-file.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { withoutWaiting } from '../../support/fake-clock.ts';
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

/** A tenant with one object of each kind, and a secret. */
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

/** Changes a tenant's file. */
function change(key: string, from: string | RegExp, to: string): void {
  write(`${key}.yaml`, readFileSync(join(folder, `${key}.yaml`), 'utf8').replace(from, to));
}

const plan = (args: readonly string[] = [], options: RunOptions = {}) =>
  botctl(['tenants', 'plan', folder, ...args], { env, ...options });

const keep = async (...args: readonly string[]): Promise<void> => {
  const ran = await plan(['--out', kept, '--yes', ...args]);
  // A plan that is impossible or risky is written too.
  expect([0, 2], ran.stderr).toContain(ran.exitCode);
};

const rowsSchema = z.array(
  z.looseObject({ action: z.string(), reason: z.string(), address: z.string(), outcome: z.string() }),
);

/** Applies; returns the results and the write operations. */
async function apply(args: readonly string[], options: RunOptions = {}) {
  const seen = await requestsFromNow(sandbox);
  const answers = ['--yes', '--discard-token', '-o', 'json'];
  const ran = await botctl(['tenants', 'apply', ...args, ...answers], {
    env,
    clock: withoutWaiting(),
    ...options,
  });
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

/** Applies the saved plan, and interrupts it once an answer is lost. */
const applyEnded = (...args: readonly string[]) => {
  const end = new AbortController();
  return apply(['--plan', kept, ...args], {
    signal: end.signal,
    onError: (text) => {
      if (text.includes('The response was lost')) end.abort(new Failure('interrupted', 'Interrupted.'));
    },
  });
};

/** Applies the files. */
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
    message: z.string(),
    next: z.array(z.array(z.string())),
    details: z.optional(z.unknown()),
  }),
});

/** Returns a saved plan with other members and a matching checksum. */
function signed(text: string, members: Readonly<Record<string, unknown>>): string {
  const { sha256: _, ...plan } = z.parse(z.looseObject({}), JSON.parse(text));
  const changed = { ...plan, ...members };
  return JSON.stringify({ ...changed, sha256: valueHash(changed) });
}

/** Asserts that a saved plan is refused as stale before anything is written. Returns its failure. */
async function staleFailure(...args: readonly string[]) {
  const ran = await applyKept(...args);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 6, stdout: '', writes: [] });
  const { error } = z.parse(failureSchema, JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? ''));
  expect(error.code).toBe('STALE_PLAN');
  expect(error.next).toEqual([expect.arrayContaining(['tenants', 'plan', folder, '--out', kept])]);
  return error;
}

/**
 * Asserts that a saved plan is refused as stale and the state file is unchanged. Returns the details for each address.
 */
async function refused(...args: readonly string[]): Promise<unknown> {
  const lock = existsSync(lockPath()) ? readFileSync(lockPath(), 'utf8') : undefined;
  const { details } = await staleFailure(...args);
  if (lock !== undefined) expect(readFileSync(lockPath(), 'utf8')).toBe(lock);
  return details;
}

describe('tenants plan --out', () => {
  it('writes a private plan without secrets, and names the command that applies it', async () => {
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
      stderr: expect.stringContaining('--var token contains a secret'),
    });
    expect(readFileSync(kept, 'utf8')).toBe(text);
    const before = statSync(kept).ino;
    const again = await plan(['--out', kept]);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(`${kept} exists.`);
    expect(await plan(['--out', kept, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(statSync(kept).ino).not.toBe(before);
  });

  it('is not read as a tenant file, and refuses a name that would be', async () => {
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

  it('replaces a plan or an empty file, but none of its input files', async () => {
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
  it('does what was planned once, and nothing else', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep();
    write('borealis.yaml', `# A comment changes nothing.\n${tenant('borealis')}`);
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, writes: ['updateBot'] });
    expect(ran.outcomes).toEqual(['done: update aurora/bots/front']);
    expect(ran.stderr).toContain('aurora');
    expect(await service.bot(idOf('aurora/bots/front'))).toMatchObject({ temperature: 0.5 });
    const again = await applyKept();
    expect(again).toMatchObject({ exitCode: 0, outcomes: [], writes: [] });
    expect(again.stderr).toContain('has already been applied');
  });

  it('refuses what a fresh plan has in addition, and names the files that changed', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep();
    change('aurora', 'plan_name: pro', 'plan_name: basic');
    change('borealis', '0.3', '0.7');
    const { details, message } = await staleFailure();
    expect(details).toEqual({
      aurora: 'planned: nothing; now: update (changed in the files)',
      'borealis/bots/front': 'planned: nothing; now: update (changed in the files)',
    });
    expect(message).toContain(
      `Files changed since: ${join(folder, 'aurora.yaml')}, ${join(folder, 'borealis.yaml')}.`,
    );
  });

  it('keeps to its targets, and is refused once the files do not declare one', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep('--target', 'aurora/bots/front');
    change('aurora', 'plan_name: pro', 'plan_name: basic');
    change('borealis', '0.3', '0.7');
    const text = readFileSync(join(folder, 'aurora.yaml'), 'utf8');
    write('aurora.yaml', text.replace('      front:', '      other:').replace('bot: front', 'bot: other'));
    const { message } = await staleFailure();
    expect(message).toContain('aurora/bots/front');
    write('aurora.yaml', text);
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: ['done: update aurora/bots/front'] });
  });

  it('fails for a mistake in any file, as a fresh plan does', async () => {
    await applyFiles();
    change('aurora', '0.3', '0.5');
    await keep('--target', 'aurora');
    change('borealis', 'plan_name', 'plan');
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '', writes: [] });
    expect(ran.stderr).toContain(join(folder, 'borealis.yaml'));
  });

  it('is refused once another object has the name of a new one', async () => {
    await keep('--target', 'aurora');
    await service.team('aurora Coffee');
    expect(await refused()).toMatchObject({
      aurora: 'planned: create (new); now: adopt (same name found)',
    });
  });

  it('creates new tenants, and needs the consent for risks as an apply does', async () => {
    write('borealis.yaml', tenant('borealis').replace('paying: true', 'banned: true'));
    await keep('--allow', 'ban');
    expect(await applyKept()).toMatchObject({ exitCode: 2, writes: [] });
    const ran = await applyKept('--allow', 'ban');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.outcomes).toHaveLength(10);
    expect(await applyKept('--allow', 'ban')).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('is refused if a file has changed, by address and field', async () => {
    await applyFiles('--target', 'borealis');
    change('borealis', '0.3', '0.5');
    await keep();
    change('borealis', '0.5', '0.6');
    change('borealis', 'Be kind.', 'Be brief.');
    write('menu.txt', 'other');
    expect(await refused()).toEqual({
      'aurora/documents/menu': 'the content of its file changed',
      'borealis/documents/menu': 'planned: nothing; now: replace (content changed)',
      'borealis/bots/front':
        'temperature was changed in the files; instructions would change too; documents would change too; it needs other objects',
    });
  });

  it('is refused if an object has changed, or is gone', async () => {
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
      'aurora/bots/front': 'planned: update (changed in the files); now: update (changed in the service)',
      'borealis/bots/front': 'it was changed in the service; its risks changed',
      'borealis/bots/night': 'planned: update (changed in the files); now: create (gone from the service)',
    });
  });

  it('is refused if the state file has another object, also one that is only referenced', async () => {
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
      'aurora/bots/night': 'it needs other objects',
      'borealis/bots/front': expect.stringContaining('it is a different object now'),
    });
    writeFileSync(lockPath(), lock);
    const { exitCode, writes } = await applyKept();
    // Both tenants are applied concurrently.
    expect({ exitCode, writes: writes.toSorted() }).toEqual({
      exitCode: 0,
      writes: ['createBot', 'updateBot'],
    });
  });

  it('is refused if a file with a secret or the administrator of a new team has changed', async () => {
    await applyFiles('--target', 'aurora');
    change('aurora', 'Key:', 'Other:');
    await keep();
    change('aurora', 'env:STOCK_TOKEN', 'env:BOTCTL_KEY_ID');
    change('borealis', 'Manager', 'Owner');
    expect(await refused()).toEqual({
      'aurora/bots/front': 'actions: its secret was changed',
      borealis: 'administrator: its secret was changed',
    });
  });

  it('is refused if a secret has changed since the plan, and only then', async () => {
    change('aurora', 'aurora@direct.example', `"\${env:MAIL}"`);
    env = { ...env, MAIL: 'first@direct.example' };
    await keep('--target', 'aurora');
    const planned = { ...env };
    env = { ...planned, STOCK_TOKEN: 'another', MAIL: 'second@direct.example' };
    expect(await refused()).toEqual({
      aurora: 'administrator: its secret was changed',
      'aurora/bots/front': 'actions: its secret was changed',
    });
    env = planned;
    expect(await applyKept()).toMatchObject({ exitCode: 0 });
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('deletes the bots that were planned for deletion, and no others', async () => {
    for (const key of ['night', 'day'])
      change('aurora', 'front:\n', `${key}: { name: ${key} }\n      front:\n`);
    await applyFiles();
    const [night, day] = [idOf('aurora/bots/night'), idOf('aurora/bots/day')];
    change('aurora', '      night: { name: night }\n', '');
    await keep('--prune', '--allow', 'delete-bot');
    await service.publish(night);
    expect(await refused('--allow', 'delete-bot')).toEqual({
      'aurora/bots/night': 'it was changed in the service',
    });
    await keep('--prune', '--allow', 'delete-bot');
    change('aurora', '      day: { name: day }\n', '');
    expect(await refused('--allow', 'delete-bot')).toEqual({
      'aurora/bots/day': 'planned: nothing; now: delete (no longer declared)',
    });
    change('aurora', 'front:\n', 'day: { name: day }\n      front:\n');
    const ran = await applyKept('--allow', 'delete-bot');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, outcomes: ['done: delete aurora/bots/night'] });
    expect(await service.bot(day)).toMatchObject({ name: 'day' });
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('is refused once it is partly executed, and creates nothing twice after a new plan', async () => {
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
      expect(ended.stderr).toContain('Plan again');
      writes.push(...ended.writes);
      // The interrupted call is resolved first.
      const { details } = await staleFailure();
      expect(details).toEqual(expect.anything());
      await keep('--target', 'aurora');
    }
    const ran = await applyKept();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, writes: ['createDevice'] });
    expect(writes).toEqual(['createTeam', 'updateTeam', 'createDocument', 'createBot']);
    expect(await applyKept()).toMatchObject({ exitCode: 0, writes: [] });
  });

  it('ends as a plain apply does if something was impossible or unknown when it was planned', async () => {
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
    expect(await refused()).toEqual({
      'borealis/documents/faq/empty.txt': 'planned: none (not possible); now: create (new)',
    });
    await keep('--target', 'borealis');
    write('faq/empty.txt', '');
    expect(await refused()).toEqual({
      'borealis/documents/faq/empty.txt': 'planned: create (new); now: none (not possible)',
    });
    write('faq/empty.txt', 'hello to all');
    await applyFiles('--target', 'borealis');
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await keep('--target', 'aurora');
    expect(await applyKept()).toMatchObject({ exitCode: 12 });
    const again = await applyKept();
    expect(again).toMatchObject({ exitCode: 12, writes: [] });
    expect(again.stderr).not.toContain('already been applied');
    expect(await plan(['--out', kept, '--yes'])).toMatchObject({ exitCode: 12 });
    for (const ran of [await apply([folder]), await applyKept()]) {
      expect(ran, ran.stderr).toMatchObject({ exitCode: 12, writes: [] });
      expect(ran.outcomes).toEqual(['unknown: unknown aurora/devices/reception']);
    }
  });

  it('is refused together with files or options that are part of the plan', async () => {
    const ran = await botctl(['tenants', 'apply', folder, '--plan', kept, '--var', 'a=b', '--prune'], {
      env,
    });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('is refused if its file is cut, edited, newer, something else, or for another service', async () => {
    await keep();
    const text = readFileSync(kept, 'utf8');
    const cases = [
      [text.slice(0, -20), 'the file is incomplete'],
      [text.replace('0.3', '0.4'), 'it was changed after it was written'],
      [text.replace('"version": 2', '"version": 1'), 'it was written by an earlier version of botctl'],
      [text.replace('"version": 2', '"version": 3'), 'it was written by a newer version of botctl'],
      ['{}', 'it is not a saved plan'],
      ['tenants:', 'it is not a saved plan'],
      [signed(text, { origin: 'https://api.example' }), 'is a plan for https://api.example'],
    ] as const;
    for (const [changed, words] of cases) {
      writeFileSync(kept, changed);
      const ran = await botctl(['tenants', 'apply', '--plan', kept, '--yes'], { env });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) });
    }
  });

  it('is refused if its state file or all of its files are missing', async () => {
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
