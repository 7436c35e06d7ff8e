import { describe, expect, it } from 'vitest';
import { withProfile } from '../../../src/lib/text/suggested-lines.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';

describe('a suggested line', () => {
  it.each([
    ['Look: botctl teams list', 'Look: botctl --profile my-own teams list'],
    [
      'Run botctl bots get X, or botctl bots list.',
      'Run botctl --profile my-own bots get X, or botctl --profile my-own bots list.',
    ],
    ['botctl sandbox seed --teams 3', 'botctl --profile my-own sandbox seed --teams 3'],
    [
      'botctl token --profile other\nbotctl token',
      'botctl token --profile other\nbotctl --profile my-own token',
    ],
    ['botctl keys rotate --profile other', 'botctl keys rotate --profile other'],
    ['See: botctl bots list --help', 'See: botctl bots list --help'],
    ['See: botctl help bots', 'See: botctl help bots'],
    ['botctl profiles list', 'botctl profiles list'],
    ['botctl sandbox start', 'botctl sandbox start'],
    ['botctl failed unexpectedly: x', 'botctl failed unexpectedly: x'],
  ])('%j names the profile in use: %j', (text, expected) => {
    expect(withProfile(text, 'my-own')).toBe(expected);
    expect(withProfile(text, undefined)).toBe(text);
  });

  it.each([
    ['', (profile: string) => ['--profile', profile]],
    ['joined with =', (profile: string) => [`--profile=${profile}`]],
  ])('works on the profile that the failing line named %s', async (_, flag) => {
    const server = await startScriptedServer();
    server.on('GET /api/openapi/v1/teams', success([], { page: 1, limit: 100, total: 0 }));
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const login = ['login', '--base-url', server.url, '--key-id', 'key', '--key-secret-stdin'];
    for (const name of ['default', 'other']) {
      await botctl([...login, '--profile', name], { env, stdin: 'a-secret-of-a-key' });
    }
    const suggestion = 'botctl --profile other teams list';
    const ran = await botctl(['teams', 'get', 'nobody', ...flag('other')], { env });
    expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(suggestion) });
    const json = await botctl(['teams', 'get', 'nobody', '-o', 'json', ...flag('other')], { env });
    expect(JSON.parse(json.stderr).error.hint).toContain(suggestion);
    const current = await botctl(['teams', 'get', 'nobody'], { env });
    expect(current.stderr).not.toContain('--profile');
  });
});
