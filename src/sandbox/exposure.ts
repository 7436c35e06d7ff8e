import type { IncomingHttpHeaders } from 'node:http';
import type { Insertable } from 'kysely';
import { device } from '../contract/devices.ts';
import { isLoopback } from '../lib/listen.ts';
import type { SandboxClock } from './clock.ts';
import { firstKeyName, isFirstKey } from './first-key.ts';
import { SandboxProblem } from './problem.ts';
import type { SandboxOptions } from './sandbox.ts';
import type { ApiKeysTable, Store } from './store/tables.ts';

/**
 * Returns true if other machines can reach a service that listens on a host.
 * @throws SandboxProblem if they can, and plain http was not allowed
 */
export function isReachable({ host, insecureHttp, hasPassingKey = false }: SandboxOptions): boolean {
  if (isLoopback(host)) return false;
  if (insecureHttp) return true;
  throw new SandboxProblem(
    `Other machines can reach ${host}, and the sandbox has no TLS: keys and tokens would be sent in clear text.`,
    { code: 'hostIsPublic', host, isTemporary: hasPassingKey },
  );
}

/**
 * Returns the oldest valid key created for callers. The first keys of sandboxes don't count.
 * @throws SandboxProblem if there is none
 */
export async function requireCallerKey(
  { db }: Store,
  clock: SandboxClock,
  { host, server, data }: SandboxOptions,
): Promise<Insertable<ApiKeysTable> & { readonly key_id: string }> {
  const key = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('is_active', '=', true)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', clock.now())]))
    .where((eb) => eb.not(isFirstKey(eb)))
    // An import may include another sandbox's first key, whose secret is in a profile.
    .where('name', '<>', firstKeyName)
    .orderBy('created_at')
    .orderBy('key_id')
    .executeTakeFirst();
  if (key) return key;
  throw new SandboxProblem(
    `Other machines can reach ${host}, so the sandbox needs an API key for them, and has none.`,
    { code: 'publicKeyMissing', ...(server ? { database: server.url.href } : { data }) },
  );
}

const poolUrl = device.shape.pool_url;

/** A host with its port, as sent by a caller (RFC 9110, 7.2). */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * Returns the address that a caller used, or undefined if the request doesn't contain one. A proxy that ends TLS
 * indicates https; no other proxy header is trusted, and the address is only returned to the same caller. It is
 * validated before anything is stored: a response that can't be sent must not follow a commit.
 */
export function requestAddress(headers: IncomingHttpHeaders): string | undefined {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  const scheme = forwarded === 'https' ? 'https' : 'http';
  const address = `${scheme}://${host}`;
  return hostForm.test(host) && poolUrl.safeParse(address).success ? address : undefined;
}
