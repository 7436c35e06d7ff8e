import { isLoopback } from '../lib/listen.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { Secret } from '../secrets/secret.ts';

/** The address of a webhook. Its path and query may hold a token, so only its host is ever shown. */
export interface WebhookAddress {
  readonly origin: string;
  readonly host: string;
  /** Path and query. */
  readonly path: Secret;
}

/**
 * Parses an https address, or an http address on this machine, without credentials. Errors don't repeat the text, since
 * it may contain a token.
 */
export const webhookAddress: Parse<WebhookAddress> = (raw) => {
  const url = URL.canParse(raw.trim()) ? new URL(raw.trim()) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ValueError('must be an address such as https://hooks.example.com/botctl');
  if (url.username || url.password) throw new ValueError('must not carry a user name or password');
  if (url.hash) throw new ValueError('must end before any #');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new ValueError('must be https: plain http is not encrypted');
  // From now on every output masks the path and the value of each parameter.
  for (const value of url.searchParams.values()) new Secret(value);
  return { origin: url.origin, host: url.host, path: new Secret(url.pathname + url.search) };
};
