import { describe, expect, it } from 'vitest';
import { RequestPace } from '../../src/sandbox/faults/limits.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';

describe('a rate limit', () => {
  it('allows a burst, and then the rate', () => {
    let now = 0;
    const pace = new RequestPace({ requests: 4, per: 'second' }, () => now);
    const take = (): number => pace.take('key');
    expect([take(), take(), take(), take(), take()]).toEqual([0, 0, 0, 0, 250]);
    now = 100;
    expect(take()).toBe(150);
    now = 250;
    expect([take(), take()]).toEqual([0, 250]);
    now = 60_000;
    expect([take(), take(), take(), take(), take()]).toEqual([0, 0, 0, 0, 250]);
  });

  it('counts each key separately', () => {
    const pace = new RequestPace({ requests: 1, per: 'minute' }, () => 0);
    expect([pace.take('one'), pace.take('one'), pace.take('other')]).toEqual([0, 60_000, 0]);
  });
});

describe('a sandbox with a limit', () => {
  const machineTime = (): number => Date.UTC(2040, 0, 1);
  const sandbox = useSandbox({ rateLimit: { requests: 3, per: 'minute' }, machineTime });
  const api = createTestApi(sandbox);
  const list = (token: string) => api.send('GET', '/api/openapi/v1/teams', { token });

  it('answers 429 with Retry-After to a key that exceeds it, and to no other', async () => {
    const token = await api.token();
    const body = { name: 'other' };
    const { key_id, key_secret } = (await api.ok('createKey', { body, token })).data;
    expect([await list(token), await list(token)]).toMatchObject([{ status: 200 }, { status: 200 }]);
    const refused = await list(token);
    expect(refused).toMatchObject({ status: 429, body: { success: false, code: 'RATE_LIMITED' } });
    expect(refused.headers.get('retry-after')).toBe('20');
    expect(await list(await api.token({ key_id, key_secret }))).toMatchObject({ status: 200 });
    // Callers without a valid token share a limit, which does not apply to the token endpoint.
    for (let round = 0; round < 3; round += 1) expect(await list('none')).toMatchObject({ status: 401 });
    expect(await list('none')).toMatchObject({ status: 429 });
    expect(await api.token()).toEqual(expect.any(String));
  });
});
