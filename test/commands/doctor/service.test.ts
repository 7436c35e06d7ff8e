import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../../src/contract/endpoints.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import { answer } from '../../support/answer.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { refusal, type SeenRequest, success } from '../../support/scripted-server.ts';
import { doctor, environment, queryOf, startSoundService, teams } from './support.ts';

// A scripted server returns no time, and refuses one filter and ignores another: the sandbox does neither.

const sandbox = useSandbox();
const service = openDirect(sandbox);
const fail = (target: EndpointName, effect: FaultEffect) =>
  callControl(sandbox.control, '/fault/add', { target, effect });
const refused: FaultEffect = { kind: 'status', status: 403 };
const exchange = 'POST /api/openapi/auth/token';
const list = 'GET /api/openapi/v1/teams';
const day = 86_400_000;

describe('the clocks', () => {
  it.each([
    [-2 * 3_600_000, "The service's clock is 2 hours behind this machine's."],
    [3 * day + 60_000, "The service's clock is 3 days ahead of this machine's."],
  ])('that differ by %i ms are a warning', async (difference, found) => {
    // One and a half seconds more, because the service returns whole seconds.
    const now = sandbox.freeze() - difference - Math.sign(difference) * 1500;
    const { exitCode, at } = await doctor(sandbox.env, [], { clock: { ...systemClock, now: () => now } });
    expect(exitCode).toBe(0);
    expect(at('clock')).toMatchObject({
      verdict: 'warning',
      found,
      remedy: expect.stringContaining('clock'),
    });
    expect(at('token').found).toContain('for 1 day');
  });

  it('are skipped if the service sends no time', async () => {
    const server = await startSoundService();
    server.on(exchange, (_request, response) => {
      response.sendDate = false;
      return success({ access_token: 'a-token-of-the-test' });
    });
    expect((await doctor(environment(server.url))).at('clock').verdict).toBe('skipped');
  });
});

describe('the key', () => {
  const keyThat = async (expiresAt: string) => {
    await fail('getKey', answer({ key_id: sandbox.keyId, name: 'ci', expires_at: expiresAt }));
    const { exitCode, at } = await doctor(sandbox.env);
    expect(exitCode).toBe(0);
    return at('key');
  };

  it('that expires within two weeks is a warning, with the command that rotates it', async () => {
    const moment = new Date(Date.now() + 13.5 * day).toISOString();
    expect(await keyThat(moment)).toEqual({
      check: 'key',
      verdict: 'warning',
      found: `Key "ci" expires in 13 days (${moment.replace(/\.\d+Z/, 'Z')}).`,
      remedy: 'botctl keys rotate --expires 90d --secret-file FILE',
    });
  });

  it('that is valid for longer is sound', async () => {
    expect((await keyThat(new Date(Date.now() + 14.5 * day).toISOString())).verdict).toBe('ok');
  });

  it('that has expired according to its date is a warning', async () => {
    expect((await keyThat('2020-01-01T00:00:00.000Z')).found).toContain('has expired');
  });

  it('that the service does not show is no problem', async () => {
    await fail('getKey', refused);
    const { exitCode, at } = await doctor(sandbox.env);
    expect(exitCode).toBe(0);
    expect(at('key').verdict).toBe('skipped');
  });
});

describe('reading', () => {
  it('that is refused is broken, and dependent checks are skipped: exit code 6', async () => {
    await fail('listTeams', refused);
    const { exitCode, at } = await doctor(sandbox.env);
    expect(exitCode).toBe(6);
    expect(at('reading').found).toContain('This answer is a fault of the sandbox');
    for (const check of ['paging', 'filters']) expect(at(check).found).toBe('Skipped: first fix "reading".');
  });
});

describe('paging', () => {
  it('with other parameter names is broken, with the setting for them: exit code 8', async () => {
    await fail('listTeams', answer([teams[0]], { page: 1, limit: 1, total: 2, totalPages: 2 }));
    const { exitCode, at } = await doctor(sandbox.env);
    expect(exitCode).toBe(8);
    expect(at('paging')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('ignores paging'),
      remedy: expect.stringContaining('--query-name page=NAME --query-name limit=NAME'),
    });
  });

  it('with a page size that is ignored is a warning', async () => {
    for (const { name } of teams) await service.team(name);
    sandbox.behave({ ignore_paging: true });
    const { exitCode, at } = await doctor(sandbox.env);
    expect(exitCode).toBe(0);
    expect(at('paging')).toMatchObject({ verdict: 'warning', found: expect.stringContaining('"limit"') });
  });

  it('is requested with the names of the service', async () => {
    for (const { name } of teams) await service.team(name);
    const requests = await requestsFromNow(sandbox);
    const { at } = await doctor(sandbox.env);
    expect(at('paging').found).toBe('"page" and "limit" work.');
    const lists = (await requests()).filter(({ operation }) => operation === 'listTeams');
    expect(lists.map(({ path = '' }) => queryOf(path).get('page'))).toContain('2');
  });
});

describe('filters', () => {
  it('that are refused or ignored are named, with the setting that renames them', async () => {
    const server = await startSoundService();
    const inner = ({ path }: SeenRequest) => {
      const query = queryOf(path);
      if (query.has('paying')) return refusal(400, 'BAD_REQUEST', 'paying is unknown');
      const page = Number(query.get('page'));
      return success(teams.slice(page - 1, page), { page, limit: 1, total: 2, totalPages: 2 });
    };
    server.on(list, inner);
    const { exitCode, at } = await doctor(environment(server.url));
    expect(exitCode).toBe(0);
    expect(at('filters')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('refuses paying and ignores name'),
      remedy: expect.stringContaining('--query-name paying=NAME --query-name name=NAME'),
    });
  });

  it('that the service supports are sound', async () => {
    for (const { name } of teams) await service.team(name);
    expect((await doctor(sandbox.env)).at('filters')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('name, paying, team, type'),
    });
  });
});
