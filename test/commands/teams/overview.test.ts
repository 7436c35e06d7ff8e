import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, answerInTurn } from '../../support/answer.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

it('shows a team with everything in it on one screen of 80x24, and as one JSON document', async () => {
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const team = await service.team('Aurora Coffee');
  const other = await service.team('Harbour Books');
  const bots: string[] = [];
  for (let number = 1; number <= 6; number += 1) bots.push(await service.createBot(team, `Bot ${number}`));
  for (const name of ['a.txt', 'b.txt']) await service.document(team, name);
  await service.createBot(other, 'Elsewhere');
  await service.publish(bots[0] ?? '');
  for (const name of ['Reception', 'Counter', 'Bar', 'Desk', 'Hall']) {
    const made = ['device', 'create', '--team', team, '--bot', bots[0] ?? '', '--name', name];
    const ran = await botctl([...made, '--discard-token'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
  }

  const screen = { columns: 80, rows: 24 };
  const seen = await botctl(['teams', 'overview', 'Aurora Coffee', '--no-color'], { env, terminal: screen });
  expect(seen).toMatchObject({ exitCode: 0, stderr: '' });
  const lines = seen.stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(22);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  // A note about omitted rows names the command for all of them.
  const rest = [...seen.stdout.matchAll(/^ {2}and (\d) more:\s+botctl (.*)$/gm)].map(
    ([, more, line = '']) => [more, line],
  );
  expect(rest).toEqual([
    ['3', `bots list --team ${team}`],
    ['2', `device list --where team_id=${team}`],
  ]);
  for (const [, line = ''] of rest) {
    const { stdout } = await botctl([...line.split(' '), '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toHaveLength(line.startsWith('bots') ? 6 : 5);
  }

  const json = await botctl(['teams', 'overview', team, '-o', 'json'], { env });
  expect(JSON.parse(json.stdout)).toMatchObject({
    id: team,
    quotas: { bots: expect.any(Number) },
    used: { bots: 6, documents: 2, characters: 10 },
    devices: [{ name: 'Reception', bot: 'Bot 1', state: 'never_connected' }, { name: 'Counter' }, {}, {}, {}],
  });
  expect(JSON.parse(json.stdout).bots).toHaveLength(6);
  const picked = await botctl(['teams', 'overview', team, '--fields', 'used.bots,bots.name', '-o', 'json'], {
    env,
  });
  expect(JSON.parse(picked.stdout).used).toEqual({ bots: 6 });
});

it('finds the devices of a team and of a bot for ids in upper or lower case', async () => {
  const home = temporaryDirectory();
  const team = await service.team('Aurora Coffee');
  const bot = await service.createBot(team, 'Front desk');
  const device = { id: randomUUID(), name: 'Reception', seenAt: '2026-01-01T00:00:00.000Z' };
  const owners = { teamId: team.toUpperCase(), botId: bot.toUpperCase() };
  const book = booksIn(join(home, 'data'));
  await book.record(sandbox.baseUrl, { ...device, ...owners });
  const refusal = { at: '2026-01-02T00:00:00.000Z', because: 'banned', connected: true, connection: '' };
  await book.recordRefusal(sandbox.baseUrl, device.id, refusal);
  const run = (...args: readonly string[]) =>
    botctl(args, { env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home } });
  const overview = await run('teams', 'overview', team, '-o', 'json');
  // A device that only the device book has is reported too.
  expect(JSON.parse(overview.stdout).devices).toMatchObject([{ id: device.id, state: 'not_found' }]);
  expect((await run('teams', 'update', team, '--ban')).stderr).toContain('1 of them in the device book');
  expect((await run('bots', 'delete', bot)).stderr).toContain('linked to Reception');
  await run('teams', 'update', team, '--no-ban');
  expect((await book.list(sandbox.baseUrl))[0]?.refusal).toBeUndefined();
});

it.each([
  [{ paying: 'false', banned: 0 }, /plan pro, not paying$/m],
  [{ paying: 1, banned: 'true' }, /plan pro, paying, BANNED$/m],
  [{ paying: null, banned: 'perhaps' }, /plan pro, paying: \?, BANNED: \?$/m],
])(
  'reads flags in any scalar, and marks those that the service does not return: %j',
  async (flags, shown) => {
    const id = randomUUID();
    const team = { id, name: 'Aurora', plan_name: 'pro', ...flags };
    const bots = [
      { id: randomUUID(), name: 'A', published: 'TRUE', team_id: id },
      { id: randomUUID(), name: 'B', team_id: id },
    ];
    const pagination = { page: 1, limit: 100, total: 2, totalPages: 1 };
    await answerInTurn(sandbox, 'getTeam', answer(team));
    await answerInTurn(sandbox, 'listBots', answer({ bots, pagination }));
    const ran = await botctl(['teams', 'overview', id, '--no-color'], { env: sandbox.env, terminal: true });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toMatch(shown);
    expect(ran.stdout).toMatch(/A +published\n {2}B +published: \?\n/);
  },
);
