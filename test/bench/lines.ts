import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Sample } from './measure.ts';
import { bundled, type Setting, sampleForm } from './setting.ts';

/** How a program of the bench is run. */
export interface LinesOptions {
  /** What a line for each file says to a person would hide the figures. */
  readonly stderr?: 'inherit' | 'ignore';
  /** What it may end with. */
  readonly exitCodes?: readonly number[];
}

/**
 * Runs a Node program, and gives what the whole process took.
 * @throws Error where it fails, or doesn't print exactly so many lines
 */
export async function lines(
  expected: number,
  args: readonly string[],
  env: Setting['env'],
  { stderr = 'inherit', exitCodes = [0] }: LinesOptions = {},
): Promise<Sample> {
  const program = spawn(process.execPath, ['--require', bundled('sample'), ...args], {
    env,
    stdio: ['ignore', 'pipe', stderr, 'pipe'],
  });
  const ended = once(program, 'close');
  let found = 0;
  program.stdout?.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) found += 1;
  });
  let sample = '';
  program.stdio[3]?.on('data', (chunk: Buffer) => {
    sample += chunk.toString();
  });
  const [exitCode] = await ended;
  if (!exitCodes.includes(exitCode)) throw new Error(`${args.join(' ')} ended with ${exitCode}`);
  if (found !== expected) throw new Error(`${args.join(' ')} printed ${found} lines instead of ${expected}`);
  return sampleForm.parse(JSON.parse(sample));
}

/** Runs a Node program without what it says to a person. */
export function quietLines(
  expected: number,
  args: readonly string[],
  env: Setting['env'],
  exitCodes?: readonly number[],
): Promise<Sample> {
  return lines(expected, args, env, { stderr: 'ignore', ...(exitCodes && { exitCodes }) });
}
