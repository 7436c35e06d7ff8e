import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDirect } from '../support/direct.ts';
import { isLong, someOf } from '../support/long.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const directory = mkdtempSync(join(tmpdir(), 'botctl-loading-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Loaded before botctl: when that ends, it writes down what was loaded of botctl and of Node, and what asked for a language. */
const recorder = join(directory, 'recorder.cjs');
writeFileSync(
  recorder,
  `const before = new Set(process.moduleLoadList);
const languages = new Set();
const noted = (owner, name) => {
  const note = (does) => (...args) => (languages.add(name), does(...args));
  owner[name] = new Proxy(owner[name], { apply: note(Reflect.apply), construct: note(Reflect.construct) });
};
for (const name of ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']) noted(String.prototype, name);
for (const name of Object.getOwnPropertyNames(Intl)) if (typeof Intl[name] === 'function') noted(Intl, name);
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => !before.has(name));
  require('node:fs').writeFileSync(process.env.RECORD, JSON.stringify({ files: Object.keys(require.cache), builtins, languages: [...languages] }));
});`,
);

interface Loaded {
  /** Names of chunks without their hash, and of the files that are no chunk. */
  readonly files: readonly string[];
  /** Packages that are not bundled: drivers of databases. */
  readonly packages: readonly string[];
  /** Modules of Node that it had not loaded by itself. */
  readonly builtins: ReadonlySet<string>;
  /** What was used that loads the rules of a language, which takes a third of a start. */
  readonly languages: readonly string[];
}

async function loadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<Loaded> {
  const record = join(directory, `${args.join(' ').replace(/\W/g, '-')}.json`);
  const home = { HOME: directory, USERPROFILE: directory };
  const running = start(args, {
    env: { ...home, ...env, NODE_OPTIONS: `--require "${recorder}"`, RECORD: record },
  });
  await running.ended;
  const { files, builtins, languages } = JSON.parse(readFileSync(record, 'utf8'));
  const names = files
    .filter((file: string) => file !== recorder)
    .map((file: string) => file.replace(/^.*[\\/]/, '').replace(/(-[\w-]{8})?\.c?js$/, ''))
    .filter((name: string) => name !== 'rolldown-runtime');
  return {
    files: names.sort(),
    packages: files.filter((file: string) => file.includes('node_modules')),
    builtins: new Set(builtins.map((name: string) => name.replace(/^NativeModule /, ''))),
    languages,
  };
}

/** Every line that isn't answered at once. */
const always = ['botctl', 'main', 'program', 'start'];

/** Modules of Node that take a tenth of a start and more. */
const heavy = ['crypto', 'child_process', 'http', 'https', 'http2', 'tls', 'worker_threads'];

test.each(['--version', '--help'])('%s loads the entry alone', async (line) => {
  const { files, builtins } = await loadedBy([line]);
  expect(files).toEqual(['botctl']);
  expect([...builtins].filter((name) => !/^internal\//.test(name))).toEqual([]);
});

const answered: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['teems'], ['failure', 'teams']],
  // Near to two words: list, and its other name ls.
  [
    ['teams', 'lst'],
    ['failure', 'teams'],
  ],
  [['teams', '--help'], ['teams']],
  [['teams', 'list', '--help'], ['teams']],
];
test.each(someOf(answered, 4))(
  '%j loads what it names, and nothing that runs a command',
  async (line, expected) => {
    const { files, builtins, languages } = await loadedBy(line);
    expect(files).toEqual([...always, ...expected].sort());
    const unused = [
      ...heavy,
      ...['net', 'stream', 'string_decoder', 'zlib'],
      ...(process.platform === 'win32' ? [] : ['os']),
      'Internal Binding signal_wrap',
    ];
    expect(unused.filter((name) => builtins.has(name))).toEqual([]);
    expect(languages).toEqual([]);
  },
);

const declaring = [
  'api',
  'bots',
  'device',
  'docs',
  'keys',
  'login',
  'profiles',
  'sandbox',
  'send',
  'tenants',
];
test.each(someOf(declaring, declaring.length))(
  'what %s declares loads nothing that a running command uses',
  async (name) => {
    const { files, builtins } = await loadedBy([name, '--help']);
    expect(files.filter((file) => ['client', 'runner'].includes(file))).toEqual([]);
    expect(heavy.filter((builtin) => builtins.has(builtin))).toEqual([]);
  },
);

const formats: readonly (readonly [string, readonly string[]])[] = [
  ['tsv', []],
  ['table', ['table']],
];
test.each(someOf(formats, 2))(
  'teams list as %s loads the client, and no package that it does without',
  async (format, drawing) => {
    await service.team('Aurora Coffee');
    const { files, builtins } = await loadedBy(['teams', 'list', '-o', format], sandbox.env);
    expect(files).toEqual([...always, 'client', 'runner', 'teams', ...drawing].sort());
    const unused = [
      'child_process',
      'http2',
      'https',
      'tls',
      'worker_threads',
      'internal/deps/undici/undici',
    ];
    expect(unused.filter((name) => builtins.has(name))).toEqual([]);
  },
);

const withoutDatabase = [
  ['teams', 'list'],
  ['whoami'],
  ['send', '--to', '+5511988887777', '--message', 'Hi', '--device'],
];
test.each(withoutDatabase)('%s %s loads no driver of a database', async (...line) => {
  const teamId = await service.team('Aurora Coffee');
  const device = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
  const args = line.at(-1) === '--device' ? [...line, device] : line;
  const { packages, builtins } = await loadedBy(args, sandbox.env);
  expect(packages).toEqual([]);
  expect([...builtins].filter((name) => name.includes('sqlite'))).toEqual([]);
});

test.runIf(isLong)('what is known of phone numbers is loaded only where one is read', async () => {
  const env = { BOTCTL_BASE_URL: 'http://127.0.0.1:9', BOTCTL_KEY_ID: 'key', BOTCTL_KEY_SECRET: 'secret' };
  const connect = ['device', 'connect', 'x', '--wait', '--region', 'BR'];
  const { files } = await loadedBy(connect, env);
  expect(files).not.toContain('national-number');
  const expecting = await loadedBy([...connect, '--expect', '+5511988887777'], env);
  expect(expecting.files).toContain('national-number');
});

test('completion of names loads one file', async () => {
  const { files, builtins } = await loadedBy(['completion', '--names', 'bot', '--word=B', 'bots', 'get']);
  expect(files).toEqual(['botctl', 'complete-names']);
  expect(heavy.filter((name) => builtins.has(name))).toEqual([]);
});

test.runIf(isLong)('Node has what the record names', () => {
  const { stdout } = spawnSync(
    process.execPath,
    ['-p', 'require("crypto"); process.moduleLoadList.includes("NativeModule crypto")'],
    { encoding: 'utf8' },
  );
  expect(stdout).toBe('true\n');
});
