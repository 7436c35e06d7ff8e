import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type Insertable, sql } from 'kysely';
import { Failure } from '../lib/errors.ts';
import { command, placeholder, remark } from '../lib/text/remark.ts';
import type { SandboxClock } from './clock.ts';
import { firstKeyName, isFirstKey } from './first-key.ts';
import type { SandboxOptions } from './sandbox.ts';
import type { Store } from './store/store.ts';
import type { ApiKeysTable } from './store/tables.ts';

/**
 * Returns true if other machines can reach a service that listens on a host.
 * @throws Failure `invalidInput` if they could, and what that takes was not asked for
 */
export function isReachable({ host, server, behindProxy }: SandboxOptions): boolean {
  if (isLoopback(host)) return false;
  const missing = server ? (behindProxy ? undefined : '--behind-proxy') : '--database';
  if (missing === undefined) return true;
  const why = missing === '--database' ? '' : ': it speaks no TLS, which a proxy has to end';
  const database = server ? server.url.href : placeholder('<url>');
  const files = server ? server.files : placeholder('<directory>');
  const line = command(
    ...['sandbox', 'start', '--host', host, '--database', database, '--files', files, '--behind-proxy'],
  );
  throw new Failure(
    'invalidInput',
    `Where other machines reach it (${host}), the sandbox needs ${missing}${why}.`,
    {
      hint: remark`Type: ${line}`,
    },
  );
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns the oldest valid key that somebody made for callers, and no sandbox for its data directory.
 * @throws Failure `invalidInput` if there is none
 */
export async function madeKey(
  { db }: Store,
  clock: SandboxClock,
  { host, server }: SandboxOptions,
): Promise<Insertable<ApiKeysTable> & { readonly key_id: string }> {
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('is_active', '=', true)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', clock.now())]))
    .where(sql<boolean>`not ${isFirstKey}`)
    // An import may have brought another sandbox's, whose secret is in a profile.
    .where('name', '<>', firstKeyName)
    .orderBy('created_at')
    .orderBy('key_id')
    .executeTakeFirst();
  if (key) return key;
  const line = command(
    ...['sandbox', 'key', 'create', '--database', server?.url.href ?? placeholder('<url>')],
    ...['--name', placeholder('<name>'), '--secret-file', placeholder('<file>')],
  );
  throw new Failure(
    'invalidInput',
    `Where other machines reach it (${host}), the sandbox needs a key that was made for them, and has none.`,
    { hint: remark`Type: ${line}` },
  );
}

/** A host with its port, as a caller writes it (RFC 9110, 7.2). */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * Returns the address that a caller asked a proxy at, or undefined if the proxy doesn't say it. Nothing else of what a proxy
 * says is believed, and this goes back to that caller alone.
 */
export function forwardedAddress(headers: IncomingHttpHeaders): string | undefined {
  const { host = '', 'x-forwarded-proto': scheme } = headers;
  if (!hostForm.test(host)) return undefined;
  return `${scheme === 'http' ? 'http' : 'https'}://${host}`;
}
