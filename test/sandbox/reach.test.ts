import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestAddress } from '../../src/sandbox/exposure.ts';

describe('the address that a caller used', () => {
  it.each([
    ['api.example', 'https://api.example'],
    ['api.example:8443', 'https://api.example:8443'],
    ['[::1]:8443', 'https://[::1]:8443'],
  ])('is taken from the host %s', (host, address) => {
    expect(requestAddress({ host, 'x-forwarded-proto': 'https' })).toBe(address);
    for (const headers of [{ host }, { host, 'x-forwarded-proto': 'http' }])
      expect(requestAddress(headers)).toBe(address.replace('https', 'http'));
  });

  it.each([
    'evil.example:99999',
    'evil.example/path',
    'user@evil.example',
    'evil.example?x',
    'a b',
    '[::1',
    '',
  ])('is not taken from the host %j', (host) => {
    expect(requestAddress({ host })).toBeUndefined();
  });

  it('is forwarded by the nginx configuration of the help, which serves only the API', () => {
    const topic = join(import.meta.dirname, '../../src/cli/help/topics/sandbox.md');
    const [, nginx = ''] = /```nginx \S+\n([\s\S]*?)```/.exec(readFileSync(topic, 'utf8')) ?? [];
    expect([...nginx.matchAll(/location (\S+) \{/g)].map(([, path]) => path)).toEqual(['/api/']);
    const values: Readonly<Record<string, string>> = { $http_host: 'api.example', $scheme: 'https' };
    const headers = [...nginx.matchAll(/proxy_set_header (\S+) (\S+);/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      values[value] ?? '',
    ]);
    expect(requestAddress(Object.fromEntries(headers))).toBe('https://api.example');
  });
});
