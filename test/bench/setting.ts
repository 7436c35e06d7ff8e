import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

/** Runs a program to its end. */
export const run = promisify(execFile);

/** The dependencies of every case. */
export interface Setting {
  readonly origin: string;
  readonly rounds: number;
  /** A directory for files of the run, which is removed after it. */
  readonly directory: string;
  readonly env: Record<string, string | undefined>;
  /** Reports that something can't be measured here. */
  note(text: string): void;
}

export const mebibyte = 1024 * 1024;

/** The shipped program. */
export const binary = join('bin', 'botctl.js');

/** Returns the path of another process of the bench. */
export const bundled = (name: string): string => join(__dirname, `${name}.cjs`);

/** Returns the environment in which botctl is signed in to an address, with its settings in a directory. */
export const signedIn = (
  { env, directory, origin }: Setting,
  baseUrl = origin,
  settings = directory,
): Setting['env'] => ({
  ...env,
  BOTCTL_CONFIG_DIR: settings,
  BOTCTL_BASE_URL: baseUrl,
  BOTCTL_KEY_ID: 'bench',
  BOTCTL_KEY_SECRET: 'a-secret-for-the-bench',
});

/** The output of a case. */
export const sampleForm = z.object({
  milliseconds: z.number(),
  cpuMilliseconds: z.number(),
  peakBytes: z.number(),
});
