import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { unwritableDirectory } from '../../settings/support.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { apiOf, homeFor, reception, teamAndBot } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });
const direct = openDirect(sandbox);
const nobody = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
const team = '11111111-1111-4111-8111-111111111111';
const bot = '22222222-2222-4222-8222-222222222222';

async function listed(env: Record<string, string>): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await botctl(['device', 'list', '-o', 'json'], { env });
  return JSON.parse(stdout);
}

describe('device add', () => {
  it('records a device that the service has, with the names of its team and bot', async () => {
    const id = await reception(sandbox, homeFor(sandbox));
    const env = homeFor(sandbox);
    const line = ['device', 'add', id.toUpperCase(), '--name', 'Front', '--team', 'Acme', '--bot', 'Sales'];
    const ran = await botctl([...line, '-o', 'json'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ id, name: 'Front', team_name: 'Acme', bot_name: 'Sales' });
    expect(await listed(env)).toMatchObject([{ id, name: 'Front', team_name: 'Acme', bot_name: 'Sales' }]);
    expect((await botctl(['device', 'status', 'Front'], { env })).exitCode).toBe(0);
  });

  it('reads the names of a team and a bot that are given by id', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const [{ team_id: team, bot_id: bot } = {}] = await listed(env);
    const other = homeFor(sandbox);
    await botctl(['device', 'add', id, '--team', String(team), '--bot', String(bot)], { env: other });
    expect(await listed(other)).toMatchObject([{ name: null, team_name: 'Acme', bot_name: 'Sales' }]);
  });

  it('records nothing that the service does not have, except with the option to skip the check', async () => {
    const env = homeFor(sandbox);
    const ran = await botctl(['device', 'add', nobody, '--name', 'Lobby'], { env });
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    // The hint is not the device book, which cannot contain this device.
    expect(ran.stderr).toContain("Check the id in the platform: the API can't list devices.");
    expect(await listed(env)).toEqual([]);
    const offline = await botctl(['device', 'add', nobody, '--name', 'Lobby', '--offline'], { env });
    expect(offline.exitCode, offline.stderr).toBe(0);
    expect(await listed(env)).toMatchObject([{ id: nobody, name: 'Lobby' }]);
    const named = await botctl(['device', 'add', nobody, '--offline', '--team', 'Acme'], { env });
    expect(named).toMatchObject({ exitCode: 2, stdout: '' });
    expect(named.stderr).toContain('--team must be given by id');
  });

  it('accepts ids only', async () => {
    const ran = await botctl(['device', 'add', 'Reception'], { env: homeFor(sandbox) });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('must be the id of a device');
  });

  it('warns that another device has the name, and then neither is assumed', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const ran = await botctl(['device', 'add', nobody, '--name', 'Reception', '--offline'], { env });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(`has another device named "Reception": ${id}`);
    const asked = await botctl(['device', 'status', 'Reception'], { env });
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toMatch(new RegExp(`${id} {2}in team Acme, bot Sales`));
    expect(asked.stderr).toContain(nobody);
  });

  it('fails if the device book cannot be written', async () => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const ran = await botctl(['device', 'add', nobody, '--offline', '-o', 'id'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain("can't be written");
    expect(ran.stderr).not.toContain('The device book has');
  });
});

describe('device forget', () => {
  it('removes several at once, also those that the service does not have: no others, and each once', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const gone = ['Kitchen', 'Reception', 'Counter', 'Lobby'];
    for (const [at, name] of gone.entries())
      await botctl(['device', 'add', nobody.replace(/^./, String(at)), '--name', name, '--offline'], { env });
    const several = await botctl(['device', 'forget', 'Counter', 'Lobby', '--yes', '-o', 'json'], { env });
    expect(JSON.parse(several.stdout)).toMatchObject([
      { name: 'Counter', forgotten: true, outcome: 'done' },
      { name: 'Lobby', forgotten: true, outcome: 'done' },
    ]);
    const clock = new FakeClock({ now: Date.now() });
    const unanswered = await botctl(['device', 'forget', '--gone'], { env, clock });
    // A single answer may be wrong, so it asks again later.
    expect(clock.waits).toContain(60_000);
    expect(unanswered).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unanswered.stderr).toContain(`removes Kitchen (0${nobody.slice(1)}) from the device book`);
    expect(unanswered.stderr).not.toContain(id);
    const both = await botctl(['device', 'forget', '--gone', 'Kitchen', '--yes'], { env });
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('--gone and <device> cannot be combined.');
    const later = new FakeClock({ now: clock.now() });
    const { stdout } = await botctl(['device', 'forget', '--gone', '--yes', '-o', 'json'], {
      env,
      clock: later,
    });
    expect(later.waits, 'the first reading is of the command before').not.toContain(60_000);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'Kitchen' }, { name: 'Reception' }]);
    expect(await listed(env)).toMatchObject([{ id }]);
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(0);
    const none = await botctl(['device', 'forget', '--gone', '--yes', '-o', 'json'], { env });
    expect(none).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect((await botctl(['device', 'forget'], { env })).stderr).toContain('botctl device forget --gone');
  });

  it('--gone removes none that exists at the second check', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const missing = { kind: 'status', status: 404, code: 'NOT_FOUND' } as const;
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: missing,
      times: 1,
    });
    const clock = new FakeClock({ now: Date.now() });
    const ran = await botctl(['device', 'forget', '--gone', '--yes', '-o', 'json'], { env, clock });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await listed(env)).toHaveLength(1);
  });

  it('--gone removes none that the service could not report on', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    await botctl(['device', 'add', nobody, '--offline'], { env });
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: { kind: 'status', status: 403, code: 'FORBIDDEN' },
      times: 1,
    });
    const ran = await botctl(['device', 'forget', '--gone', '--yes'], { env });
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(await listed(env)).toHaveLength(2);
  });

  it('asks, removes the device for good, and prints how to add it again', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const unanswered = await botctl(['device', 'forget', 'Reception'], { env });
    expect(unanswered).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unanswered.stderr).toContain('--yes');
    expect(unanswered.stderr).toContain('to find it again you need its id');
    const [before] = await listed(env);
    const ran = await botctl(['device', 'forget', 'Reception', '--yes', '-o', 'json'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ id, name: 'Reception', forgotten: true });
    expect(ran.stderr).toContain('The device itself is not deleted.');
    expect(ran.stderr).toContain(`botctl device add ${id} --name Reception`);
    expect(await listed(env)).toEqual([]);
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(5);
    expect((await botctl(['device', 'forget', id, '--yes'], { env })).exitCode).toBe(5);
    const again = ran.stderr.match(/botctl (device add .*)/)?.[1]?.split(' ') ?? [];
    expect((await botctl(again, { env })).exitCode).toBe(0);
    const { seen_at: _seen, noted_at: _noted, ...known } = before ?? {};
    expect(await listed(env)).toMatchObject([known]);
  });

  it('keeps a device out of the device book until it is added again', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await botctl(['device', 'forget', 'Reception', '--yes'], { env });
    for (const line of [
      ['device', 'status', id],
      ['device', 'connect', id],
      ['device', 'watch', id, '--timeout', '0s'],
      ['device', 'disconnect', id, '--yes'],
      ['send', id, '+5511988887777', 'Hello'],
      ['api', 'GET', `/devices/${id}/status`],
    ]) {
      await botctl(line, { env });
      expect(await listed(env), line.join(' ')).toEqual([]);
      expect((await botctl(['device', 'export'], { env })).stdout).toBe('[]\n');
    }
    expect((await botctl(['device', 'history', id, '-o', 'json'], { env })).stdout).toContain(id);
    expect((await botctl(['device', 'add', id], { env })).exitCode).toBe(0);
    expect(await listed(env)).toMatchObject([{ id, name: null }]);
  });
});

describe('a device that was given by its id', () => {
  it.each([
    ['status', []],
    ['connect', []],
    ['disconnect', ['--yes']],
  ])('is recorded by device %s, without a message if that is not possible', async (verb, more) => {
    const id = await reception(sandbox, homeFor(sandbox));
    const env = homeFor(sandbox);
    const ran = await botctl(['device', verb, id, ...more], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await listed(env)).toMatchObject([{ id }]);
    const unwritable = { ...sandbox.env, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const warned = await botctl(['device', verb, id, ...more], { env: unwritable });
    expect(warned.exitCode).toBe(0);
    expect(warned.stderr).not.toMatch(/book|Keep this id/);
  });

  it('is not recorded if the service does not have it', async () => {
    const env = homeFor(sandbox);
    expect((await botctl(['device', 'status', nobody], { env })).exitCode).toBe(5);
    expect(await listed(env)).toEqual([]);
  });
});

describe('device create', () => {
  const places = async () => {
    const { teamId, botId } = await teamAndBot(apiOf(sandbox));
    return { teamId, botId, env: homeFor(sandbox) };
  };
  const line = (team: string, bot: string, ...more: readonly string[]) => [
    ...['device', 'create', '--team', team, '--bot', bot, '--name', 'Counter', ...more],
  ];
  const discard = '--discard-token';

  it('needs --allow duplicate for another one of that name in that team, and --yes is not enough', async () => {
    const { teamId, botId, env } = await places();
    const made = await botctl(line(teamId, botId, discard, '-o', 'json'), { env });
    expect(made.exitCode, made.stderr).toBe(0);
    const { id } = JSON.parse(made.stdout);
    for (const more of [[], ['--yes']]) {
      const again = await botctl(line('Acme', 'Sales', discard, ...more), { env });
      expect(again).toMatchObject({ exitCode: 2, stdout: '' });
      // Without a user to ask, it prints a statement and the option.
      const [message, hint] = again.stderr.split(/\n {2}(?=Add|--yes)/);
      expect(message?.replace(/\s+/g, ' ')).toBe(
        `✗ Confirmation needed: Acme already has a device named Counter: ${id}. A second one can't be deleted.`,
      );
      expect(hint).toContain('Add --allow duplicate, or run it in a terminal to be asked.');
    }
    expect(await listed(env)).toHaveLength(1);
    const asked = (answer: string) =>
      botctl(line('Acme', 'Sales'), { env, terminal: true, answers: { 'Create it?': answer } });
    expect((await asked('n')).exitCode).toBe(3);
    expect(await listed(env)).toHaveLength(1);
    const another = await botctl(line('Acme', 'Sales', discard, '--allow', 'duplicate'), { env });
    expect(another.exitCode, another.stderr).toBe(0);
    expect(another.stderr).toContain('has another device named "Counter"');
    const row = { name: 'Counter', team_id: teamId, team_name: 'Acme', bot_id: botId, bot_name: 'Sales' };
    expect(await listed(env)).toMatchObject([row, row]);
  });

  it('returns the one in the device book with --if-absent, and creates one if there is none', async () => {
    const { teamId, botId, env } = await places();
    const once = () => botctl(line('Acme', 'Sales', discard, '--if-absent', '-o', 'id'), { env });
    const first = await once();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(await once()).toMatchObject({ exitCode: 0, stdout: first.stdout });
    const shown = await botctl(line('Acme', 'Sales', '--if-absent', discard, '-o', 'json'), { env });
    expect(JSON.parse(shown.stdout)).toEqual({
      id: first.stdout.trim(),
      name: 'Counter',
      team_id: teamId,
      bot_id: botId,
    });
    await botctl(['device', 'add', nobody, '--offline', '--name', 'Counter', '--team', teamId], { env });
    const several = await botctl(line('Acme', 'Sales', discard, '--if-absent', '-o', 'json'), { env });
    expect(several).toMatchObject({ exitCode: 2, stdout: '' });
    expect(several.stderr).toContain('"code":"AMBIGUOUS"');
    expect(several.stderr).toContain(nobody);
  });

  it('refuses to lose the token without a terminal, before the call', async () => {
    const { env } = await places();
    for (const more of [[], ['--yes'], ['--if-absent']]) {
      const ran = await botctl(line('Acme', 'Sales', ...more, '--debug'), { env });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      for (const way of ['--secret-file FILE', '--show-token', '--discard-token', 'Nothing was created.'])
        expect(ran.stderr).toContain(way);
      expect(ran.stderr).not.toContain('POST ');
    }
    const both = await botctl(line('Acme', 'Sales', '--show-token', discard), { env });
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
    const shown = await botctl(line('Acme', 'Sales'), { env, terminal: true });
    expect(shown.exitCode, shown.stderr).toBe(0);
  });

  const lost = { target: 'createDevice', effect: { kind: 'reset', when: 'after' } } as const;
  const met = () => callControl(sandbox.control, '/fault/list', {});
  const made = async (): Promise<{ team: string; bot: string }> => {
    const own = await direct.team('Acme');
    return { team: own, bot: await direct.createBot(own, 'Sales') };
  };

  it('creates no second one after a lost response: the device book contains it, and how to check', async () => {
    const { team, bot } = await made();
    const fault = await callControl(sandbox.control, '/fault/add', lost);
    const env = homeFor(sandbox);
    const again = (...more: readonly string[]) => botctl(line(team, bot, discard, ...more), { env });
    const first = await again();
    expect(first).toMatchObject({ exitCode: 12, stdout: '' });
    const note = 'botctl device add <id> --name Counter --team Acme';
    for (const words of ['look for it in the platform', note, '--allow duplicate'])
      expect(first.stderr).toContain(words);
    const repeated = await again('--yes');
    expect(repeated).toMatchObject({ exitCode: 2, stdout: '' });
    expect(repeated.stderr).toMatch(/not known whether .*: its creation at 20\S+ got no response\./);
    expect(repeated.stderr).not.toContain('?');
    const absent = await again('--if-absent');
    expect(absent).toMatchObject({ exitCode: 12, stdout: '' });
    expect(absent.stderr).toContain(note);
    expect(await met()).toEqual([{ ...fault, seen: 1, met: 1 }]);
    expect((await botctl(['device', 'list'], { env })).stderr).toContain(note);
    await botctl(['device', 'add', nobody, '--offline', '--name', 'Counter', '--team', team], { env });
    expect(await again('--if-absent', '-o', 'id')).toMatchObject({ exitCode: 0, stdout: `${nobody}\n` });
    expect((await botctl(['device', 'list'], { env })).stderr).not.toContain(note);
  });

  it('keeps an attempt with a lost response in the device book when another one of its name is created', async () => {
    const { team, bot } = await made();
    await callControl(sandbox.control, '/fault/add', { ...lost, times: 1 });
    const env = homeFor(sandbox);
    expect((await botctl(line(team, bot, discard), { env })).exitCode).toBe(12);
    const other = await botctl(line(team, bot, discard, '--allow', 'duplicate', '-o', 'id'), { env });
    expect(other.exitCode, other.stderr).toBe(0);
    const listed = await botctl(['device', 'list', '-o', 'id'], { env });
    expect(listed.stdout).toBe(other.stdout);
    expect(listed.stderr).toContain('got no response');
  });

  it('may be tried again after a refusal', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createDevice',
      effect: { kind: 'status', status: 400 },
    });
    const env = homeFor(sandbox);
    for (const _ of [1, 2]) expect((await botctl(line(team, bot, discard), { env })).exitCode).toBe(6);
    expect(await met()).toMatchObject([{ met: 2 }]);
  });
});

describe('the device book of another machine', () => {
  const file = (value: unknown): string => {
    const path = join(temporaryDirectory(), 'devices.json');
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const take = (env: Record<string, string>, value: unknown) =>
    botctl(['device', 'import', file(value), '-o', 'json'], { env });

  it('is transferred with export and import, and its devices are then found by name', async () => {
    const there = homeFor(sandbox);
    const id = await reception(sandbox, there);
    // `export` ignores a preferred format, because `import` could not read it.
    const exported = await botctl(['device', 'export'], { env: { ...there, BOTCTL_OUTPUT: 'table' } });
    expect(exported.stdout).not.toMatch(/token/i);
    expect(JSON.parse(exported.stdout)).toMatchObject([
      { service: sandbox.baseUrl, id, name: 'Reception', team_name: 'Acme', bot_name: 'Sales' },
    ]);
    const here = homeFor(sandbox);
    const piped = await botctl(['device', 'import', '-', '-o', 'json'], {
      env: here,
      stdin: exported.stdout,
    });
    expect(piped.exitCode, piped.stderr).toBe(0);
    expect(JSON.parse(piped.stdout)).toEqual({
      ...{ added: 1, updated: 0, unchanged: 0, forgotten: 0 },
      of_other_services: 0,
    });
    expect(await listed(here)).toEqual(await listed(there));
    expect((await botctl(['device', 'status', 'Reception'], { env: here })).exitCode).toBe(0);
    const lines = await botctl(['device', 'export', '-o', 'ndjson'], { env: there });
    expect(JSON.parse((await take(here, lines.stdout)).stdout)).toMatchObject({ added: 0, unchanged: 1 });
  });

  it('keeps the newer entry of each device, and fills in its missing fields', async () => {
    const env = homeFor(sandbox);
    await botctl(['device', 'add', nobody, '--offline', '--name', 'Mine'], { env });
    const old = { id: nobody.toUpperCase(), seen_at: '2020-01-01T00:00:00Z', name: 'Theirs', team_id: team };
    expect(JSON.parse((await take(env, [{ ...old, team_name: 'Acme' }])).stdout)).toMatchObject({
      updated: 1,
    });
    expect(await listed(env)).toMatchObject([{ id: nobody, name: 'Mine', team_id: team, team_name: 'Acme' }]);
    const newer = { ...old, noted_at: '2099-01-01T00:00:00Z', team_id: bot };
    expect(JSON.parse((await take(env, [newer])).stdout)).toMatchObject({ updated: 1 });
    expect(await listed(env)).toMatchObject([{ id: nobody, name: 'Theirs', team_id: bot, team_name: null }]);
    expect(JSON.parse((await take(env, [newer])).stdout)).toMatchObject({ updated: 0, unchanged: 1 });
  });

  it('omits forgotten devices, even if the file is newer, unless it restores them', async () => {
    const there = homeFor(sandbox);
    const id = await reception(sandbox, there);
    const env = homeFor(sandbox);
    const [device] = JSON.parse((await botctl(['device', 'export'], { env: there })).stdout);
    const newer = [
      { ...device, noted_at: '2099-01-01T00:00:00Z' },
      { ...device, id: nobody, name: 'Lobby' },
    ];
    await take(env, [device]);
    await botctl(['device', 'forget', 'Reception', '--yes'], { env });
    const path = file(newer);
    const left = await botctl(['device', 'import', path, '-o', 'json'], { env });
    expect(JSON.parse(left.stdout)).toMatchObject({ added: 1, updated: 0, unchanged: 0, forgotten: 1 });
    expect(left.stderr.replace(/\s+/g, ' ')).toContain(
      `Left out 1 device that was forgotten here: Reception. To add them again: botctl device import ${path} --restore`,
    );
    expect(await listed(env)).toMatchObject([{ id: nobody }]);
    const restored = await botctl(['device', 'import', path, '--restore', '-o', 'json'], { env });
    expect(JSON.parse(restored.stdout)).toMatchObject({ added: 1, unchanged: 1, forgotten: 0 });
    expect(restored.stderr).not.toContain('Left out');
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(0);
    await botctl(['device', 'forget', id, '--yes'], { env });
    expect(await listed(env)).toMatchObject([{ id: nobody }]);
  });

  it('keeps two devices of one name separate, by their ids and teams', async () => {
    const env = homeFor(sandbox);
    const seen_at = '2026-01-01T00:00:00Z';
    const twins = [
      { id: nobody, name: 'Reception', team_id: team, team_name: 'Acme', seen_at },
      { id: bot, name: 'Reception', team_id: bot, team_name: 'Aurora', seen_at },
    ];
    await take(env, twins.slice(0, 1));
    expect(JSON.parse((await take(env, twins)).stdout)).toMatchObject({ added: 1, unchanged: 1 });
    expect(await listed(env)).toMatchObject(twins.map(({ seen_at: _, ...twin }) => twin));
    const ran = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('"code":"AMBIGUOUS"');
    expect(ran.stderr).toContain(`${nobody}  in team Acme`);
    expect(ran.stderr).toContain(`${bot}  in team Aurora`);
  });

  it('reports each unreadable line with a remedy, and a completely unreadable device book', async () => {
    const env = homeFor(sandbox);
    await botctl(['device', 'add', nobody, '--offline', '--name', 'Mine'], { env });
    const file = join(env.BOTCTL_CONFIG_DIR ?? '', 'data', 'devices.ndjson');
    const sound = readFileSync(file, 'utf8');
    const damaged = [
      '{"origin": half',
      '[]',
      '',
      '{"origin":"https://a.example","id":"b"}',
      '\0\0',
      '7',
      '"x"',
    ];
    writeFileSync(file, `${sound}${damaged.join('\n')}\n`);
    for (const verb of ['list', 'export']) {
      const ran = await botctl(['device', verb, '-o', 'json'], { env });
      expect(ran.exitCode).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject([{ id: nobody, name: 'Mine' }]);
      expect(ran.stderr).toContain(`Skipped lines of ${file} that can't be read: 2, 3, 5, 6, 7 and 1 more.`);
      expect(ran.stderr).toContain('botctl device add ID');
    }
    rmSync(file);
    mkdirSync(file);
    const ran = await botctl(['device', 'list', '-o', 'json'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`Can't read ${file}: it is a directory.`);
  });

  it('is untrusted: only known fields are read, and a file that is no export is refused as a whole', async () => {
    const env = homeFor(sandbox);
    const good = { id: nobody, seen_at: '2026-01-01T00:00:00Z' };
    for (const wrong of [
      '{',
      '7',
      [7],
      [good, { ...good, id: 'x' }],
      [{ id: nobody }],
      [{ ...good, name: 7 }],
    ]) {
      const ran = await take(env, wrong);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('is not an export of a device book');
    }
    expect(await listed(env)).toEqual([]);
    const hostile = {
      ...good,
      name: 'Front\u001b[31m\ndesk',
      token: 'a-token-of-theirs',
      refusal: { at: 'x' },
    };
    const other = { ...good, id: bot, service: 'https://api.example.com' };
    expect(JSON.parse((await take(env, [hostile, other])).stdout)).toMatchObject({
      added: 1,
      of_other_services: 1,
    });
    expect(await listed(env)).toMatchObject([{ id: nobody, name: 'Front [31m desk' }]);
    const book = readFileSync(join(env.BOTCTL_CONFIG_DIR ?? '', 'data', 'devices.ndjson'), 'utf8');
    expect(book).not.toMatch(/token|refusal|\\u001b/);
  });
});
