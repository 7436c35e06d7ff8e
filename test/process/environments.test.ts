import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { PtyTerminal } from '../pty/pty-terminal.ts';
import { openDirect } from '../support/direct.ts';
import { needing } from '../support/needing.ts';
import { binary } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
let home: string;

beforeEach(async () => {
  home = temporaryDirectory('environments');
  chmodSync(home, 0o755);
  await openDirect(sandbox).team('Acme');
});

interface Ended {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  /** Variables besides PATH and the key; undefined removes one of these. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** The id of another user. */
  readonly uid?: number;
  readonly stdin?: string;
  /** The Node to run, and its script; by default those of this test. */
  readonly program?: readonly [node: string, script: string];
}

/**
 * Copies botctl, and the Node that runs, to a directory that every user can read: both may be in a private directory.
 */
function copyForEverybody(): readonly [node: string, binary: string] {
  const place = join(home, 'everybody');
  const node = join(place, 'bin', 'node');
  const sqlite = ['libsql', '@libsql', '@neon-rs', 'detect-libc'].map((name) => join('node_modules', name));
  for (const part of ['bin', 'dist', 'package.json', ...sqlite])
    cpSync(join(packageRoot(), part), join(place, part), { recursive: true });
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  return [node, join(place, 'bin', 'botctl.js')];
}

/** Runs a shell command in which "botctl" is replaced by the binary. */
function shell(line: string, { env = {}, cwd = home, uid, stdin = '', program }: Surroundings = {}) {
  const [node, script] = program ?? [process.execPath, binary];
  return new Promise<Ended>((resolve) => {
    const own = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: join(home, 'config'), ...sandbox.env, ...env };
    const commands = `botctl() { "${node}" "${script}" "$@"; }; ${line}`;
    const child = execFile('sh', ['-c', commands], { env: own, cwd, uid }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
  });
}

/** Expects one sentence about the failure, at most one about the solution, and no stack trace. */
function expectSentences({ stderr }: Ended): void {
  expect(stderr).not.toMatch(/^\s+at |unexpectedly|node:internal/m);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
}

const signIn = 'botctl login --base-url "$BOTCTL_BASE_URL" --key-id "$BOTCTL_KEY_ID" --key-secret-file -';

const signedIn = (): Surroundings => ({ stdin: sandbox.keySecret.reveal() });

const acme = expect.stringMatching(/Acme/);

describe('with a closed stream', () => {
  it.each(['>&-', '2>&-', '<&-', '>&- 2>&- <&-'])('does everything else with %s', async (closed) => {
    const [list, unknown] = await Promise.all([
      shell(`botctl teams list ${closed}`),
      shell(`botctl frob ${closed}`),
    ]);
    expect(list).toMatchObject({ exitCode: 0, stderr: '' });
    if (!closed.startsWith('>')) expect(list.stdout).toContain('Acme');
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expectSentences(unknown);
    if (closed.includes('2>&-')) expect(unknown.stderr).toBe('');
    else expect(unknown.stderr).toContain("Unknown command 'frob'.");
  });

  it('refuses to read a secret from a closed stdin, exit code 2', async () => {
    const ended = await shell(`${signIn} <&-`);
    const stderr = expect.stringContaining('stdin is empty');
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr });
    expectSentences(ended);
  });
});

describe('on a full disk', needing('/dev/full', existsSync('/dev/full')), () => {
  it.each(['--version', 'teams list'])('%s reports that, exit code 10', async (args) => {
    const ended = await shell(`botctl ${args} >/dev/full`);
    expect(ended).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('the disk is full') });
    expectSentences(ended);
  });

  it('succeeds if only messages have no room', async () => {
    expect(await shell('botctl teams list 2>/dev/full')).toMatchObject({ exitCode: 0, stdout: acme });
    expect(await shell('botctl frob 2>/dev/full')).toMatchObject({ exitCode: 2 });
  });
});

/** Other users, and homes to which those users cannot write. See no-home.test.ts for homes of the same user. */
const homes: Readonly<Record<string, () => Surroundings>> = {
  'no HOME, and a user without a name': () => ({
    env: { HOME: undefined, BOTCTL_CONFIG_DIR: undefined },
    uid: 54_321,
  }),
  'a directory that is read-only': () => {
    mkdirSync(join(home, 'mine'));
    chmodSync(join(home, 'mine'), 0o555);
    return { env: { BOTCTL_CONFIG_DIR: join(home, 'mine') }, uid: 54_321 };
  },
};

describe.each(Object.keys(homes))(
  'with %s',
  needing('root, who can become another user', process.getuid?.() === 0),
  (name) => {
    it('reads without a warning, and refuses to store anything', async () => {
      const where = { ...homes[name]?.(), program: copyForEverybody() };
      const [list, files, login, start] = await Promise.all([
        shell('botctl teams list', where),
        shell('botctl help environment', where),
        shell(signIn, { ...where, ...signedIn() }),
        shell('botctl sandbox start --port 0', where),
      ]);
      expect(list).toMatchObject({ exitCode: 0, stdout: acme, stderr: '' });
      expect(files).toMatchObject({ exitCode: 0, stderr: '' });
      const stderr = expect.stringMatching(/can't be written.*\n.*BOTCTL_CONFIG_DIR/);
      expect(login).toMatchObject({ exitCode: 2, stdout: '', stderr });
      expectSentences(login);
      expect(start).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('--data <directory>'),
      });
      expectSentences(start);
    });
  },
);

it(
  'logs in without HOME and a user name if BOTCTL_CONFIG_DIR can be written',
  needing('root, who can become another user', process.getuid?.() === 0),
  async () => {
    const own = join(home, 'own');
    mkdirSync(own);
    chownSync(own, 54_321, 54_321);
    const env = { HOME: undefined, BOTCTL_CONFIG_DIR: own };
    const where = { env, uid: 54_321, program: copyForEverybody() };
    const login = await shell(signIn, { ...where, ...signedIn() });
    expect(login, login.stderr).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(own, 'config.json'), 'utf8')).toContain(sandbox.keyId);
    const report = await shell('botctl doctor --bundle "$BOTCTL_CONFIG_DIR/report.json"', where);
    expect(report.stderr).not.toContain('unexpectedly');
    expect(existsSync(join(own, 'report.json'))).toBe(true);
  },
);

it('reads and logs in if only the cache cannot be written', async () => {
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  writeFileSync(join(home, 'config', 'cache'), '');
  const [list, login] = await Promise.all([shell('botctl teams list'), shell(signIn, signedIn())]);
  expect(list).toMatchObject({ exitCode: 0, stdout: acme, stderr: '' });
  expect(login).toMatchObject({ exitCode: 0 });
});

it.each([{ HOME: '' }, { HOME: 'here' }])('puts nothing below the current directory for %j', async (env) => {
  const { exitCode, stdout } = await shell('botctl help environment', {
    env: { ...env, BOTCTL_CONFIG_DIR: undefined },
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ +\/.*config\.json\b/m);
});

describe('in a directory that was deleted', () => {
  const inDeleted = (line: string, surroundings: Surroundings = {}): Promise<Ended> => {
    const cwd = mkdtempSync(join(home, 'gone-'));
    return shell(`rmdir "${cwd}"; ${line}`, { ...surroundings, cwd });
  };

  it('does everything that needs no directory', async () => {
    const [list, login, tried] = await Promise.all([
      inDeleted('botctl teams list'),
      inDeleted(signIn, signedIn()),
      inDeleted('botctl sandbox run -- true'),
    ]);
    expect(list).toMatchObject({ exitCode: 0, stdout: acme, stderr: '' });
    expect(login).toMatchObject({ exitCode: 0 });
    expect(tried, tried.stderr).toMatchObject({ exitCode: 0 });
  });

  it('reports that the directory is gone if it needs one, exit code 2', async () => {
    const lines = [
      'BOTCTL_CONFIG_DIR=here botctl profiles list',
      'botctl sandbox start --port 0 --data here',
    ];
    for (const ended of await Promise.all(lines.map((line) => inDeleted(line)))) {
      const stderr = expect.stringMatching(/The current directory no longer exists\.\n.*cd ~/);
      expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr });
      expectSentences(ended);
    }
  });
});

describe('with limited resources', () => {
  it.each([
    { TERM: undefined, LANG: undefined },
    { TERM: 'dumb', LC_ALL: 'C' },
  ])('prints characters that any terminal shows for %j', async (env) => {
    const [list, unknown] = await Promise.all([
      shell('botctl teams list', { env }),
      shell('botctl frob', { env }),
    ]);
    expect(list).toMatchObject({ exitCode: 0, stdout: acme, stderr: '' });
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^[\x20-\x7e\n]+$/) });
  });

  it('needs at most twenty-four open files, which is about what Node itself needs', async () => {
    const [list, login] = await Promise.all([
      shell('ulimit -n 24; botctl teams list'),
      shell(`ulimit -n 24; ${signIn}`, signedIn()),
    ]);
    expect(list).toMatchObject({ exitCode: 0, stdout: acme, stderr: '' });
    expect(login).toMatchObject({ exitCode: 0 });
  });

  it('fits twenty columns', async () => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config'), NO_COLOR: '1' };
    const terminal = new PtyTerminal(['teams', 'list'], { columns: 20, rows: 40 }, env);
    expect(await terminal.ended).toBe(0);
    expect(terminal.sent).toContain('Acme');
    // The spinner's line is overwritten while it waits.
    const lines = terminal.sent
      .replaceAll('\x1b[1G', '\n')
      .replace(/\x1b\[[\d;?]*[a-zA-Z]/g, '')
      .split(/[\r\n]+/);
    expect(lines.filter((line) => line.length > 20)).toEqual([]);
  });
});
