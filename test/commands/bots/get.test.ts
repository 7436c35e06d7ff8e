import { beforeEach, describe, expect, it } from 'vitest';
import { botctl, type RunOptions } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { refusal, startScriptedServer, success } from '../../support/scripted-server.ts';

const sandbox = useSandbox();
const get = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', 'get', ...args], { ...options, env: { ...sandbox.env, ...options.env } });
const service = openDirect(sandbox);

let bot: string;
let menu: string;

beforeEach(async () => {
  const team = await service.team('Aurora Coffee');
  menu = await service.document(team, 'menu.txt');
  bot = await service.createBot(team, 'Front desk');
  await service.call('PATCH', `/bots/${bot}`, { document_ids: [menu] });
});

describe('the documents of a bot', () => {
  it('stand with their names beside their ids on a card', async () => {
    const { stdout } = await get(['Front desk', '--no-color'], { terminal: true });
    expect(stdout).toMatch(new RegExp(`Documents \\(1\\)\\n +Name +menu\\.txt\\n +ID +${menu}\\n`));
    const named = await get(['Front desk', '--fields', 'documents'], { terminal: true });
    expect(named.stdout).toContain('menu.txt');
  });

  it('come to scripts as the service shows them', async () => {
    const { stdout } = await get(['Front desk', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ documents: [{ document_id: menu, bot_id: bot }] });
    expect((await get(['Front desk'])).stdout).not.toContain('menu.txt');
  });
});

describe('on a card, where the service does not let documents be read', () => {
  const env = (url: string) => ({
    BOTCTL_BASE_URL: url,
    BOTCTL_KEY_ID: 'key',
    BOTCTL_KEY_SECRET: 'a-secret',
  });
  const id = '11111111-1111-4111-8111-111111111111';
  const path = `/api/openapi/v1/documents/${id}`;

  it.each([
    ['their ids stand alone', [], id, 1],
    ['none is read for other fields', ['--fields', 'name'], 'Front desk', 0],
  ])('%s', async (_, options, shown, reads) => {
    const server = await startScriptedServer();
    const documents = [{ document_id: id, bot_id: id }];
    server.on(`GET /api/openapi/v1/bots/${id}`, success({ id, name: 'Front desk', documents }));
    server.on(`GET ${path}`, refusal(403, 'FORBIDDEN', 'no'));
    const ran = await get([id, ...options], { terminal: true, env: env(server.url) });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(shown);
    expect(server.seenAt(`GET ${path}`)).toHaveLength(reads);
  });
});
