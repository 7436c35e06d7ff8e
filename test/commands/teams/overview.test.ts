import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDeviceBook } from '../../../src/settings/device-book.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

it('shows a team with all it has on one screen of 80x24, and as one JSON document', async () => {
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const team = await service.team('Aurora Coffee');
  const other = await service.team('Harbour Books');
  const bots: string[] = [];
  for (let number = 1; number <= 6; number += 1) bots.push(await service.createBot(team, `Bot ${number}`));
  for (const name of ['a.txt', 'b.txt']) await service.document(team, name);
  await service.createBot(other, 'Elsewhere');
  await service.publish(bots[0] ?? '');
  for (const name of ['Reception', 'Counter']) {
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
  expect(seen.stdout).toMatch(/^Aurora Coffee\n.*plan pro/);
  expect(seen.stdout).toMatch(
    /bots 6 of \d+ +accounts up to \d+ +characters 10 of [\d,]+ +documents 2 of \d+/,
  );
  expect(seen.stdout).toMatch(/^Bots \(6\)\n {2}Bot 1 +published\n {2}Bot 2 +not published\n/m);
  expect(seen.stdout).toContain('  and 3 more\n');
  expect(seen.stdout).toMatch(/^Documents \(2\)\n {2}a\.txt +5 characters\n/m);
  expect(seen.stdout).toMatch(/^Devices in the device book \(2\)\n {2}Reception +never connected\n/m);

  const json = await botctl(['teams', 'overview', team, '-o', 'json'], { env });
  expect(JSON.parse(json.stdout)).toMatchObject({
    id: team,
    quotas: { bots: expect.any(Number) },
    used: { bots: 6, documents: 2, characters: 10 },
    devices: [{ name: 'Reception', bot: 'Bot 1', state: 'never_connected' }, { name: 'Counter' }],
  });
  expect(JSON.parse(json.stdout).bots).toHaveLength(6);
  const picked = await botctl(['teams', 'overview', team, '--fields', 'used.bots,bots.name', '-o', 'json'], {
    env,
  });
  expect(JSON.parse(picked.stdout).used).toEqual({ bots: 6 });
});

it('has the devices of the team in whatever case its id was noted, and those that are gone', async () => {
  const home = temporaryDirectory();
  const team = await service.team('Aurora Coffee');
  const device = { id: randomUUID(), name: 'Reception', seenAt: '2026-01-01T00:00:00.000Z' };
  await createDeviceBook(join(home, 'data')).record(sandbox.baseUrl, {
    ...device,
    teamId: team.toUpperCase(),
  });
  const ran = await botctl(['teams', 'overview', team, '-o', 'json'], {
    env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home },
  });
  expect(JSON.parse(ran.stdout).devices).toMatchObject([{ id: device.id, state: 'not_found' }]);
});
