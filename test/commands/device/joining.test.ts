import { describe, expect, it } from 'vitest';
import { usePhone } from '../../../src/sandbox/control-client.ts';
import { botctl } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { apiOf, homeFor, linesOf, reception } from './support.ts';

const sandbox = useSandbox();

/** A device that a phone has paired. Gives its id. */
async function paired(env: Record<string, string>): Promise<string> {
  const id = await reception(sandbox, env);
  const api = apiOf(sandbox);
  await api.call('connectDevice', { path: { id } });
  await api.call('getDeviceStatus', { path: { id } });
  sandbox.advance(5_000);
  const { data } = await api.call('getDeviceStatus', { path: { id } });
  expect(data.connected).toBe(true);
  return id;
}

describe('device connect, for a device that is paired and down', () => {
  it.each([
    ['takeover', 'taken_over', 'another session took it over'],
    ['block', 'blocked', 'the messaging app restricts its number'],
  ] as const)('says at once after a %s that waiting does not help', async (action, because, words) => {
    const env = homeFor(sandbox);
    await usePhone(sandbox.control, action, await paired(env));
    const ran = await botctl(['device', 'connect', 'Reception', '--wait', '-o', 'ndjson'], { env });
    expect(ran.exitCode).toBe(9);
    expect(linesOf(ran.stdout)).toMatchObject([
      { event: 'failed', because, reason: expect.stringMatching(/^4\d\d /) },
    ]);
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).toContain('botctl device ');
  });

  it('waits for one that is only offline, and never says that somebody scanned', async () => {
    const env = homeFor(sandbox);
    await usePhone(sandbox.control, 'offline', await paired(env));
    const args = ['device', 'connect', 'Reception', '--wait', '--timeout', '1s', '-o', 'ndjson'];
    const ran = await botctl(args, { env });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('it reconnects by itself');
    expect(linesOf(ran.stdout).map(({ event }) => event)).toEqual(['reconnecting', 'timeout']);
  });

  it('is told as what it is where nobody waits', async () => {
    const env = homeFor(sandbox);
    await usePhone(sandbox.control, 'offline', await paired(env));
    const ran = await botctl(['device', 'connect', 'Reception', '-o', 'json'], { env });
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ event: 'reconnecting', name: 'Reception' });
  });
});
