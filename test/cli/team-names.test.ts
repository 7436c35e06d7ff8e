import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const terminal = { columns: 100, rows: 30 };
const see = (args: readonly string[]) => botctl([...args, '--no-color'], { env: sandbox.env, terminal });

describe('the team of a bot and of a document', () => {
  it('is its name for people, in lists and cards, and its id for scripts', async () => {
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

  it('takes one request for a whole list, and remains an id if it cannot be read', async () => {
    for (const name of ['Acme', 'Bolt', 'Coda'])
      await service.createBot(await service.team(name), `Bot of ${name}`);
    const requests = await requestsFromNow(sandbox);
    const listed = await see(['bots', 'list']);
    for (const name of ['Acme', 'Bolt', 'Coda'])
      expect(listed.stdout).toMatch(new RegExp(`Bot of ${name} .* ${name} `));
    const calls = (await requests()).map(({ operation }) => operation);
    expect(calls.filter((call) => call === 'listTeams' || call === 'getTeam')).toEqual(['listTeams']);
    await callControl(sandbox.control, '/fault/add', {
      target: 'listTeams',
      effect: { kind: 'status', status: 403 },
    });
    const refused = await see(['bots', 'list']);
    expect(refused).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('fault') });
    expect(refused.stdout).toContain('Bot of Coda');
    const [{ team_id: team } = { team_id: '' }] = z.parse(
      z.array(z.object({ team_id: z.string() })),
      await service.bots(),
    );
    expect(refused.stdout).toContain(team.slice(0, 20));
  });
});
