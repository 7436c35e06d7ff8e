import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLock } from '../../src/lib/files/lock.ts';
import { answer, answerInTurn } from '../support/answer.ts';
import { watchFileCalls } from '../support/file-calls.ts';
import { type StartOptions, start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** One of botctl's own files, in a home that was used for a while. */
interface StateFile {
  readonly path: string;
  /** A command that replaces the file, and its environment. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The number of 512-byte blocks that hold only a part of the new file. */
  readonly blocks: number;
}

const sandbox = useSandbox();
const service = 'https://api.example.com';
const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const identity = { BOTCTL_BASE_URL: service, BOTCTL_KEY_ID: 'key-1', BOTCTL_KEY_SECRET: 'secret-of-key-1' };

async function run(args: readonly string[], options: StartOptions) {
  const running = start(args, options);
  const exitCode = await running.ended;
  return { exitCode, ...running.output };
}

/**
 * Writes a config file of forty profiles, which takes about 5 KB and fills its last block: conf can copy it into as
 * many blocks, and write only a part of a longer one.
 */
function usedConfig(home: string): StateFile {
  const profiles = Array.from({ length: 40 }, (_, index) => [
    `used-${index}`,
    { base_url: service, key_id: `key-${index}`, key_secret: `secret-of-key-${index}` },
  ]);
  const path = join(home, 'config.json');
  const textWith = (note: string): string =>
    `${JSON.stringify({ note, current_profile: 'used-0', profiles: Object.fromEntries(profiles) }, null, 2)}\n`;
  const blocks = Math.ceil(textWith('').length / 512);
  writeFileSync(path, textWith('x'.repeat(blocks * 512 - textWith('').length)));
  return { path, args: ['profiles', 'set', 'used-7', '--page-size', '20'], env: {}, blocks };
}

/** Writes a device book with mostly outdated lines, so that the next added device causes a rewrite. */
function usedBook(home: string): StateFile {
  const lines = Array.from({ length: 300 }, (_, index) =>
    JSON.stringify({ origin: service, id, name: `Desk ${index}`, seen_at: '2026-01-01T00:00:00.000Z' }),
  );
  const path = join(home, 'data', 'devices.ndjson');
  mkdirSync(dirname(path));
  writeFileSync(path, `${lines.join('\n')}\n`);
  return { path, args: ['device', 'add', id, '--name', 'Lobby', '--offline'], env: identity, blocks: 2 };
}

/** Writes a cached token of another secret, which is replaced; the next one takes about 2 KB. */
async function usedToken(home: string): Promise<StateFile> {
  const tokenOf = (text: string) => answer({ access_token: text, token_type: 'Bearer', expires_in: 86_400 });
  const [first, next] = [tokenOf('first-token'), tokenOf('second-token-'.repeat(150))];
  await answerInTurn(sandbox, 'createToken', first, next);
  const env = { ...identity, BOTCTL_BASE_URL: sandbox.baseUrl, BOTCTL_CONFIG_DIR: home };
  expect(await run(['token'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  const directory = join(home, 'cache', 'tokens');
  const [name = ''] = readdirSync(directory);
  return {
    path: join(directory, name),
    args: ['token'],
    env: { ...env, BOTCTL_KEY_SECRET: 'another-secret' },
    blocks: 2,
  };
}

const stateFiles = {
  'the config file': usedConfig,
  'the device book': usedBook,
  'a cached token': usedToken,
} as const;
const everyFile = ['the config file', 'the device book', 'a cached token'] as const;

const without = (calls: readonly string[], ...left: readonly string[]): readonly string[] =>
  calls.filter((call, index) => call !== calls[index - 1] && !left.includes(call));

/** Other files that a command of these tests also writes. */
const written: readonly string[] = ['cache', 'used-names.ndjson'];
const listed = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => !written.includes(name))
    .sort();

describe.each(everyFile)('%s', (what) => {
  const used = async () => {
    const home = temporaryDirectory('used');
    const file = await stateFiles[what](home);
    const env = { ...file.env, BOTCTL_CONFIG_DIR: home };
    return { ...file, home, env, before: readFileSync(file.path, 'utf8') };
  };

  it('is replaced as a whole, after the new file is synced', async () => {
    const { path, args, env } = await used();
    const watched = watchFileCalls(path);
    expect(await run(args, { env: { ...env, ...watched.env } })).toMatchObject({ exitCode: 0 });
    const calls = without(watched.calls(), 'write its lock');
    const first = calls.indexOf('write one beside it');
    // The later calls are for another file, which `device add` writes next.
    expect(calls.slice(first, calls.indexOf('sync its directory') + 1)).toEqual([
      'write one beside it',
      'sync one beside it',
      'replace the file',
      'sync its directory',
    ]);
  });

  it('keeps its content for a reader that has it open', async () => {
    const { path, args, env, before } = await used();
    const open = join(temporaryDirectory('open'), 'file');
    linkSync(path, open);
    expect(await run(args, { env })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).not.toContain(before);
    // The book is first appended to, by whole lines.
    expect(readFileSync(open, 'utf8').slice(0, before.length)).toBe(before);
    expect(readFileSync(open, 'utf8')).toMatch(what === 'the device book' ? /"Lobby".*\n$/ : /\}\n$/);
  });

  it.each(['write', 'sync', 'replace'] as const)('keeps the old content if %s fails', async (fails) => {
    const { path, args, env, before } = await used();
    const there = listed(dirname(path));
    const watched = watchFileCalls(path, { fails });
    const ran = await run(args, { env: { ...env, ...watched.env } });
    expect(watched.calls().join()).toContain(fails);
    if (what === 'the config file') {
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain("The config file can't be written: EIO");
    }
    const after = readFileSync(path, 'utf8');
    expect(after.slice(0, before.length)).toBe(before);
    if (what !== 'the device book') expect(after).toBe(before);
    expect(listed(dirname(path)).filter((name) => !there.includes(name))).toEqual([]);
  });

  it('keeps the old content if the disk accepts only a part of the new one', async () => {
    const { path, args, env, before, blocks } = await used();
    const there = listed(dirname(path));
    const ran = await run(args, { env, maxFileBlocks: blocks });
    if (what === 'the config file') {
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain("The config file can't be written: the disk takes only a part of it.");
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(listed(dirname(path)).filter((name) => !there.includes(name))).toEqual([]);
  });
});

it('stores all opt-outs of an import or none if the disk accepts only a part of them', async () => {
  const env = { ...identity, BOTCTL_CONFIG_DIR: temporaryDirectory('opt-outs') };
  await run(['optouts', 'add', '+5511988887777'], { env });
  const numbers = Array.from({ length: 50 }, (_, at) => `+55119777766${10 + at}`).join('\n');
  const refused = await run(['optouts', 'import', '-'], { env, stdin: numbers, maxFileBlocks: 4 });
  expect(refused).toMatchObject({ exitCode: 8, stdout: '' });
  expect(refused.stderr).toContain('its disk fails');
  const listed = await run(['optouts', 'list', '--fields', 'number'], { env });
  expect(listed).toMatchObject({ exitCode: 0, stdout: '+5511988887777\n' });
});

const many = 6;

describe('many processes at once', () => {
  /** Starts them together, and makes each pause between reading the file and writing it. */
  async function allOf(path: string, lines: readonly (readonly string[])[], options: StartOptions) {
    const { env } = watchFileCalls(path, { pauseMs: 50, processes: lines.length });
    return Promise.all(lines.map((args) => run(args, { ...options, env: { ...options.env, ...env } })));
  }

  it('lose no profile that one of them stores', async () => {
    const home = temporaryDirectory('many');
    const names = Array.from({ length: many }, (_, index) => `profile-${index}`);
    const { baseUrl, keyId, keySecret } = sandbox;
    const key = ['--base-url', baseUrl, '--key-id', keyId, '--key-secret-file', '-'];
    const ran = await allOf(
      join(home, 'config.json'),
      names.map((name) => ['login', '--profile', name, ...key]),
      { env: { BOTCTL_CONFIG_DIR: home }, stdin: keySecret.reveal() },
    );
    expect(ran.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const { stdout } = await run(['profiles', 'list', '-o', 'tsv', '--fields', 'name'], {
      env: { BOTCTL_CONFIG_DIR: home },
    });
    expect(stdout.trim().split('\n').sort()).toEqual(names);
  });

  it('lose no device that one of them adds while another rewrites the book', async () => {
    const home = temporaryDirectory('many');
    const { path, env } = usedBook(home);
    const ids = Array.from({ length: many }, (_, index) => `${id.slice(0, -1)}${index}`);
    const ran = await allOf(
      path,
      ids.map((one) => ['device', 'add', one, '--name', `Counter ${one.at(-1)}`, '--offline']),
      { env: { ...env, BOTCTL_CONFIG_DIR: home } },
    );
    expect(ran.map(({ exitCode }) => exitCode)).toEqual(ids.map(() => 0));
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(20);
    const list = await run(['device', 'list', '-o', 'tsv', '--fields', 'name'], {
      env: { ...env, BOTCTL_CONFIG_DIR: home },
    });
    const names = ids.map((one) => `Counter ${one.at(-1)}`);
    expect(list.stdout.trim().split('\n').sort()).toEqual(names);
  });
});

describe.each(['the config file', 'the device book'] as const)('the lock of %s', (what) => {
  const lockOf = { 'the config file': 'config.lock', 'the device book': 'devices.ndjson.lock' } as const;

  it("is awaited, and its owner's change is kept", async () => {
    const home = temporaryDirectory('locked');
    const { path, args, env } = stateFiles[what](home);
    const before = readFileSync(path, 'utf8');
    const attempt = tryLock(join(dirname(path), lockOf[what]));
    if (attempt.state !== 'acquired') throw new Error(attempt.state);
    const watched = watchFileCalls(path);
    const waiting = start(args, { env: { ...env, ...watched.env, BOTCTL_CONFIG_DIR: home } });
    const isOver = waiting.ended.then(() => 'over');
    const tries = (): number => watched.calls().filter((call) => call === 'write its lock').length;
    await expect.poll(tries, { timeout: 15_000 }).toBeGreaterThan(2);
    expect(readFileSync(path, 'utf8')).toBe(before);
    const meanwhile = before
      .replace('used-39', 'meanwhile')
      .replace('"Desk 299"', '"Meanwhile","team_id":"t"');
    expect(meanwhile).not.toBe(before);
    writeFileSync(path, meanwhile);
    attempt.lock.release();
    expect(await isOver).toBe('over');
    expect(waiting.output.stderr).toContain('✓');
    const after = readFileSync(path, 'utf8');
    expect(after).toMatch(what === 'the config file' ? /"meanwhile"/ : /"team_id":"t"/);
    expect(after).toMatch(what === 'the config file' ? /"page_size": 20/ : /"Lobby"/);
  });
});
