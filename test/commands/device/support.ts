import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Api } from '../../../src/client/api.ts';
import { openApi } from '../../../src/client/open.ts';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { FakeClock, scaledClock } from '../../support/fake-clock.ts';
import { TestTokenCache } from '../../support/open-test-api.ts';
import type { UsedSandbox } from '../../support/sandbox.ts';

/** Runs a command with a fast clock, because the time in which a scan is confirmed does not matter here. */
export function quickly(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return botctl(args, { clock: scaledClock(), ...options });
}

/** Returns the environment of a home that is signed in to a sandbox. */
export function homeFor(sandbox: UsedSandbox, home = temporaryDirectory()): Record<string, string> {
  return { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
}

/** Returns an API of a sandbox, to read or change objects without botctl. */
export function apiOf(sandbox: UsedSandbox): Api {
  const { baseUrl, keyId, keySecret } = sandbox;
  const api = openApi({
    identity: { baseUrl, keyId, keySecret, source: 'environment', profile: undefined },
    clock: new FakeClock(),
    tokens: new TestTokenCache(),
    env: {},
    signal: new AbortController().signal,
    onNote: () => undefined,
  });
  onTestFinished(() => api.close());
  return api;
}

/** Creates a team named Acme with a bot named Sales. Returns their ids. */
export async function teamAndBot(api: Api): Promise<{ teamId: string; botId: string }> {
  const { data } = await api.call('createTeam', {
    body: {
      user: { name: 'Jo', email: 'jo@acme.example', phone: '+14155550100' },
      team: { name: 'Acme', plan_name: 'pro' },
    },
  });
  const teamId = idOf(data.team);
  const bot = await api.call('createBot', { body: { team_id: teamId, name: 'Sales' } });
  return { teamId, botId: bot.data.id };
}

/** Creates a device named Reception in a sandbox and the device book of a home. Returns its id. */
export async function reception(sandbox: UsedSandbox, env: Record<string, string>): Promise<string> {
  await teamAndBot(apiOf(sandbox));
  const { stdout, stderr, exitCode } = await botctl(
    [
      'device',
      'create',
      '--team',
      'Acme',
      '--bot',
      'Sales',
      '--name',
      'Reception',
      '--discard-token',
      '-o',
      'id',
    ],
    { env },
  );
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Creates devices with these names in a sandbox and the device book of a home. */
export async function devicesNamed(sandbox: UsedSandbox, names: readonly string[]) {
  const api = apiOf(sandbox);
  const env = homeFor(sandbox);
  const { teamId, botId } = await teamAndBot(api);
  const ids: string[] = [];
  for (const name of names) {
    const { data } = await api.call('createDevice', { body: { team_id: teamId, bot_id: botId, name } });
    ids.push(data.id);
    await botctl(['device', 'add', data.id, '--name', name, '--offline'], { env });
  }
  return { api, env, ids };
}

/** Parses each NDJSON line. */
export function linesOf(ndjson: string): readonly Readonly<Record<string, unknown>>[] {
  return ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
}

function idOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'id' in value) return String(value.id);
  throw new Error('no id');
}

/** Returns the environment of an operator in another operator's home. */
export async function operatorOf(
  { baseUrl, keyId, keySecret }: UsedSandbox,
  { BOTCTL_KEY_ID: _id, BOTCTL_KEY_SECRET: _secret, BOTCTL_BASE_URL: _url, ...env }: Record<string, string>,
  operator: string,
): Promise<Record<string, string>> {
  const name = `of-${randomUUID()}`;
  const profiles = createProfiles(String(env.BOTCTL_CONFIG_DIR));
  await profiles.save(() => ({ name, baseUrl, keyId, keySecret }));
  await profiles.configure(name, (earlier) => ({ ...earlier, operator }));
  return { ...env, BOTCTL_PROFILE: name };
}
