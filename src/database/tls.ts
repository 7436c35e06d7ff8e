import { databaseLabel } from '../lib/database-address.ts';
import { isLoopback } from '../lib/listen.ts';

/** How a connection with a database is protected: TLS with a verified certificate and host name, TLS without that, or not. */
type Protection = 'verified' | 'unverified' | 'plain';

/** What each `sslmode` means here. `prefer` and `allow`, which give in to a server without TLS, count as not written. */
const modes: ReadonlyMap<string, Protection | undefined> = new Map([
  ['disable', 'plain'],
  ['allow', undefined],
  ['prefer', undefined],
  ['require', 'unverified'],
  ['no-verify', 'unverified'],
]);

/** The parameters of an address that name files for TLS. */
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/** Returns how a connection is protected: verified, unless the address asks for something else or leads to this machine. */
export function protectionOf(url: URL): Protection {
  const { searchParams } = url;
  const host = hostOf(url);
  // There is no network to protect it from.
  if (host.startsWith('/')) return 'plain';
  const mode = searchParams.get('sslmode');
  const asked = mode === null || modes.has(mode) ? modes.get(mode ?? 'prefer') : 'verified';
  // As in libpq: a root certificate that is named is checked.
  if (asked === 'unverified' && searchParams.has('sslrootcert')) return 'verified';
  if (asked !== undefined) return asked;
  const asksForTls =
    fileParameters.some((name) => searchParams.has(name)) || searchParams.get('ssl') === 'true';
  return isLoopback(host) && !asksForTls ? 'plain' : 'verified';
}

/** The `sslmode` by which `pg` protects a connection like that. */
const pgModes = { verified: 'verify-full', unverified: 'no-verify', plain: 'disable' } as const;

/** Returns an address as `pg` takes it, with its protection written. */
export function withProtection(url: URL): URL {
  const whole = new URL(url);
  whole.searchParams.set('sslmode', pgModes[protectionOf(url)]);
  // `pg` would look for one in the environment.
  if (url.hostname === '' && !url.searchParams.has('host')) whole.searchParams.set('host', defaultHost);
  // They would contradict it.
  for (const other of ['ssl', 'uselibpqcompat']) whole.searchParams.delete(other);
  // Without a file, the system's certificates count.
  if (whole.searchParams.get('sslrootcert') === 'system') whole.searchParams.delete('sslrootcert');
  return whole;
}

/** Databases that were warned about. */
const warned = new Set<string>();

/** Returns the warning of an unverified connection, once for each database. */
export function unverifiedWarning(url: URL): string | undefined {
  const name = databaseLabel(url);
  if (protectionOf(url) !== 'unverified' || warned.has(name)) return undefined;
  warned.add(name);
  return `The certificate of ${name} is not checked (sslmode=require): another server could pose as it and read everything. To check it: sslmode=verify-full, and sslrootcert=FILE if your own authority issued it.`;
}

/** The host of an address that names none. */
const defaultHost = 'localhost';

/** Returns the host that `pg` connects with. */
function hostOf({ hostname, searchParams }: URL): string {
  const named = searchParams.getAll('host').at(-1) || decodeURIComponent(hostname);
  return (named || defaultHost).replace(/^\[(.+)\]$/, '$1').toLowerCase();
}
