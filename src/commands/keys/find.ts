import type { Api, Reply } from '../../client/api.ts';
import { Failure } from '../../errors.ts';
import { matchName, type Purpose, type Wording } from '../../names/match-name.ts';
import { originOf } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';

/** An API key, as the service shows it. */
export type Key = Reply<'getKey'>['data'];

const wording: Wording = { one: 'key', wayOut: 'See them all: botctl keys list' };

/**
 * Finds a key by id or name (design, Names).
 * @throws Failure as `matchName`, and as the API
 */
export async function findKey(api: Api, word: string, use: { readonly for: Purpose }): Promise<Key> {
  const byId = await readKey(api, word);
  if (byId) return byId;
  const candidates = (await listKeys(api)).map((key) => ({
    id: key.key_id,
    name: typeof key.name === 'string' ? key.name : undefined,
    mark: typeof key.created_at === 'string' ? `created ${key.created_at}` : undefined,
    key,
  }));
  return matchName(candidates, word, use.for, wording).key;
}

/** The keys of the account. The API has no pages of them. */
export async function listKeys(api: Api): Promise<readonly Key[]> {
  const { data } = await api.call('listKeys');
  return data.filter((row) => typeof row === 'object' && row !== null);
}

async function readKey(api: Api, keyId: string): Promise<Key | undefined> {
  try {
    return (await api.call('getKey', { path: { keyId } })).data;
  } catch (thrown) {
    // Anything that isn't an id may be refused in two ways: as unknown, or as no id at all.
    const isNoId = thrown instanceof Failure && (thrown.kind === 'notFound' || thrown.code === 'BAD_REQUEST');
    if (isNoId) return undefined;
    throw thrown;
  }
}

/** The names of the profiles here that hold a key of a service. */
export function profilesWith(
  { profiles }: Pick<Settings, 'profiles'>,
  baseUrl: string,
  keyId: string,
): readonly string[] {
  return profiles
    .list()
    .filter((profile) => profile.keyId === keyId && originOf(profile.baseUrl) === originOf(baseUrl))
    .map(({ name }) => name);
}

/** A key as sentences name it. */
export function keyLabel({ key_id: id, name }: Key): string {
  return typeof name === 'string' && name !== '' ? `${name} (${id})` : id;
}
