import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Sample } from './measure.ts';
import { bundled, type Setting, sampleForm } from './setting.ts';

/**
 * Runs a Node program, and returns the cost of the whole process.
 * @param exitCodes the allowed exit codes
 * @throws Error with its output if it fails or prints another number of lines
 */
export async function lines(
  expected: number,
  args: readonly string[],
  env: Setting['env'],
  exitCodes: readonly number[] = [0],
): Promise<Sample> {
  const program = spawn(process.execPath, ['--require', bundled('sample'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = once(program, 'close');
  let found = 0;
  program.stdout?.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) found += 1;
  });
  let [said, sample] = ['', ''];
  program.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  program.stdio[3]?.on('data', (chunk: Buffer) => {
    sample += chunk.toString();
  });
  const [exitCode] = await ended;
  if (!exitCodes.includes(exitCode)) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${said}`);
  if (found !== expected) throw new Error(`${args.join(' ')} printed ${found} lines instead of ${expected}`);
  return sampleForm.parse(JSON.parse(sample));
}
