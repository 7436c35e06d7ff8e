import { describe, expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, issuePaths } from './api.ts';
import { createTeam, teamBody } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

describe('creating a team', () => {
  it('creates it with its administrator', async () => {
    const body = teamBody({ name: 'Acme', plan_name: 'pro', quotas: { bots: 7 } });
    const { data } = await api.ok('createTeam', { body });
    expect(data.team).toMatchObject({ name: 'Acme', plan_name: 'pro', paying: false, banned: false });
    expect(data.user).toMatchObject(body.user);
  });

  it('fills missing quotas from the plan, and shows quotas and settings in the detail form only', async () => {
    const { id, ...listed } = await createTeam(api, { plan_name: 'pro', quotas: { bots: 0 } });
    expect(listed).not.toHaveProperty('quotas');
    const { data } = await api.ok('getTeam', { path: { id } });
    expect(data).toMatchObject({
      quotas: { bots: 0, accounts: 5, documents: 200, members: 10 },
      settings: {},
    });
  });

  it('gives some quotas to an unknown plan', async () => {
    const { id } = await createTeam(api, { plan_name: 'constructor' });
    const { data } = await api.ok('getTeam', { path: { id } });
    expect(data.plan_name).toBe('constructor');
    expect(data.quotas.bots).toBeGreaterThan(0);
  });

  it('creates nothing if the e-mail is taken, in upper or lower case', async () => {
    const body = teamBody();
    await api.ok('createTeam', { body });
    const again = { ...teamBody(), user: { ...body.user, email: body.user.email.toUpperCase() } };
    expect((await api.refused('createTeam', 'BAD_REQUEST', { body: again })).error).toContain('e-mail');
    expect((await api.ok('listTeams')).meta.total).toBe(1);
  });

  it('creates one team for concurrent requests with one e-mail', async () => {
    const { user } = teamBody();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { status } = await api.send('POST', '/api/openapi/v1/teams', {
          body: JSON.stringify({ ...teamBody(), user }),
        });
        return status;
      }),
    );
    expect(answers.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    expect((await api.ok('listTeams')).meta.total).toBe(1);
  });

  it.each([
    ['no user', { team: teamBody().team }, ['user']],
    ['no team', { user: teamBody().user }, ['team']],
    ['an empty name', { ...teamBody(), team: { name: '', plan_name: 'pro' } }, ['team.name']],
    ['no plan', { ...teamBody(), team: { name: 'Acme' } }, ['team.plan_name']],
    [
      'an e-mail that is too long',
      { ...teamBody(), user: { ...teamBody().user, email: `${'a'.repeat(2_700)}@x.example` } },
      ['user.email'],
    ],
    ['a bad e-mail', { ...teamBody(), user: { ...teamBody().user, email: 'ana' } }, ['user.email']],
    [
      'a phone without plus',
      { ...teamBody(), user: { ...teamBody().user, phone: '5511999990000' } },
      ['user.phone'],
    ],
    ['a negative quota', teamBody({ quotas: { bots: -1 } }), ['team.quotas.bots']],
    ['half a bot', teamBody({ quotas: { bots: 1.5 } }), ['team.quotas.bots']],
    [
      'unknown members',
      { ...teamBody(), colour: 'red', team: { ...teamBody().team, size: 3 } },
      ['team.size', 'colour'],
    ],
  ])('refuses %s and names it', async (_, body, paths) => {
    const refusal = await api.refused('createTeam', 'BAD_REQUEST', { body });
    expect(issuePaths(refusal)).toEqual(paths);
    for (const path of paths) expect(refusal.error).toContain(path);
  });

  it('refuses a quota beyond its range', async () => {
    await api.refused('createTeam', 'BAD_REQUEST', { body: teamBody({ quotas: { credits: 2 ** 31 } }) });
    await createTeam(api, { quotas: { credits: 2 ** 31 - 1 } });
  });
});

describe('listing teams', () => {
  it('starts with page 1 of 20, oldest first', async () => {
    const made = [];
    for (let index = 0; index < 21; index += 1) made.push((await createTeam(api)).id);
    const first = await api.ok('listTeams');
    expect(first.meta).toEqual({ page: 1, limit: 20, total: 21, totalPages: 2 });
    const second = await api.ok('listTeams', { query: { page: 2 } });
    expect(new Set([...first.data, ...second.data].map(({ id }) => id))).toEqual(new Set(made));
    const created = first.data.map(({ created_at }) => created_at);
    expect(created).toEqual(created.toSorted());
  });

  it('pages by limit, and returns nothing past the end', async () => {
    for (let index = 0; index < 3; index += 1) await createTeam(api);
    const { data, meta } = await api.ok('listTeams', { query: { page: 2, limit: 2 } });
    expect(data).toHaveLength(1);
    expect(meta).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    const page = 9_007_199_254_740_991;
    expect(await api.ok('listTeams', { query: { page, limit: 100 } })).toMatchObject({
      data: [],
      meta: { page, limit: 100, total: 3, totalPages: 1 },
    });
  });

  it('has no pages if there are no rows', async () => {
    expect(await api.ok('listTeams')).toMatchObject({ data: [], meta: { total: 0, totalPages: 0 } });
  });

  it('finds a part of a name in any case, and treats wildcards literally', async () => {
    const names = ['Érica Ltda', '100% Pão', 'snake_case', 'back\\slash', 'Plain'];
    for (const name of names) await createTeam(api, { name });
    const found = async (name: string) =>
      (await api.ok('listTeams', { query: { name } })).data.map((team) => team.name);
    expect(await found('éRICA')).toEqual(['Érica Ltda']);
    expect(await found('%')).toEqual(['100% Pão']);
    expect(await found('_')).toEqual(['snake_case']);
    expect(await found('\\')).toEqual(['back\\slash']);
    expect(await found('')).toHaveLength(names.length);
    expect(await found('nobody')).toEqual([]);
  });

  it('filters by payment status', async () => {
    const { id } = await createTeam(api);
    await createTeam(api);
    await api.ok('updateTeam', { path: { id }, body: { paying: true } });
    expect((await api.ok('listTeams', { query: { paying: true } })).data.map((team) => team.id)).toEqual([
      id,
    ]);
    expect((await api.ok('listTeams', { query: { paying: false } })).meta.total).toBe(1);
  });
});

describe('reading a team', () => {
  it('accepts its id in either case', async () => {
    const { id } = await createTeam(api);
    expect((await api.ok('getTeam', { path: { id: id.toUpperCase() } })).data.id).toBe(id);
  });

  it.each(['11111111-1111-1111-1111-111111111111', 'acme', '1', 'a\0b'])('does not find %j', async (id) => {
    await api.refused('getTeam', 'NOT_FOUND', { path: { id } });
    await api.refused('updateTeam', 'NOT_FOUND', { path: { id }, body: {} });
  });
});

describe('changing a team', () => {
  it('changes the given fields, returns the detail form and names what changed', async () => {
    const { id, created_at } = await createTeam(api, { name: 'Acme', plan_name: 'pro' });
    sandbox.advance(1000);
    const { data } = await api.ok('updateTeam', {
      path: { id },
      body: { name: 'Acme Ltda', plan_name: 'pro', paying: true, quotas: { bots: 3, members: 10 } },
    });
    expect(data.changes).toEqual(['name', 'paying', 'quotas.bots']);
    expect(data.team).toMatchObject({
      name: 'Acme Ltda',
      paying: true,
      quotas: { bots: 3, accounts: 5 },
      settings: {},
    });
    expect(data.team.created_at).toBe(created_at);
    expect(data.team.updated_at > created_at).toBe(true);
    expect((await api.ok('getTeam', { path: { id } })).data).toEqual(data.team);
  });

  it('keeps omitted quotas unchanged, even with another plan', async () => {
    const quotas = { bots: 11, accounts: 12, characters: 13, documents: 14, members: 15, credits: 16 };
    const { id } = await createTeam(api, { plan_name: 'pro', quotas });
    const one = await api.ok('updateTeam', { path: { id }, body: { quotas: { members: 9 } } });
    expect(one.data.changes).toEqual(['quotas.members']);
    expect(one.data.team.quotas).toEqual({ ...quotas, members: 9 });
    const body = { plan_name: 'starter', quotas: { credits: 0 } };
    await api.ok('updateTeam', { path: { id }, body });
    const { data } = await api.ok('getTeam', { path: { id } });
    expect(data.quotas).toEqual({ ...quotas, members: 9, credits: 0 });
  });

  it('changes nothing for an empty body', async () => {
    const { id, updated_at } = await createTeam(api);
    sandbox.advance(1000);
    const { data } = await api.ok('updateTeam', { path: { id }, body: {} });
    expect(data.changes).toEqual([]);
    expect(data.team.updated_at).toBe(updated_at);
  });

  it.each([
    [{ paying: 'yes' }, ['paying']],
    [{ name: null }, ['name']],
    [{ settings: {} }, ['settings']],
    [{ quotas: { bots: '3', seats: 1 } }, ['quotas.bots', 'quotas.seats']],
    [{ quotas: { bots: 2 ** 40 } }, undefined],
  ])('refuses %j', async (body, paths) => {
    const { id } = await createTeam(api);
    const refusal = await api.refused('updateTeam', 'BAD_REQUEST', { path: { id }, body });
    if (paths) expect(issuePaths(refusal)).toEqual(paths);
  });
});
