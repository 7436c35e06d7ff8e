import type { BodyOf, DataOf } from '../contract/endpoints.ts';
import { requirePackage, serverPackage } from '../lib/database/packages.ts';
import { Failure } from '../lib/errors.ts';
import { openClock } from './clock.ts';
import { createKey, deleteKey } from './routes/keys.ts';
import { Refusal } from './service.ts';
import { connectServer, type ServerAddress, serverFailure } from './store/server.ts';

/**
 * Makes a key in a database on a server, whether or not a service runs on it; an empty database is given the schema.
 * Returns it with its secret, which is told nowhere else.
 * @throws Failure as `connectServer`, and `invalidInput` for a key that can't be kept
 */
export async function createKeyIn(
  server: ServerAddress,
  request: BodyOf<'createKey'>,
): Promise<DataOf<'createKey'>> {
  return withService(server, (service) => createKey(service, request));
}

/** Returns the time of the service in a database. @throws Failure as `connectServer` */
export async function timeIn(server: ServerAddress): Promise<Date> {
  return withService(server, async ({ clock }) => clock.now());
}

/** Deletes a key there. @throws Failure as `createKeyIn` */
export async function deleteKeyIn(server: ServerAddress, keyId: string): Promise<void> {
  await withService(server, (service) => deleteKey(service, keyId));
}

async function withService<T>(
  server: ServerAddress,
  work: (service: Parameters<typeof createKey>[0]) => Promise<T>,
): Promise<T> {
  requirePackage(serverPackage, 'A sandbox on a database server');
  const { db } = await connectServer(server);
  try {
    const store = { db, isShared: true };
    return await work({ store, clock: await openClock(store) });
  } catch (error) {
    if (error instanceof Refusal) throw new Failure('invalidInput', error.message, { cause: error });
    throw serverFailure(error, server.url);
  } finally {
    await db.destroy();
  }
}
