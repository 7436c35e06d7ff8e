import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/botctl.ts';
import { binary } from '../support/process.ts';
import { processHome } from '../support/process-home.ts';
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
    BOTCTL_CONFIG_DIR: processHome(),
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
    const row = (time: string): string => `  in team Acme Norte, created ${time}`;
    const rows = [`❯ ${name}`, `  ${row(times[0])}`, `  ${name}`, `  ${row(times[1])}`];
    const drawn = `Which one?\n${rows.join('\n')}\n\n${twins[0]}\n`;
    await terminal.until((text) => text.includes(drawn));
    terminal.type('\x1b[B');
    await terminal.until((text) => text.includes(twins[1]));
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(await terminal.text()).toMatch(
      new RegExp(`Which one\\? *\\n {2}${name}\\n  ${row(times[1])}\\nID +${twins[1]}\\n`),
    );
  });
});

describe('Ctrl-Z at a question', { timeout: patience }, () => {
  it.each([
    ['drawn', {}],
    ['of lines alone', { ACCESSIBLE: '1' }],
  ])(
    '%s gives the shell a terminal that echoes, and a secret stays unseen after fg',
    async (_kind, plain) => {
      const shell = new PtyTerminal(
        ['--norc', '--noprofile', '-i'],
        { columns: 100, rows: 40 },
        { HOME: temporaryDirectory(), BOTCTL_CONFIG_DIR: processHome(), PS1: '$ ', ...plain },
        undefined,
        ['bash'],
      );
      const asked = 'Key secret: ';
      const times = (text: string): number => text.split(asked).length - 1;
      shell.type(
        `"${process.execPath}" "${binary}" login --base-url ${server.url} --key-id k; echo "it was $?"\r`,
      );
      await shell.until((text) => times(text) === 1);
      shell.type('hidden-one\x1a');
      await shell.until((text) => text.includes('Stopped'));
      shell.type('stty -a | grep -ow -e "-*echo" -e "-*icanon"; echo "looked"\r');
      await shell.until((text) => text.includes('\nlooked'));
      expect(await shell.text()).toMatch(/\nicanon\necho\nlooked/);
      shell.type('fg\r');
      await shell.until((text) => times(text) === 2);
      shell.type('hidden-two\r');
      await shell.until((text) => text.includes('Signed in'));
      expect(await shell.text()).not.toContain('hidden');
      const [login] = server.seenAt('POST /api/openapi/auth/token');
      expect(String(login?.body)).toContain('"hidden-two"');
    },
  );
});
