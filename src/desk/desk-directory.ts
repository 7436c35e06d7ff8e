import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Returns the directory of all copies of databases on a machine. */
export function desksDirectory(data: string): string {
  return join(data, 'desks');
}

/** Returns the directory of a machine's copy of a database. */
export function deskDirectory(data: string, url: URL): string {
  const { hostname, port, pathname, search } = url;
  // The user is not part of it: several users of the same database may work on one machine.
  const place = JSON.stringify([hostname, port || '5432', pathname, search]);
  return join(desksDirectory(data), createHash('sha256').update(place).digest('hex').slice(0, 16));
}
