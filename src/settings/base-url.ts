import { Failure } from '../lib/errors.ts';
import { isLoopback } from '../lib/listen.ts';
import { ValueError } from '../lib/parse.ts';

/** A host without a scheme, as people copy it: with a dot, a port, or of this machine. */
const bareHost = /^(?:[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:)|localhost|\[::1\])(?::\d+)?(?:\/.*)?$/i;

/**
 * Checks the base address of a service: http or https, without query, fragment or credentials. Returns it
 * without a trailing slash; a path prefix is kept. A bare host gets https://, one of this machine http://.
 * @throws ValueError
 */
export function parseBaseUrl(raw: string): string {
  const written = withScheme(raw.trim());
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isHttp = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  // Neither of the two is repeated in the message: it may be a secret.
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

/** Scheme, host and port of a base address: what a key belongs to. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

/**
 * Refuses to send secrets where anybody on the way can read them: plain http reaches this machine only.
 * @throws Failure `invalidInput`
 */
export function checkTransport(baseUrl: string, insecureHttp: boolean): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || insecureHttp || isLoopback(hostname)) return;
  throw new Failure('invalidInput', `${baseUrl} is plain http: anyone on the network could read your key.`, {
    hint: 'Use https, or add --insecure-http if you trust the network.',
  });
}
