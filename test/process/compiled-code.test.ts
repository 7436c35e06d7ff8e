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
import { describe, expect, it, onTestFinished } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { start } from '../support/process.ts';

/** Runs a command that fails twice in a home, with something done to its compiled code between, and expects the same of both. */
async function runTwice(between: (directory: string, program: string) => void): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'botctl-compiled-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const directory = join(home, 'cache', 'compiled-code');
  const { stdout, stderr } = await botctl(['teams', 'lst']);
  const program = (): string =>
    join(directory, readdirSync(directory).find((name) => name.startsWith('program-')) ?? '');
  for (const isFirst of [true, false]) {
    const running = start(['teams', 'lst'], { env: { BOTCTL_CONFIG_DIR: home } });
    expect(await running.ended).toBe(2);
    expect(running.output).toEqual({ stdout, stderr });
    if (isFirst) between(directory, program());
  }
  return program();
}

describe('compiled code', () => {
  it('is for the user alone', async () => {
    const program = await runTwice(() => undefined);
    expect(statSync(program).mode & 0o777).toBe(0o600);
    expect(statSync(join(program, '..')).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (file: string) => void]>([
    ['a bit of it changed', (file) => writeFileSync(file, changed(readFileSync(file)))],
    ['its end is missing', (file) => truncateSync(file, statSync(file).size - 1000)],
    ['it is empty', (file) => truncateSync(file, 0)],
    ['its second half was never written', (file) => writeFileSync(file, halfWritten(readFileSync(file)))],
    ['others may have written it', (file) => chmodSync(file, 0o666)],
  ])('is not used if %s', async (_what, spoil) => {
    let before = 0n;
    const program = await runTwice((_directory, file) => {
      spoil(file);
      before = statSync(file, { bigint: true }).ctimeNs;
    });
    expect(statSync(program, { bigint: true }).ctimeNs).not.toBe(before);
  });

  it('is neither read from nor written to a directory that others may write', async () => {
    let before = 0n;
    const program = await runTwice((directory, file) => {
      chmodSync(directory, 0o777);
      before = statSync(file, { bigint: true }).ctimeNs;
    });
    expect(statSync(program, { bigint: true }).ctimeNs).toBe(before);
  });

  it('changes and removes nothing in another directory that a link in its place leads to', async () => {
    const newDirectory = (name: string): string => {
      const directory = mkdtempSync(join(tmpdir(), name));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      return directory;
    };
    const [home, elsewhere] = [newDirectory('botctl-compiled-'), newDirectory('botctl-elsewhere-')];
    chmodSync(elsewhere, 0o755);
    const old = join(elsewhere, 'old-file');
    writeFileSync(old, 'of another program');
    utimesSync(old, 1, 1);
    mkdirSync(join(home, 'cache'));
    symlinkSync(elsewhere, join(home, 'cache', 'compiled-code'));
    expect(await start(['teams', 'lst'], { env: { BOTCTL_CONFIG_DIR: home } }).ended).toBe(2);
    expect(readdirSync(elsewhere)).toEqual(['old-file']);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
  });
});

/** Zeros stand where a file has its length already, and not its content. */
const halfWritten = (content: Buffer): Buffer => content.fill(0, Math.floor(content.length / 2));

function changed(content: Buffer): Buffer {
  const at = Math.floor(content.length * 0.9);
  content.writeUInt8(content.readUInt8(at) ^ 0x10, at);
  return content;
}
