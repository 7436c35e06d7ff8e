import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

/** A process that uses a SQLite file; `database-script.ts` has its tasks. */
export interface DatabaseProcess {
  readonly process: ChildProcess;
  /** The lines printed so far. */
  readonly lines: readonly string[];
  /** Returns its stderr so far. */
  errors(): string;
  /** Waits until it prints a line. */
  until(line: string): Promise<void>;
  /** Closes its stdin, waits for its exit and returns its last line. */
  finish(): Promise<string>;
  /** Kills it as a crash would, and waits for its exit. */
  kill(): Promise<void>;
}

export interface DatabaseProcessOptions {
  /** A command that starts Node, whose path and arguments are appended: `['unshare', '--pid']`. */
  readonly by?: readonly string[];
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
}

/** Builds the script for the tests of a file. Returns a function that starts it. */
export function databaseProcesses(): (
  task: string,
  file: string,
  kind: 'shared' | 'private',
  argument?: string | number,
  options?: DatabaseProcessOptions,
) => DatabaseProcess {
  // Inside the package, so that it resolves the drivers.
  const script = join(packageRoot(), 'node_modules', '.cache', `botctl-database-${randomUUID()}.mjs`);
  beforeAll(async () => {
    await build({
      input: join(import.meta.dirname, 'database-script.ts'),
      platform: 'node',
      external: [...builtinModules, /^node:/],
      output: { file: script, format: 'esm' },
    });
  });
  afterAll(() => rmSync(script, { force: true }));
  return (task, file, kind, argument = '', options = {}) =>
    startProcess([script, task, file, kind, String(argument)], options);
}

function startProcess(
  args: readonly string[],
  { by = [], node = process.execPath, env = {}, uid }: DatabaseProcessOptions,
): DatabaseProcess {
  const [command = node, ...first] = [...by, node];
  const child = spawn(command, [...first, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const lines: string[] = [];
  let rest = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      stderr += error.message;
      resolve();
    });
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    process: child,
    lines,
    errors: () => stderr,
    async until(line) {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          if (lines.includes(line)) resolve();
        };
        child.stdout.on('data', look);
        look();
      });
      await Promise.race([found, ended]);
      if (!lines.includes(line)) throw new Error(`it ended with ${lines.at(-1)} ${stderr}`);
    },
    async finish() {
      child.stdin.end();
      await ended;
      if (lines.length === 0) throw new Error(`it printed nothing: ${stderr}`);
      return lines.at(-1) ?? '';
    },
    kill,
  };
}
