import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createProfiles } from '../../src/settings/profiles.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from './botctl.ts';
import { startRelay } from './relay.ts';
import type { UsedSandbox } from './sandbox.ts';

/** A machine of a desk: a home directory whose profile names the operator and the database. */
export interface DeskMachine {
  readonly home: string;
  readonly env: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs a command and returns the JSON that it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: a test compares it
  json(args: readonly string[], options?: RunOptions): Promise<any>;
  /** Returns the directory of its local copy. */
  copy(): string;
}

/** Sets up an operator's machine. */
export async function deskMachine(
  { baseUrl, keyId, keySecret }: UsedSandbox,
  database: string | undefined,
  operator: string,
  home = temporaryDirectory(),
): Promise<DeskMachine> {
  const profiles = createProfiles(home);
  const name = `of-${operator.length}-${Buffer.from(operator).toString('hex').slice(0, 20)}`;
  await profiles.save(() => ({ name, baseUrl, keyId, keySecret }));
  await profiles.configure(name, (earlier) => ({ ...earlier, operator }));
  const env = {
    BOTCTL_CONFIG_DIR: home,
    BOTCTL_PROFILE: name,
    ...(database !== undefined && { BOTCTL_DESK_DATABASE: database }),
  };
  const run = (args: readonly string[], options: RunOptions = {}) => botctl(args, { env, ...options });
  return {
    home,
    env,
    run,
    async json(args, options) {
      const ran = await run([...args, '-o', 'json'], options);
      if (ran.exitCode !== 0) throw new Error(ran.stderr);
      return JSON.parse(ran.stdout);
    },
    copy() {
      const desks = join(home, 'data', 'desks');
      return join(desks, readdirSync(desks).find((one) => !one.includes('.')) ?? '');
    },
  };
}

/** Returns a connection to a database that tests can cut. */
export async function cuttableDatabase(database: string) {
  const relay = await startRelay(new URL(database));
  const through = new URL(database);
  through.port = String(relay.port);
  return { ...relay, url: through.href };
}
