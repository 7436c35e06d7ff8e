import { describe, expect, it } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';
import { refusal, startScriptedServer, success } from '../support/scripted-server.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const terminal = { columns: 100, rows: 30 };
const see = (args: readonly string[], env: Readonly<Record<string, string>> = sandbox.env) =>
  botctl([...args, '--no-color'], { env, terminal });

describe('the team of a bot and of a document', () => {
  it('is its name to a person, in lists and cards, and its id to a script', async () => {
    const [acme, bolt] = [await service.team('Acme'), await service.team('Bolt')];
    const bot = await service.createBot(acme, 'Front desk');
    await service.createBot(bolt, 'Night desk');
    await service.document(bolt, 'menu.txt');
    expect((await see(['bots', 'list'])).stdout).toMatch(/Front desk .*Acme[\s\S]*Night desk .*Bolt/);
    expect((await see(['docs', 'list'])).stdout).toMatch(/menu\.txt .*Bolt/);
    const card = await see(['bots', 'get', 'Front desk']);
    expect(card.stdout).toMatch(new RegExp(`^Team +Acme\nTeam ID +${acme}\n`, 'm'));
    expect((await see(['docs', 'get', 'menu.txt'])).stdout).toMatch(/^Team +Bolt$/m);
    expect((await see(['bots', 'get', bot, '--fields', 'team_id'])).stdout).toContain(acme);
    const piped = await botctl(['bots', 'list'], { env: sandbox.env });
    expect(piped.stdout).toContain(acme);
    expect(piped.stdout).not.toContain('Acme');
    const json = await see(['bots', 'get', bot, '-o', 'json']);
    expect(JSON.parse(json.stdout)).not.toHaveProperty('team_name');
  });

  it('takes one call for a whole list, and stays an id where it cannot be read', async () => {
    const server = await startScriptedServer();
    const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'key', BOTCTL_KEY_SECRET: 'a-secret' };
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const bots = [1, 2, 3].map((number) => ({ id: id(number), name: `Bot ${number}`, team_id: id(number) }));
    const page = { page: 1, limit: 50, total: 3, totalPages: 1 };
    server.on('GET /api/openapi/v1/bots', success({ bots, pagination: page }));
    server.on('GET /api/openapi/v1/teams', success([{ id: id(1), name: 'Acme' }], page));
    const listed = await see(['bots', 'list'], env);
    expect(listed.stdout).toContain('Acme');
    expect(listed.stdout).toContain(id(2).slice(0, 20));
    expect(server.seenAt('GET /api/openapi/v1/teams')).toHaveLength(1);
    server.on('GET /api/openapi/v1/teams', refusal(403, 'FORBIDDEN', 'no'));
    const refused = await see(['bots', 'list'], env);
    expect(refused).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('no\n') });
    expect(refused.stdout).toContain('Bot 3');
  });
});
