import { dirname } from 'node:path';
import { expect } from 'vitest';
import { botctl } from './botctl.ts';
import type { earlierOutput } from './earlier-files.ts';

const identity = {
  BOTCTL_BASE_URL: 'http://127.0.0.1:4010',
  BOTCTL_KEY_ID: 'key_1',
  BOTCTL_KEY_SECRET: 'botsecret_1',
};

type Env = Readonly<Record<string, string>>;

/** Runs a command on the campaigns in a data directory. Its stderr has no line breaks. */
export const run = async (data: string, args: readonly string[], env: Env = {}) => {
  const ran = await botctl(args, { env: { ...identity, BOTCTL_CONFIG_DIR: dirname(data), ...env } });
  return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
};

/** Runs `campaigns migrate` on a data directory. */
export const migrate = (data: string, ...options: readonly string[]) =>
  run(data, ['campaigns', 'migrate', ...options, '-o', 'json']);

/** Expects that the rows of all campaigns and the opt-outs are those that the earlier version printed. */
export async function expectAll(
  data: string,
  output: ReturnType<typeof earlierOutput>,
  env: Env = {},
): Promise<void> {
  for (const [origin, { optouts, results }] of Object.entries(output)) {
    const at = { BOTCTL_BASE_URL: origin, ...env };
    const print = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await run(data, [...args, '-o', 'json'], at);
      expect(exitCode, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    expect(await print('optouts', 'list')).toEqual(optouts);
    for (const [name, rows] of Object.entries(results))
      expect(await print('campaigns', 'results', name)).toEqual(rows);
  }
}
