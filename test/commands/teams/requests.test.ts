import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answer as answered, answerInTurn, answerText } from '../../support/answer.ts';
import { botctl, type Ran } from '../../support/botctl.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { type Scripted, startScriptedServer, success } from '../../support/scripted-server.ts';

const sandbox = useSandbox();

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
const quotas = { bots: 1, accounts: 2, characters: 3, documents: 4, members: 5, credits: 6 };
const shown = { id, name: 'Aurora', plan_name: 'starter', paying: true, banned: false, quotas };

// A scripted server stores the bodies that it received; the sandbox's log has only their sizes.

/** Runs `botctl teams …` on a service that returns a team, and returns the bodies of the writes. */
async function against(
  present: object,
  answer: Scripted,
  ...args: readonly string[]
): Promise<Ran & { sent: unknown[] }> {
  const server = await startScriptedServer();
  server.on(`GET /api/openapi/v1/teams/${id}`, success(present));
  server.on(`PATCH /api/openapi/v1/teams/${id}`, answer);
  server.on('POST /api/openapi/v1/teams', answer);
  server.on('GET /api/openapi/v1/teams', success([]));
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'a-key',
    BOTCTL_KEY_SECRET: 'the secret of a key',
  };
  const ran = await botctl(['teams', ...args, '-o', 'json'], { env });
  const written = server.seen.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
  return { ...ran, sent: written.map(({ body }) => JSON.parse(body.toString())) };
}

const jsonErrors = ['--error-format', 'json'];

function failureIn(stderr: string): unknown {
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  return error;
}

describe('the response of the service', () => {
  const get = async (body: string, ...options: readonly string[]): Promise<Ran> => {
    const isCreated = options[0] === 'create';
    const effect = answerText(body);
    await callControl(sandbox.control, '/fault/add', {
      target: isCreated ? 'createTeam' : 'getTeam',
      effect,
    });
    const line = isCreated ? options : ['get', id, ...options];
    return botctl(['teams', ...line], { env: sandbox.env });
  };
  const large = `{"id":"${id}","name":"Aurora","quotas":{"bots":12345678901234567890},"seen":-9007199254740993}`;

  it.each([
    ['json', '12345678901234567890', '-9007199254740993'],
    ['ndjson', '12345678901234567890', '-9007199254740993'],
    ['yaml', '12345678901234567890', '-9007199254740993'],
    ['csv', '12345678901234567890'],
    ['tsv', '12345678901234567890'],
    ['table', '12345678901234567890'],
  ])('keeps every digit of large integers in %s', async (format, ...digits) => {
    const { stdout, stderr, exitCode } = await get(`{"success":true,"data":${large}}`, '-o', format);
    expect(exitCode, stderr).toBe(0);
    for (const shownDigits of digits) expect(stdout).toContain(shownDigits);
  });

  it('may start with a byte order mark', async () => {
    expect(await get(`\uFEFF{"success":true,"data":${large}}`, '-o', 'id')).toMatchObject({
      exitCode: 0,
      stdout: `${id}\n`,
    });
  });

  it.each(['json', 'yaml'])('is reported by its id if it is nested too deeply for %s', async (format) => {
    const deep = `${'{"a":'.repeat(30_000)}12345678901234567890${'}'.repeat(30_000)}`;
    const body = `{"success":true,"data":{"team":{"id":"${id}","deep":${deep}},"user":{"id":"${id}"}}}`;
    const admin = ['--admin-name', 'A', '--admin-email', 'a@x.example', '--admin-phone', '+14155550100'];
    const made = await get(
      body,
      ...['create', '--name', 'A', '--plan', 'pro', ...admin, '-o', format, ...jsonErrors],
    );
    expect(made.exitCode, made.stderr.slice(0, 900)).toBe(10);
    // Another run in another format would create another team.
    expect(failureIn(made.stderr)).toMatchObject({
      code: 'OUTPUT_FAILED',
      hint: null,
      details: { ids: [id] },
    });
  });

  it('exits with code 8 if it is nested too deeply and a team was only read', async () => {
    const deep = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
    const body = `{"success":true,"data":{"id":"${id}","deep":${deep}}}`;
    const read = await get(body, '-o', 'json', '--debug');
    expect(read.exitCode, read.stderr.slice(0, 900)).toBe(8);
    expect(read.stdout).toBe('');
    expect(failureIn(read.stderr)).toMatchObject({ code: 'NETWORK' });
  });
});

describe('a refusal', () => {
  it('stays a refusal if its details are nested too deeply to be written', async () => {
    const deep = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
    const body = `{"success":false,"error":"No such plan.","code":"BAD_REQUEST","details":${deep}}`;
    const answer: Scripted = { status: 400, body };
    for (const form of ['text', 'json']) {
      const ran = await against(shown, answer, 'update', id, '--name', 'Other', '--error-format', form);
      expect(ran.exitCode, ran.stderr.slice(0, 900)).toBe(6);
      expect(ran.stderr).toContain('No such plan.');
    }
  });
});

describe('the request of teams update', () => {
  const answer = success({ team: shown, changes: [] });

  it('contains all six quotas if one of them changes', async () => {
    const { sent } = await against(shown, answer, 'update', id, '--quota', 'bots=10', '--quota', 'members=5');
    expect(sent).toEqual([{ quotas: { ...quotas, bots: 10 } }]);
  });

  it('contains the known quotas if the service does not return all', async () => {
    const partial = { ...shown, quotas: { bots: '1', credits: null } };
    const { sent } = await against(
      partial,
      ...[answer, 'update', id, '--quota', 'bots=2', '--quota', 'credits=3'],
    );
    expect(sent).toEqual([{ quotas: { bots: 2, credits: 3 } }]);
  });

  it('is followed by a read only if the response has fewer fields than a read', async () => {
    const { quotas: _, ...listed } = { ...shown, plan_name: 'pro' };
    for (const [team, reads] of [
      [listed, 2],
      [{ ...listed, quotas }, 1],
    ] as const) {
      await callControl(sandbox.control, '/fault/clear', {});
      await answerInTurn(sandbox, 'getTeam', answered(shown), answered({ ...shown, plan_name: 'pro' }));
      await answerInTurn(sandbox, 'updateTeam', answered({ team, changes: ['plan_name'] }));
      const seen = await requestsFromNow(sandbox);
      const line = ['teams', 'update', id, '--plan', 'pro', '-o', 'json'];
      const { stdout } = await botctl(line, { env: sandbox.env });
      expect(JSON.parse(stdout)).toEqual({ ...shown, plan_name: 'pro', changes: ['plan_name'] });
      expect((await seen()).filter(({ operation }) => operation === 'getTeam')).toHaveLength(reads);
    }
  });

  it('contains only the differences', async () => {
    const line = ['--name', 'Aurora', '--plan', 'pro', '--no-paying', '--no-ban', '--quota', 'bots=1'];
    const { sent } = await against(shown, answer, 'update', id, ...line);
    expect(sent).toEqual([{ plan_name: 'pro', paying: false }]);
  });

  it('is not sent if nothing differs', async () => {
    const ran = await against(shown, answer, 'update', id, '--plan', 'starter', '--quota', 'bots=+0');
    expect(ran).toMatchObject({ exitCode: 0, sent: [] });
    expect(JSON.parse(ran.stdout)).toEqual({ ...shown, changes: [] });
  });

  it('is not sent if no option is given, which is an error', async () => {
    const ran = await against(shown, answer, 'update', id);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', sent: [] });
  });

  it('contains the sum if a quota is given as a change', async () => {
    const line = ['--quota', 'bots=+5', '--quota', 'MEMBERS = -2', '--quota', 'credits=0'];
    const { sent } = await against(shown, answer, 'update', id, ...line);
    expect(sent).toEqual([{ quotas: { ...quotas, bots: 6, members: 3, credits: 0 } }]);
  });

  it('is not sent if a change of a quota cannot be computed, and each such quota is named', async () => {
    const partial = { ...shown, quotas: { bots: 3 } };
    const line = ['--quota', 'bots=-4', '--quota', 'credits=+1', '--quota', 'members=-1'];
    const ran = await against(partial, answer, 'update', id, ...line);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', sent: [] });
    for (const quota of ['bots', 'credits', 'members']) expect(ran.stderr).toContain(quota);
  });

  it('contains the given value if the service does not return the current one', async () => {
    const { sent } = await against({ id }, answer, 'update', id, '--name', 'Aurora', '--no-ban');
    expect(sent).toEqual([{ name: 'Aurora', banned: false }]);
  });
});

describe('the output of teams update', () => {
  it('is the returned team with every member, and the changes next to them', async () => {
    const team = { ...shown, plan_name: 'pro', partner_note: 'unknown here' };
    const ran = await against(
      shown,
      success({ team, changes: ['plan_name'] }),
      'update',
      id,
      '--plan',
      'pro',
    );
    expect(JSON.parse(ran.stdout)).toEqual({ ...team, changes: ['plan_name'] });
  });

  it('contains what is known if the response is short', async () => {
    const ran = await against(shown, success({ changes: null }), 'update', id, '--plan', 'pro');
    expect(ran.exitCode).toBe(0);
  });
});

describe('the request of teams create', () => {
  const line = [
    ...['create', '--name', 'Aurora', '--plan', 'pro', '--admin-name', 'Ana'],
    ...['--admin-email', 'ana@a.example'],
  ];
  const user = { name: 'Ana', email: 'ana@a.example', phone: '+551199990000' };

  it('has the phone as plus and digits, and no quotas if none are given', async () => {
    const ran = await against(
      shown,
      success({ team: shown, user }),
      ...line,
      '--admin-phone',
      '+55 (11) 9999-0000',
    );
    expect(ran.sent).toEqual([{ user, team: { name: 'Aurora', plan_name: 'pro' } }]);
  });

  it('has the given quotas', async () => {
    const given = ['--admin-phone', '+551199990000', '--quota', 'BOTS=3', '--quota', 'credits=0'];
    const ran = await against(shown, success({ team: { id }, user: null }), ...line, ...given);
    expect(ran.exitCode).toBe(0);
    expect(ran.sent).toEqual([
      { user, team: { name: 'Aurora', plan_name: 'pro', quotas: { bots: 3, credits: 0 } } },
    ]);
  });
});
