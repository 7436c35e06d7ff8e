import { describe, expect, it } from 'vitest';
import { proxyFor, proxyPasswords } from '../../src/client/proxy.ts';

const proxy = 'http://proxy.test:3128';

describe('the proxy for an address', () => {
  it.each([
    ['https://api.example.com', { HTTPS_PROXY: proxy }, true],
    ['http://api.example.com', { HTTPS_PROXY: proxy }, false],
    ['http://api.example.com', { http_proxy: 'proxy.test:3128' }, true],
    ['https://api.example.com', { HTTPS_PROXY: proxy, https_proxy: '' }, false],
    ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, false],
    ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: 'other.com, example.com' }, false],
    ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: '.example.com' }, false],
    ['https://api.example.com', { HTTPS_PROXY: proxy, no_proxy: '*.example.com:443' }, false],
    ['https://api.example.com:8443', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com:443' }, true],
    ['https://badexample.com', { HTTPS_PROXY: proxy, NO_PROXY: 'example.com' }, true],
    ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: 'x.test, 10.0.0.0/8' }, false],
    ['https://11.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, true],
    ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/33,10.0.0.0/x,/8,10.1.2.3/' }, true],
    ['https://10.1.2.3:8443', { HTTPS_PROXY: proxy, NO_PROXY: '10.1.2.3:8443' }, false],
    ['https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '2.3' }, true],
    ['https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: '2001:DB8:0::1' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: '[2001:db8::1]:443' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: '[2001:db8::1]:8443' }, true],
    ['https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: '[2001:db8::1]' }, false],
    ['https://[2001:db8::1]', { HTTPS_PROXY: proxy, NO_PROXY: '2001:db8::/32' }, false],
    ['https://[2001:db9::1]', { HTTPS_PROXY: proxy, NO_PROXY: '2001:db8::/32,2001:db9::2,0.0.0.0/0' }, true],
    ['https://api.example.com', { HTTPS_PROXY: proxy, NO_PROXY: '0.0.0.0/0,::/0' }, true],
    ['https://localhost:4010', { HTTPS_PROXY: proxy }, false],
    ['http://127.0.0.1:4010', { HTTP_PROXY: proxy }, false],
    ['http://[::1]:4010', { HTTP_PROXY: proxy }, false],
  ])('%s with %o: %s', (address, env, isProxied) => {
    expect(proxyFor(new URL(address), env)?.origin).toBe(isProxied ? proxy : undefined);
  });
});

describe('the passwords of proxies', () => {
  it('are masked in encoded and decoded form', () => {
    const env = {
      HTTPS_PROXY: 'http://ana:p%40ss%2Fword@proxy.test:1',
      http_proxy: 'ana:other-word@proxy.test:1',
    };
    const found = proxyPasswords(env);
    expect(found).toEqual(expect.arrayContaining(['p%40ss%2Fword', 'p@ss/word', 'other-word']));
  });
});
