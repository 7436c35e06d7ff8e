import type { BodyOf, DataOf } from '../contract/endpoints.ts';
import type { ServerAddress } from '../database/open.ts';
import { requirePackage, serverPackage } from '../database/packages.ts';
import { Failure } from '../lib/errors.ts';
import { openClock } from './clock.ts';
import { createKey, deleteKey } from './routes/keys.ts';
import { Refusal } from './service.ts';
import { openStore } from './store/open.ts';
import { dataFailure } from './store/ownership.ts';
import { connectServer, serverFailure } from './store/postgresql.ts';
import type { Store } from './store/tables.ts';

/** The location of keys: a database on a server, or a data directory without a running sandbox. */
export type KeyPlace = ServerAddress | { readonly data: string };

/**
 * Creates a key in a database on a server, with or without a running service, or in a data directory; creates the
 * schema in an empty one. Returns the key with its secret, which is never shown again.
 * @throws Failure as `connectServer` or `openStore`, and `invalidInput` for a key that can't be stored
 */
export async function createKeyIn(
  place: KeyPlace,
  request: BodyOf<'createKey'>,
): Promise<DataOf<'createKey'>> {
  return withService(place, (service) => createKey(service, request));
}

/**
 * Returns the service's time there.
 * @throws Failure as `createKeyIn`
 */
export async function timeIn(place: KeyPlace): Promise<Date> {
  return withService(place, async ({ clock }) => clock.now());
}

/**
 * Deletes a key there.
 * @throws Failure as `createKeyIn`
 */
export async function deleteKeyIn(place: KeyPlace, keyId: string): Promise<void> {
  await withService(place, (service) => deleteKey(service, keyId));
}

async function withService<T>(
  place: KeyPlace,
  work: (service: Parameters<typeof createKey>[0]) => Promise<T>,
): Promise<T> {
  const store = 'data' in place ? await openDirectory(place.data) : await openOnServer(place);
  try {
    return await work({ store, clock: await openClock(store) });
  } catch (error) {
    if (error instanceof Refusal) throw new Failure('invalidInput', error.message, { cause: error });
    throw 'data' in place ? error : serverFailure(error, place.url);
  } finally {
    await store.close();
  }
}

type KeyStore = Omit<Store, 'files' | 'signingKey'>;

async function openOnServer(server: ServerAddress): Promise<KeyStore> {
  requirePackage(serverPackage, 'A sandbox on a database server');
  const { database } = await connectServer(server);
  return { ...database, isShared: true };
}

function openDirectory(data: string): Promise<KeyStore> {
  return openStore(data).catch((error: unknown) => {
    throw dataFailure(error, data);
  });
}
