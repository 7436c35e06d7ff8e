import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../package.json';
import { campaignFile } from '../../src/campaigns/store/file.ts';
import { serverPackage } from '../../src/database/packages.ts';
import { sqlitePackage } from '../../src/database/sqlite-driver.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { findPaths } from '../../src/settings/paths.ts';
import { openDirect } from '../support/direct.ts';
import { needing } from '../support/needing.ts';
import { type Installed, installBotctl, type Packed, packBotctl } from '../support/package.ts';
import { useSandbox } from '../support/sandbox.ts';

/** Whether Node has SQLite in the form that botctl needs, so that no package is needed for it. */
const isInNode = /^(?:22\.(?:1[6-9]|2)|2[3-9]|[3-9]\d)/.test(process.versions.node);

/** The part of a message that names the missing package. */
const missing = "needs the optional package libsql, which is not installed or can't be loaded here.";

let home: string;
let packed: Packed;
let installed: Installed;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'botctl-package-'));
  packed = await packBotctl(home);
  installed = await installBotctl(packed.tarball, home, { args: ['--offline', '--omit=optional'] });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Returns the imports of a built file: relative paths and packages. */
function loadedBy(file: string): readonly string[] {
  if (!file.endsWith('js')) return [];
  const source = readFileSync(join(installed.root, file), 'utf8');
  const names = [...source.matchAll(/\b(?:require|import)\(([`"'])([\w@.:/-]+)\1\)/g)].map(
    ([, , name = '']) => name,
  );
  // ajv and ajv-formats contain these names as text for validators that they would write to a file. conf depends on
  // them, and botctl passes no schema to conf.
  return names.filter((name) => !/^ajv(?:-formats)?\/dist\//.test(name));
}

function isRelative(name: string): boolean {
  return name.startsWith('.');
}

describe('the package', () => {
  it('contains only the files that it needs to run', () => {
    const expected = [
      /^(LICENSE|README\.md|package\.json|bin\/botctl\.js)$/,
      /^completions\/(_botctl|botctl\.(bash|fish|ps1))$/,
      /^dist\/(THIRD-PARTY-NOTICES\.txt|build\.json|sbom\.cdx\.json|(phone-numbers|cmaps)\.br)$/,
      /^dist\/main\.cjs$/,
      /^dist\/chunks\/[\w-]+\.cjs$/,
      /^dist\/documents\/[\w-]+\.cjs$/,
      /^test\/pictures\/[\w-]+\.svg$/,
    ];
    expect(packed.files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([]);
    for (const pattern of expected) expect(packed.files.filter((file) => pattern.test(file))).not.toEqual([]);
    expect(packed.files).toContain('completions/_botctl');
    expect(packed.files).toContain('dist/THIRD-PARTY-NOTICES.txt');
  });

  it('contains everything that its README shows', () => {
    const readme = readFileSync(join(installed.root, 'README.md'), 'utf8');
    const shown = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(shown.length).toBeGreaterThan(0);
    expect(packed.files).toEqual(expect.arrayContaining(shown));
  });

  it('stays below 2.5 MB', () => {
    expect(packed.size).toBeLessThan(2_500_000);
  });

  it('needs no other package, except for the databases of the sandbox', () => {
    const manifest = JSON.parse(readFileSync(join(installed.root, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.entries(manifest.optionalDependencies).map((parts) => parts.join('@'))).toEqual([
      sqlitePackage,
      serverPackage,
    ]);
    const loaded = packed.files.flatMap((file) => loadedBy(file).map((name) => ({ file, name })));
    expect(loaded.length).toBeGreaterThan(100);
    for (const { file, name } of loaded) {
      if (isRelative(name)) expect(packed.files).toContain(normalize(join(dirname(file), name)));
      // Node 20 doesn't have node:sqlite, which undici loads only for a cache in a database.
      else if (name !== 'node:sqlite')
        expect({ file, name, isBuiltin: isBuiltin(name) }).toEqual({ file, name, isBuiltin: true });
    }
  });

  it('has no install script', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed.root, 'package.json'), 'utf8'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
  });

  it('exports nothing', () => {
    const { main, exports } = JSON.parse(readFileSync(join(installed.root, 'package.json'), 'utf8'));
    expect({ main, exports }).toEqual({ main: undefined, exports: { './package.json': './package.json' } });
  });
});

/** Runs the installed binary. */
const run = (args: readonly string[], env: Record<string, string> = {}, stdin = '') =>
  new Promise<{ exitCode: unknown; stdout: string; stderr: string }>((resolve) => {
    const own = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: join(home, 'config'), ...env };
    const child = execFile(installed.binary, args, { env: own }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.on('error', () => undefined).end(stdin);
  });

/** Returns the command that installs a package next to the installed ones. */
const installing = (wanted: string): string =>
  `npm install --global --prefix "${installed.prefix}" --include=optional ${wanted}`;

/** Installs the SQLite package with that command, and removes it after some work. */
async function withLibsql(work: (nativeFile: string) => Promise<void>): Promise<void> {
  const modules = ['libsql', '@libsql', '@neon-rs', 'detect-libc'];
  const beside = dirname(installed.root);
  try {
    for (const name of modules) {
      cpSync(join(packageRoot(), 'node_modules', name), join(beside, name), { recursive: true });
    }
    const [native = ''] = readdirSync(join(beside, '@libsql'));
    await work(join(beside, '@libsql', native, 'index.node'));
  } finally {
    for (const name of modules) rmSync(join(beside, name), { recursive: true });
  }
}

const withoutSqlite = needing('a Node without SQLite, such as 20', !isInNode);

describe('installed without optional packages, below a path with a space and an umlaut', () => {
  const sandbox = useSandbox();

  it('makes npm neither run nor ask for an install script', () => {
    expect(installed.said).not.toContain('script');
  });

  it('prints its version and its help', async () => {
    expect(await run(['--version'])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`^botctl ${version} \\(commit .*, npm\\)\\n$`)),
      stderr: '',
    });
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('botctl tour'),
    });
    expect(await run(['teams', '--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('quotas'),
    });
  });

  it('does everything that needs no database, and creates none', async () => {
    const config = join(home, 'config-of-operator');
    const env = { BOTCTL_CONFIG_DIR: config };
    const { baseUrl, keyId, keySecret } = sandbox;
    const login = ['login', '--base-url', baseUrl, '--key-id', keyId, '--key-secret-file', '-'];
    expect(await run(login, env, keySecret.reveal())).toMatchObject({ exitCode: 0 });
    const menu = join(home, 'menu.txt');
    writeFileSync(menu, 'Espresso 2.00');
    const administrator = [
      '--admin-name',
      'Ann',
      '--admin-phone',
      '+14155550100',
      '--admin-email',
      'a@acme.example',
    ];
    for (const args of [
      ['teams', 'create', '--name', 'Acme', '--plan', 'pro', ...administrator],
      ['teams', 'list'],
      ['keys', 'list'],
      ['docs', 'upload', menu, '--team', 'Acme'],
      ['docs', 'list'],
      ['bots', 'create', '--team', 'Acme', '--name', 'Desk', '--document', 'menu.txt'],
      ['device', 'create', '--team', 'Acme', '--bot', 'Desk', '--name', 'Reception', '--discard-token'],
      ['device', 'connect', 'Reception', '--wait', '-o', 'ndjson'],
      ['device', 'status', 'Reception'],
      ['send', '--device', 'Reception', '--to', '+5511988887777', '--message', 'Ready.'],
      ['profiles', 'set', 'default', '--page-size', '50'],
      ['profiles', 'list'],
    ]) {
      const { exitCode, stderr } = await run(args, env);
      expect({ args, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
        args,
        exitCode: 0,
        stderr: '',
      });
    }
    expect(existsSync(campaignFile(findPaths(env).data))).toBe(false);
  });

  it('sends nothing if there are opt-outs that cannot be read: exit code 2', async () => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: join(home, 'config-with-opt-outs') };
    const file = campaignFile(findPaths(env).data);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'opt-outs');
    const service = openDirect(sandbox);
    const team = await service.team('Acme');
    const device = await service.device(team, await service.createBot(team, 'Desk'), 'Reception');
    const sending = await run(
      ['send', '--device', device, '--to', '+5511988887777', '--message', 'Ready.'],
      env,
    );
    expect(sending).toMatchObject({ exitCode: 2, stdout: '' });
    const examined = await run(['doctor', '-o', 'json'], env);
    expect(examined.exitCode).toBe(2);
    if (isInNode) return;
    expect(sending.stderr).toContain(missing);
    expect(examined.stdout).toContain(missing);
  });

  it.each([
    [['tour']],
    [['sandbox', 'start', '--port', '0']],
    [['campaigns', 'list']],
    [['optouts', 'add', '+5511988887777']],
  ])('names the missing package for %j, exit code 2', withoutSqlite, async (args) => {
    const { exitCode, stdout, stderr } = await run(args, sandbox.env);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(missing),
      expect.stringContaining(installing(sqlitePackage)),
    ]);
  });

  it('has doctor warn about the missing package, and exit with code 0', withoutSqlite, async () => {
    const { exitCode, stdout } = await run(['doctor', '-o', 'json'], sandbox.env);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'sqlite',
      verdict: 'warning',
      found: expect.stringContaining(missing),
      remedy: expect.stringContaining(installing(sqlitePackage)),
    });
  });

  it('names the missing package for sandbox start --database, exit code 2', async () => {
    const database = [
      '--database',
      'postgres://127.0.0.1:1/things',
      '--files',
      join(installed.prefix, 'files'),
    ];
    const { exitCode, stdout, stderr } = await run(['sandbox', 'start', ...database]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(
        'A sandbox on a database server needs the optional package pg, which is not installed.',
      ),
      expect.stringContaining(installing(serverPackage)),
    ]);
  });

  it('uses the optional package where the suggested command installs it', withoutSqlite, () =>
    withLibsql(async () => {
      const { stdout } = await run(['doctor', '-o', 'json'], sandbox.env);
      expect(JSON.parse(stdout)).toContainEqual({
        check: 'sqlite',
        verdict: 'ok',
        found: expect.stringMatching(/^SQLite 3\.\d+\.\d+, from the package libsql\.$/),
        remedy: null,
      });
      expect(await run(['sandbox', 'run', '--', installed.binary, 'teams', 'list'])).toMatchObject({
        exitCode: 0,
      });
    }),
  );

  it.each([
    ['empty', ''],
    ['for another system', 'MZ for another system'],
  ])('treats a driver that is %s as a missing one', withoutSqlite, (_what, contents) =>
    withLibsql(async (nativeFile) => {
      writeFileSync(nativeFile, contents);
      for (const args of [
        ['sandbox', 'start'],
        ['optouts', 'list'],
      ]) {
        const { exitCode, stderr } = await run(args, sandbox.env);
        expect(exitCode).toBe(2);
        expect(stderr).toContain(missing);
        expect(stderr).toContain(installing(sqlitePackage));
      }
    }),
  );
});
