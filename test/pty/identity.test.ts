import { beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn } from '../settings/support.ts';
import { processHome } from '../support/process-home.ts';
import { type ScriptedServer, startScriptedServer, success } from '../support/scripted-server.ts';
import { patience } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

let server: ScriptedServer;
let directory: string;

beforeEach(async () => {
  server = await startScriptedServer();
  directory = processHome();
  const { profiles } = settingsIn(directory);
  await profiles.save({
    name: 'prod',
    baseUrl: server.url,
    keyId: 'key-1',
    keySecret: new Secret('secret-of-1'),
  });
  await profiles.configure('prod', () => ({ protected: true }));
});

function terminalWith(...args: string[]): PtyTerminal {
  return new PtyTerminal(args, { columns: 100, rows: 30 }, { BOTCTL_CONFIG_DIR: directory });
}

describe('in a real terminal', { timeout: patience }, () => {
  it('login --key-secret-stdin with nothing piped in fails at once', async () => {
    const args = ['login', '--base-url', server.url, '--key-id', 'key-1', '--key-secret-stdin'];
    const terminal = terminalWith(...args);
    expect(await terminal.ended).toBe(2);
    expect(await terminal.text()).toContain('nothing is piped into it');
    expect(server.seen).toEqual([]);
  });

  it('token shows none without --force', async () => {
    const terminal = terminalWith('token');
    expect(await terminal.ended).toBe(2);
    expect(await terminal.text()).toContain('--force');
    expect(server.seen).toEqual([]);
  });

  it('a question ends its line before anything else is said', async () => {
    const terminal = terminalWith('profiles', 'set', 'prod', '--no-protect');
    await terminal.until((text) => text.includes('Type prod to confirm'));
    terminal.type('prod\r');
    expect(await terminal.ended).toBe(0);
    expect(await terminal.text()).toMatch(/: prod\n✓ Changed profile prod/);
  });

  it('a protected profile lets nobody through who does not type its name', async () => {
    const team = '6a4c2a54-58ac-4c57-b0f4-0f3a8c8bcf0e';
    const route = `/api/openapi/v1/teams/${team}`;
    server.on(`GET ${route}`, success({ id: team, name: 'Acme' }));
    server.on(`PATCH ${route}`, success({ team: { id: team, name: 'Acme Coffee' }, changes: ['name'] }));
    const update = ['teams', 'update', team, '--name', 'Acme Coffee', '--yes'];

    const refused = terminalWith(...update);
    await refused.until((text) => text.includes('Type prod to confirm'));
    refused.type('yes\r');
    expect(await refused.ended).toBe(3);
    expect(server.seen).toEqual([]);

    const confirmed = terminalWith(...update);
    await confirmed.until((text) => text.includes(`Profile prod (${server.url}) is protected.`));
    confirmed.type('prod\r');
    expect(await confirmed.ended, await confirmed.text()).toBe(0);
    expect(server.seenAt(`PATCH ${route}`)).toHaveLength(1);
  });
});
