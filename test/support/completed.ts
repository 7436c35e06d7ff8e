import { expect } from 'vitest';
import { botctl } from './botctl.ts';

/**
 * Returns the lines that `botctl __complete` prints for the words up to the cursor. It must succeed and write nothing
 * to stderr.
 */
export async function completed(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await botctl(['__complete', '--', ...words], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true);
  return stdout.split('\n').slice(0, -1);
}

/** Returns the completions without their descriptions. */
export async function completedValues(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  return (await completed(words, env)).map((line) => line.replace(/\t.*/, ''));
}
