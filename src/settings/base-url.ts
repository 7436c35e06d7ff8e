import { Failure } from '../lib/errors.ts';
import { isLoopback } from '../lib/listen.ts';
import { ValueError } from '../lib/parse.ts';

/** Matches a host without a scheme, as people copy it: with a dot, with a port, or the local machine. */
const bareHost = /^(?:[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:)|localhost|\[::1\])(?::\d+)?(?:\/.*)?$/i;

/**
 * Parses the base address of a service: http or https, without query, fragment or credentials. Returns it without a
 * trailing slash but with its path prefix. A bare host gets https://, the local machine http://.
 * @throws ValueError
 */
export function parseBaseUrl(raw: string): string {
  const written = withScheme(raw.trim());
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isHttp = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  // The message does not repeat them: they may be secret.
  if (isHttp ? url.username || url.password : written.includes('@')) {
    throw new ValueError('must not contain a user name or password');
  }
  if (/[?#]/.test(written)) throw new ValueError('must not contain ? or #');
  if (!isHttp || url.hostname === '') {
    throw new ValueError(`must be an http or https address such as https://api.example.com, not "${raw}"`);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function withScheme(written: string): string {
  if (!bareHost.test(written) || !URL.canParse(`http://${written}`)) return written;
  const isHere = isLoopback(new URL(`http://${written}`).hostname);
  return `${isHere ? 'http' : 'https'}://${written}`;
}

/** Returns scheme, host and port of a base address. A key belongs to that origin. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

/**
 * Refuses to send secrets over plain http to another machine, because anyone on the network could read them.
 * @throws Failure `invalidInput`
 */
export function checkTransport(baseUrl: string, insecureHttp: boolean): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || insecureHttp || isLoopback(hostname)) return;
  throw new Failure('invalidInput', `${baseUrl} is plain http: anyone on the network could read your key.`, {
    hint: 'Use https, or add --insecure-http if you trust the network.',
  });
}
