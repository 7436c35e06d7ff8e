import { BlockList, isIP } from 'node:net';
import { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import { isLoopback } from '../lib/listen.ts';
import { percentDecode } from '../lib/text/quote.ts';

/**
 * Returns the proxy that the environment sets for an address, by the rules common to most tools (curl, Go's httpproxy):
 * `HTTPS_PROXY` for https, `HTTP_PROXY` for http, in lower case first. `NO_PROXY` lists hosts, domains, IP addresses or
 * `*`, each with or without a port, and ranges such as `10.0.0.0/8`. This machine itself never uses the proxy.
 * @throws Failure `invalidInput` if the variable is not the address of an http or https proxy
 */
export function proxyFor(url: URL, env: Io['env']): URL | undefined {
  if (isLoopback(url.hostname)) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = ownMember(env, name.toLowerCase()) ?? ownMember(env, name);
  if (!value || isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const proxy = parseProxy(value);
  if (proxy) return proxy;
  throw new Failure('invalidInput', `${name} is not the address of a proxy that botctl can use.`, {
    hint: `It should look like this: ${name}=http://USER:PASSWORD@HOST:PORT`,
  });
}

function parseProxy(value: string): URL | undefined {
  const address = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(address)) return undefined;
  const proxy = new URL(address);
  if (!['http:', 'https:'].includes(proxy.protocol)) return undefined;
  return percentDecode(proxy.username) === undefined || percentDecode(proxy.password) === undefined
    ? undefined
    : proxy;
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    if (isInRange(host, entry)) return true;
    const [, name = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const domain = name.replace(/^\*?\./, '');
    if (domain === '' || (wantedPort !== undefined && wantedPort !== port)) return false;
    // The end of an IP address is not a domain.
    if (isIP(withoutBrackets(host)) !== 0) return host === domain || isInRange(host, domain);
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/**
 * Returns whether a host is an IP address in a range: `10.0.0.0/8`, or a single address, because IPv6 has several
 * spellings for one address.
 */
function isInRange(host: string, range: string): boolean {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(withoutBrackets(range)) ?? [];
  const address = withoutBrackets(host);
  const kind = isIP(base);
  if (kind === 0 || isIP(address) !== kind) return false;
  const most = kind === 4 ? 32 : 128;
  if (Number(bits ?? most) > most) return false;
  const family = kind === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, Number(bits ?? most), family);
  return list.check(address, family);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.+)\]$/, '$1');
}

/** Returns the passwords in the proxy variables, both as written and percent-decoded. */
export function proxyPasswords(env: Io['env']): readonly string[] {
  return [env.https_proxy, env.HTTPS_PROXY, env.http_proxy, env.HTTP_PROXY].flatMap((value) => {
    const password = (value && parseProxy(value)?.password) || '';
    return [password, percentDecode(password) ?? ''];
  });
}
