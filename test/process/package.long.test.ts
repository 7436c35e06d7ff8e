import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../package.json';
import { serverPackage } from '../../src/database/packages.ts';
import { sqlitePackage } from '../../src/database/sqlite-driver.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openDirect } from '../support/direct.ts';
import { type Installed, installBotctl, type Packed, packBotctl } from '../support/package.ts';
import { useSandbox } from '../support/sandbox.ts';

/** Whether Node has SQLite, so that no package is needed for it. */
const isInNode = process.getBuiltinModule?.('node:sqlite') !== undefined;

let home: string;
let packed: Packed;
let installed: Installed;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'botctl-package-'));
  packed = await packBotctl(home);
  installed = await installBotctl(packed.tarball, home, { args: ['--offline', '--omit=optional'] });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a built file loads, as it names it: a path from there, or a package. */
function loadedBy(file: string): readonly string[] {
  if (!file.endsWith('js')) return [];
  const source = readFileSync(join(installed.root, file), 'utf8');
  return [...source.matchAll(/\b(?:require|import)\(([`"'])([\w@.:/-]+)\1\)/g)].map(
    ([, , name = '']) => name,
  );
}

function isRelative(name: string): boolean {
  return name.startsWith('.');
}

/**
 * The program without the sandbox: every file of code that a command other than `sandbox` and `tour` loads sooner
 * or later, and the answers that are ready. Completions, the man page, README, pictures and licences are no part of it.
 */
function cliFiles(): readonly string[] {
  const found = new Set<string>();
  const follow = (file: string): void => {
    if (found.has(file) || /\/(sandbox|tour)-[^/]*\.cjs$/.test(file)) return;
    found.add(file);
    for (const name of loadedBy(file).filter(isRelative)) follow(normalize(join(dirname(file), name)));
  };
  // Which file the loader loads first, it is told by its name.
  for (const file of ['bin/botctl.js', 'dist/main.cjs']) follow(file);
  return [...found, ...packed.files.filter((file) => file.startsWith('dist/ready-answers/'))];
}

/** Bytes that files take in a tarball: together and gzipped. */
function packedSize(files: readonly string[]): number {
  return gzipSync(Buffer.concat(files.map((file) => readFileSync(join(installed.root, file)))), { level: 9 })
    .length;
}

describe('the package', () => {
  it('holds what is needed to run, and nothing else', () => {
    const expected = [
      /^(LICENSE|README\.md|package\.json|bin\/botctl\.js)$/,
      /^completions\/(_botctl|botctl\.(bash|fish|ps1))$/,
      /^dist\/(botctl\.1|THIRD-PARTY-NOTICES\.txt|(sandbox-template|phone-numbers|cmaps)\.br)$/,
      /^dist\/(start|main|complete-names|database-worker)\.cjs$/,
      /^dist\/chunks\/[\w-]+\.cjs$/,
      /^dist\/documents\/[\w-]+\.cjs$/,
      /^dist\/ready-answers\/(help|version)\.txt$/,
      /^test\/pictures\/[\w-]+\.svg$/,
    ];
    expect(packed.files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([]);
    for (const pattern of expected) expect(packed.files.filter((file) => pattern.test(file))).not.toEqual([]);
    expect(packed.files).toContain('completions/_botctl');
    expect(packed.files).toContain('dist/THIRD-PARTY-NOTICES.txt');
    expect(packed.files).toContain('dist/botctl.1');
  });

  it('holds what its README shows', () => {
    const readme = readFileSync(join(installed.root, 'README.md'), 'utf8');
    const shown = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(shown.length).toBeGreaterThan(0);
    expect(packed.files).toEqual(expect.arrayContaining(shown));
  });

  it('stays below 4 MB, packed; its program without the sandbox below 720 KB, gzipped', () => {
    const cli = cliFiles();
    const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} KB`;
    process.stdout.write(
      `The package: ${kilobytes(packed.size)} packed, ${packed.files.length} files. ` +
        `The program without the sandbox: ${kilobytes(packedSize(cli))} gzipped, ${cli.length} files.\n`,
    );
    expect(packed.size).toBeLessThan(4_000_000);
    // The way through the files is right: the transport is there, the service is not.
    const sources = cli.map((file) => readFileSync(join(installed.root, file), 'utf8')).join('\n');
    expect(sources).toContain('maxRedirections');
    expect(sources).not.toContain('create table bot_documents');
    // Of it, 23 KB are the templates of messages (liquidjs), which are loaded for campaigns alone, 15 KB what finds out how
    // a service chose, for doctor --learn alone, and 22 KB what campaigns are kept with in a database, for --database alone.
    expect(packedSize(cli)).toBeLessThan(720_000);
    expect(packedSize(cli)).toBeGreaterThan(100_000);
    // What reads documents is apart: pdf.js is as large as all the rest, and only a document makes a process load it.
    const readers = packed.files.filter((file) => /^dist\/(documents\/|cmaps\.br$)/.test(file));
    expect(sources).not.toContain('getTextContent');
    expect(packedSize(readers)).toBeLessThan(1_000_000);
  });

  it('needs no other package, but for the databases of the sandbox', () => {
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
      else expect({ file, name, isBuiltin: isBuiltin(name) }).toEqual({ file, name, isBuiltin: true });
    }
  });

  it('has no install script', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed.root, 'package.json'), 'utf8'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
  });

  it('gives nothing to import', () => {
    const { main, exports } = JSON.parse(readFileSync(join(installed.root, 'package.json'), 'utf8'));
    expect({ main, exports }).toEqual({ main: undefined, exports: { './package.json': './package.json' } });
  });
});

/** Runs what is installed. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ exitCode: unknown; stdout: string; stderr: string }>((resolve) => {
    const own = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: join(home, 'config'), ...env };
    execFile(installed.binary, args, { env: own }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? error.code : 0, stdout, stderr }),
    );
  });

describe('installed without optional packages, below a path with a space and an umlaut', () => {
  const sandbox = useSandbox();

  it('has npm neither run nor ask for an install script', () => {
    expect(installed.said).not.toContain('script');
  });

  it('says its version, and shows help', async () => {
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('botctl tour'),
    });
    expect(await run(['teams', '--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('quotas'),
    });
  });

  it('lists teams', async () => {
    await openDirect(sandbox).team('Acme');
    const { exitCode, stdout, stderr } = await run(['teams', 'list', '-o', 'yaml'], sandbox.env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('name: Acme');
  });

  it.each([
    ['completion', 'bash'],
    ['completion', 'zsh'],
    ['completion', 'fish'],
    ['sandbox', 'openapi'],
  ])('%s %s', async (...args) => {
    expect(await run(args)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/.{20}/),
      stderr: '',
    });
  });

  it.skipIf(isInNode).each([[['tour']], [['sandbox', 'start', '--port', '0']]])(
    '%j says what is missing, exit 2',
    async (args) => {
      const { exitCode, stdout, stderr } = await run(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr.trimEnd().split('\n')).toEqual([
        expect.stringContaining(
          'The sandbox needs the optional package libsql, which is not installed, or cannot be loaded here.',
        ),
        expect.stringContaining(`npm install --global ${sqlitePackage}`),
      ]);
    },
  );

  it('sandbox start --database says what is missing, exit 2', async () => {
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
      expect.stringContaining(`npm install --global ${serverPackage}`),
    ]);
  });

  it.skipIf(isInNode)(
    'sends unless there are opt-outs that it cannot read, and says what campaigns lack',
    async () => {
      const service = openDirect(sandbox);
      const team = await service.team('Aurora');
      const device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
      await service.connect(device);
      const send = () =>
        run(['send', '--device', device, '--to', '+5511988887777', '--message', 'Hi'], sandbox.env);
      expect(await send()).toMatchObject({ exitCode: 0 });
      const missing = 'The store of campaigns and opt-outs needs the optional package libsql';
      const listed = await run(['campaigns', 'list'], sandbox.env);
      expect(listed).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(missing) });
      expect(listed.stderr).toContain(`npm install --global ${sqlitePackage}`);
      const file = join(home, 'config', 'data', 'campaigns.db');
      expect(existsSync(file)).toBe(false);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
      expect(await send()).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining(missing),
      });
      rmSync(file);
    },
  );

  it.skipIf(isInNode)('finds the optional package where that command puts it', async () => {
    const beside = join(dirname(installed.root), 'libsql');
    symlinkSync(realpathSync(join(packageRoot(), 'node_modules', 'libsql')), beside);
    const { stdout } = await run(['doctor', '-o', 'json']);
    rmSync(beside);
    expect(stdout).toContain('SQLite, which the sandbox and campaigns need, can be used here.');
  });

  it('has its man page where man looks', () => {
    const page = join(installed.prefix, 'share', 'man', 'man1', 'botctl.1');
    expect(readFileSync(page, 'utf8')).toContain('.TH "BOTCTL" 1');
  });
});
