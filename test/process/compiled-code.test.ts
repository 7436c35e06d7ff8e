import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { isLong, someOf } from '../support/long.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

/** A home whose programs leave their compiled code behind. */
function newHome(): { directory: string; kept(): string[]; file(chunk: string): string } {
  const home = mkdtempSync(join(tmpdir(), 'botctl-compiled-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const below = join(home, 'cache', 'compiled-code');
  const names = (): string[] => readdirSync(below).sort();
  return {
    directory: home,
    kept: () => [...new Set(names().map((name) => name.replace(/-[\w-]{8}\.\w+-[\w.-]+$/, '')))],
    file: (chunk) => join(below, names().find((name) => name.startsWith(`${chunk}-`)) ?? ''),
  };
}

async function usageError(home: string, env: Record<string, string> = {}): Promise<void> {
  const running = start(['teams', 'lst'], { env: { BOTCTL_CONFIG_DIR: home, ...env } });
  const live = await botctl(['teams', 'lst']);
  expect(await running.ended).toBe(2);
  expect(running.output).toEqual({ stdout: live.stdout, stderr: live.stderr });
}

/** What tells whether a file was written again. */
function written(file: string): bigint {
  return statSync(file, { bigint: true }).ctimeNs;
}

it('keeps what a start compiled, for the user alone, and uses it at the next', async () => {
  const home = newHome();
  await usageError(home.directory);
  expect(home.kept()).toEqual(['failure', 'program', 'rolldown-runtime', 'teams']);
  expect(statSync(home.file('program')).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.directory, 'cache', 'compiled-code')).mode & 0o777).toBe(0o700);
  const before = written(home.file('program'));
  await usageError(home.directory);
  expect(written(home.file('program'))).toBe(before);
});

it.runIf(isLong)('adds what another command needs, with the functions that this one compiled', async () => {
  const home = newHome();
  await usageError(home.directory);
  const before = statSync(home.file('program')).size;
  const list = (): ReturnType<typeof start> =>
    start(['teams', 'list'], { env: { BOTCTL_CONFIG_DIR: home.directory, ...sandbox.env } });
  expect(await list().ended).toBe(0);
  // Node 20 sets flags for the client: they must not spoil what it keeps.
  expect(home.kept()).toEqual(['client', 'failure', 'program', 'rolldown-runtime', 'runner', 'teams']);
  expect(statSync(home.file('program')).size).toBeGreaterThan(before);
  const after = written(home.file('client'));
  expect(await list().ended).toBe(0);
  expect(written(home.file('client'))).toBe(after);
});

it.runIf(isLong)('adds the functions of a line that ends otherwise than those before, once', async () => {
  const home = newHome();
  await usageError(home.directory);
  const before = statSync(home.file('program')).size;
  const help = async (): Promise<void> => {
    const running = start(['teams', '--help'], { env: { BOTCTL_CONFIG_DIR: home.directory } });
    expect(await running.ended).toBe(0);
  };
  await help();
  // Laying out help takes functions that a failure doesn't run; both are there then.
  expect(statSync(home.file('program')).size).toBeGreaterThan(before);
  const after = written(home.file('program'));
  await help();
  await usageError(home.directory);
  expect(written(home.file('program'))).toBe(after);
});

it.runIf(isLong)(
  'keeps what is there where V8 has forgotten functions meanwhile, as of a sandbox that runs for a day',
  async () => {
    const home = newHome();
    const file = join(home.directory, 'forget.cjs');
    writeFileSync(
      file,
      `if (process.env.FORGETS) process.on('exit', () => {
      const { setFlagsFromString } = require('node:v8');
      for (const flag of ['--expose-gc', '--stress-flush-code']) setFlagsFromString(flag);
      require('node:vm').runInNewContext('gc')();
      for (const flag of ['--no-expose-gc', '--no-stress-flush-code']) setFlagsFromString(flag);
    });`,
    );
    const env = { NODE_OPTIONS: `--require ${file}` };
    await usageError(home.directory, env);
    const before = statSync(home.file('program')).size;
    const help = async (forgets: string): Promise<number> => {
      const options = { env: { ...env, BOTCTL_CONFIG_DIR: home.directory, FORGETS: forgets } };
      expect(await start(['teams', '--help'], options).ended).toBe(0);
      return statSync(home.file('program')).size;
    };
    expect(await help('1')).toBe(before);
    // What it had nothing to add to isn't taken for kept.
    expect(await help('')).toBeGreaterThan(before);
  },
);

it.runIf(isLong)('adds what other lines need once more where a file of it is missing', async () => {
  const home = newHome();
  const help = async (): Promise<void> => {
    const running = start(['teams', '--help'], { env: { BOTCTL_CONFIG_DIR: home.directory } });
    expect(await running.ended).toBe(0);
  };
  await help();
  await usageError(home.directory);
  const whole = statSync(home.file('program')).size;
  rmSync(home.file('program'));
  await usageError(home.directory);
  rmSync(home.file('teams'));
  await usageError(home.directory);
  const before = written(home.file('teams'));
  await help();
  expect(written(home.file('teams'))).not.toBe(before);
  expect(statSync(home.file('program')).size).toBeGreaterThan(whole * 0.98);
});

const spoilt: readonly (readonly [string, (file: string) => void])[] = [
  ['a bit of it changed', (file) => writeFileSync(file, changed(readFileSync(file), 0.9))],
  ['a bit of the first copy changed', (file) => writeFileSync(file, changed(readFileSync(file), 0.3))],
  ['its end is missing', (file) => truncateSync(file, statSync(file).size - 1000)],
  ['it is empty', (file) => truncateSync(file, 0)],
  // The short form tries this one and the first.
  ['others may have written it', (file) => chmodSync(file, 0o666)],
  ['it holds zeros alone', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
  ['its second half was never written', (file) => writeFileSync(file, halfWritten(readFileSync(file)))],
];
it.each(someOf(spoilt, 4))('compiles anew where %s', async (_what, spoil) => {
  const home = newHome();
  await usageError(home.directory);
  const whole = readFileSync(home.file('program')).length;
  spoil(home.file('program'));
  const before = written(home.file('program'));
  await usageError(home.directory);
  expect(written(home.file('program'))).not.toBe(before);
  expect(statSync(home.file('program')).mode & 0o777).toBe(0o600);
  expect(readFileSync(home.file('program')).length).toBeGreaterThan(whole * 0.95);
});

/** Zeros stand where a file has its length already, and not its content. */
function halfWritten(content: Buffer): Buffer {
  return content.fill(0, Math.floor(content.length / 2));
}

/** @param place a share of its length */
function changed(content: Buffer, place: number): Buffer {
  const at = Math.floor(content.length * place);
  content.writeUInt8(content.readUInt8(at) ^ 0x10, at);
  return content;
}

it.skipIf(process.platform === 'win32')(
  'neither trusts nor writes what is in a directory that others may write',
  async () => {
    const home = newHome();
    await usageError(home.directory);
    const directory = join(home.directory, 'cache', 'compiled-code');
    chmodSync(directory, 0o777);
    const before = written(home.file('program'));
    await usageError(home.directory);
    expect(written(home.file('program'))).toBe(before);
    expect(statSync(directory).mode & 0o777).toBe(0o777);
  },
);

it('leaves alone what a link in the place of its directory leads to', async () => {
  const home = newHome();
  const elsewhere = mkdtempSync(join(tmpdir(), 'botctl-elsewhere-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  chmodSync(elsewhere, 0o755);
  writeFileSync(join(elsewhere, 'old-file'), 'of somebody');
  utimesSync(join(elsewhere, 'old-file'), 1, 1);
  mkdirSync(join(home.directory, 'cache'));
  symlinkSync(elsewhere, join(home.directory, 'cache', 'compiled-code'));
  await usageError(home.directory);
  expect(readdirSync(elsewhere)).toEqual(['old-file']);
  expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
});

it('loads nothing in a way that compiled code does not know', () => {
  const directory = new URL('../../dist/chunks/', import.meta.url);
  const dynamic = readdirSync(directory).filter((name) =>
    /\bimport\(/.test(readFileSync(new URL(name, directory), 'utf8')),
  );
  expect(dynamic).toEqual([]);
});

it.runIf(isLong)('removes what no program has needed for a month', async () => {
  const home = newHome();
  await usageError(home.directory);
  const directory = join(home.directory, 'cache', 'compiled-code');
  const [old, recent, other] = ['program-0lder000.x64-12ab', 'program-recent00.x64-12ab', 'notes'].map(
    (name) => join(directory, name),
  );
  for (const file of [old, recent, other]) writeFileSync(file ?? '', 'of another version');
  const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
  for (const file of [old, other]) utimesSync(file ?? '', longAgo, longAgo);
  utimesSync(home.file('teams'), longAgo, longAgo);
  rmSync(home.file('rolldown-runtime'));
  await usageError(home.directory);
  expect(readdirSync(directory).filter((name) => name.endsWith('12ab'))).toEqual([
    'program-recent00.x64-12ab',
  ]);
  expect(readdirSync(directory)).toContain('notes');
  expect(home.kept()).toContain('teams');
});

it.runIf(isLong)('keeps one for each set of flags', async () => {
  const home = newHome();
  await usageError(home.directory);
  const file = home.file('program');
  const before = written(file);
  // Sets that differ behind a long beginning are told apart as well.
  const preloaded = join(home.directory, `${'x'.repeat(100)}.cjs`);
  writeFileSync(preloaded, '');
  const flags = `--require ${preloaded}`;
  for (const limit of [20, 30])
    await usageError(home.directory, { NODE_OPTIONS: `${flags} --stack-trace-limit=${limit}` });
  const names = readdirSync(join(home.directory, 'cache', 'compiled-code'));
  expect(names.filter((name) => name.startsWith('program-'))).toHaveLength(3);
  await usageError(home.directory);
  expect(written(file)).toBe(before);
});

it.runIf(isLong)('keeps nothing where Node is told to keep nothing, and where it can not', async () => {
  const home = newHome();
  await usageError(home.directory, { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(readdirSync(home.directory)).toEqual([]);
  const file = join(home.directory, 'file');
  writeFileSync(file, '');
  await usageError(file);
  await usageError('/proc/none');
});
