import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/botctl.ts';
import { type ScriptedServer, startScriptedServer, success } from '../support/scripted-server.ts';
import { patience } from './pairing-terminal.ts';
import { PtyTerminal } from './pty-terminal.ts';

let server: ScriptedServer;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  server = await startScriptedServer();
  env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'k',
    BOTCTL_KEY_SECRET: 'the-secret-of-k',
    BOTCTL_CONFIG_DIR: temporaryDirectory(),
  };
});

const team = '6a4c2a54-58ac-4c57-b0f4-0f3a8c8bcf0e';
const twins = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const times = ['2026-11-20T10:00:00.123Z', '2026-11-21T10:00:00.456Z'] as const;

describe('a question on 80 columns', { timeout: patience }, () => {
  it('breaks no time, name or id of what there is to choose from', async () => {
    const name = 'Front desk of the shop in the old town';
    const bots = twins.map((id, index) => ({ id, name, team_id: team, created_at: times[index] }));
    server.on('GET /api/openapi/v1/bots', success(bots, { page: 1, limit: 100, total: 2, totalPages: 1 }));
    server.on(`GET /api/openapi/v1/teams/${team}`, success({ id: team, name: 'Acme Norte' }));
    for (const bot of bots) server.on(`GET /api/openapi/v1/bots/${bot.id}`, success(bot));
    const terminal = new PtyTerminal(['bots', 'get', name], { columns: 80, rows: 24 }, env);
    await terminal.until((text) => text.includes('navigate'));
    const row = (time: string): string => `  in team Acme Norte, created ${time}`;
    const rows = [`❯ ${name}`, `  ${row(times[0])}`, `  ${name}`, `  ${row(times[1])}`];
    expect(await terminal.text()).toContain(`Which one?\n${rows.join('\n')}\n\n${twins[0]}\n`);
    terminal.type('\x1b[B');
    await terminal.until((text) => text.includes(twins[1]));
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(await terminal.text()).toMatch(
      new RegExp(`Which one\\? *\\n {2}${name}\\n  ${row(times[1])}\\nID +${twins[1]}\\n`),
    );
  });
});
