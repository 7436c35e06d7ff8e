import { beforeEach, describe, expect, it } from 'vitest';
import { settingsIn } from '../settings/support.ts';
import { openDirect } from '../support/direct.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { patience } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let directory: string;
/** Returns the calls that the service received since the profile was stored. */
let calls: () => Promise<readonly (string | undefined)[]>;

beforeEach(async () => {
  directory = temporaryDirectory('process');
  const { profiles } = settingsIn(directory);
  const { baseUrl, keyId, keySecret } = sandbox;
  await profiles.save({ name: 'prod', baseUrl, keyId, keySecret });
  await profiles.configure('prod', () => ({ protected: true }));
  const requests = await requestsFromNow(sandbox);
  calls = async () => (await requests()).map(({ operation }) => operation);
});

function terminalWith(...args: string[]): PtyTerminal {
  return new PtyTerminal(args, { columns: 100, rows: 30 }, { BOTCTL_CONFIG_DIR: directory });
}

describe('in a real terminal', { timeout: patience }, () => {
  it('login --key-secret-file - without input fails at once', async () => {
    const args = ['login', '--base-url', sandbox.baseUrl, '--key-id', 'key-1', '--key-secret-file', '-'];
    const terminal = terminalWith(...args);
    expect(await terminal.ended).toBe(2);
    expect(await terminal.text()).toContain('stdin is a terminal');
    expect(await calls()).toEqual([]);
  });

  it('token prints none without --show-token', async () => {
    const terminal = terminalWith('token');
    expect(await terminal.ended).toBe(2);
    expect(await terminal.text()).toContain('--show-token');
    expect(await calls()).toEqual([]);
  });

  it('a question ends its line before anything else is printed', async () => {
    const terminal = terminalWith('profiles', 'set', 'prod', '--no-protect');
    await terminal.until((text) => text.includes('Type prod to confirm'));
    terminal.type('prod\r');
    expect(await terminal.ended).toBe(0);
    expect(await terminal.text()).toMatch(/: prod\n✓ Changed profile prod/);
  });

  it('a protected profile requires its typed name', async () => {
    const team = await service.team('Acme');
    const update = ['teams', 'update', team, '--name', 'Acme Coffee', '--yes'];

    const refused = terminalWith(...update);
    await refused.until((text) => text.includes('Type prod to confirm'));
    refused.type('yes\r');
    expect(await refused.ended).toBe(3);
    expect(await calls()).not.toContain('getTeam');

    const confirmed = terminalWith(...update);
    await confirmed.until((text) => text.includes(`Profile prod (${sandbox.baseUrl}) is protected.`));
    confirmed.type('prod\r');
    expect(await confirmed.ended, await confirmed.text()).toBe(0);
    expect((await calls()).filter((call) => call === 'updateTeam')).toHaveLength(1);
  });
});
