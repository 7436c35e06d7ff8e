import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

/** The binary that users run. */
export const binary = fileURLToPath(new URL('../../bin/botctl.js', import.meta.url));

/** A botctl process with its output. */
export interface Running {
  readonly process: ChildProcess;
  /** The output of each stream so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves to its exit code, or to the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Waits for the first whole line of stdout, and returns it. */
  firstLine(): Promise<string>;
  /** Waits until the output satisfies a condition. */
  until(says: (stdout: string, stderr: string) => boolean): Promise<void>;
}

/** Options of a process. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The largest file that it may write, in blocks of 512 bytes; larger writes fail as on a full disk. */
  readonly maxFileBlocks?: number;
}

/** Starts the built binary with an empty environment and a home of its own. It is killed with the test. */
export function start(args: readonly string[], options: StartOptions = {}): Running {
  // Comes first: between tests it throws, so that no process is left running.
  const home = temporaryDirectory('process');
  const { maxFileBlocks } = options;
  const limited = ['sh', '-c', `ulimit -f ${maxFileBlocks} && exec "$0" "$@"`, process.execPath];
  const [command = '', ...first] = maxFileBlocks === undefined ? [process.execPath] : limited;
  const child = spawn(command, [...first, binary, ...args], {
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', BOTCTL_CONFIG_DIR: home, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const until = (says: (stdout: string, stderr: string) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (says(output.stdout, output.stderr)) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      ended.then(
        (code) => reject(new Error(`ended with ${code} before it said that: ${output.stderr}`)),
        reject,
      );
      look();
    });
  const firstLine = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const end = output.stdout.indexOf('\n');
        if (end >= 0) resolve(output.stdout.slice(0, end));
      };
      child.stdout.on('data', look);
      ended.then(
        (code) => reject(new Error(`ended with ${code} before its first line: ${output.stderr}`)),
        reject,
      );
      look();
    });
  return { process: child, output, ended, firstLine, until };
}
