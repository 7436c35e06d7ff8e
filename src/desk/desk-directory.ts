import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Returns the directory of all copies that a machine has of databases. */
export function desksDirectory(data: string): string {
  return join(data, 'desks');
}

/** Returns the directory of the copy that a machine has of a database. */
export function deskDirectory(data: string, url: URL): string {
  const { hostname, port, pathname, search } = url;
  // Not the user: several may use the same database from one machine.
  const place = JSON.stringify([hostname, port || '5432', pathname, search]);
  return join(desksDirectory(data), createHash('sha256').update(place).digest('hex').slice(0, 16));
}
