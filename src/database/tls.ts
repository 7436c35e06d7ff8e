import { databaseLabel } from '../lib/database-address.ts';
import { isLoopback } from '../lib/listen.ts';

/**
 * How a database connection is protected: TLS with a verified certificate and host name, TLS without verification, or
 * none.
 */
type Protection = 'verified' | 'unverified' | 'plain';

/** Maps each `sslmode` to a protection. `prefer` and `allow`, which accept a server without TLS, are ignored. */
const modes: ReadonlyMap<string, Protection | undefined> = new Map([
  ['disable', 'plain'],
  ['allow', undefined],
  ['prefer', undefined],
  ['require', 'unverified'],
  ['no-verify', 'unverified'],
]);

/** The parameters of an address that name files for TLS. */
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/** Returns how a connection is protected: verified, unless the address requests something else or is this machine. */
export function protectionOf(url: URL): Protection {
  const { searchParams } = url;
  const host = hostOf(url);
  // A local socket needs no protection.
  if (host.startsWith('/')) return 'plain';
  const mode = searchParams.get('sslmode');
  const asked = mode === null || modes.has(mode) ? modes.get(mode ?? 'prefer') : 'verified';
  // As in libpq, a root certificate in the address is always verified.
  if (asked === 'unverified' && searchParams.has('sslrootcert')) return 'verified';
  if (asked !== undefined) return asked;
  const asksForTls =
    fileParameters.some((name) => searchParams.has(name)) || searchParams.get('ssl') === 'true';
  return isLoopback(host) && !asksForTls ? 'plain' : 'verified';
}

/** The `sslmode` of `pg` for each protection. */
const pgModes = { verified: 'verify-full', unverified: 'no-verify', plain: 'disable' } as const;

/** Returns an address for `pg` with an explicit protection. */
export function withProtection(url: URL): URL {
  const whole = new URL(url);
  whole.searchParams.set('sslmode', pgModes[protectionOf(url)]);
  // Otherwise `pg` would take the host from the environment.
  if (url.hostname === '' && !url.searchParams.has('host')) whole.searchParams.set('host', defaultHost);
  // These parameters would conflict with `sslmode`.
  for (const other of ['ssl', 'uselibpqcompat']) whole.searchParams.delete(other);
  // Without a file, the system's certificates are used.
  if (whole.searchParams.get('sslrootcert') === 'system') whole.searchParams.delete('sslrootcert');
  return whole;
}

/** Databases for which the warning was already shown. */
const warned = new Set<string>();

/** Returns the warning about an unverified connection, once for each database. */
export function unverifiedWarning(url: URL): string | undefined {
  const name = databaseLabel(url);
  if (protectionOf(url) !== 'unverified' || warned.has(name)) return undefined;
  warned.add(name);
  return `The certificate of ${name} is not checked (sslmode=require): another server could pose as it and read everything. To check it: sslmode=verify-full, and sslrootcert=FILE if your own authority issued it.`;
}

/** The host of an address without one. */
const defaultHost = 'localhost';

/** Returns the host that `pg` connects to. */
function hostOf({ hostname, searchParams }: URL): string {
  const named = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname);
  return (named || defaultHost).replace(/^\[(.+)\]$/, '$1').toLowerCase();
}
