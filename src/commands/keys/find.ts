import type { Api, Reply } from '../../client/api.ts';
import { Failure } from '../../errors.ts';
import { originOf } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';

/** An API key, as the service shows it. */
export type Key = Reply<'getKey'>['data'];

/**
 * Finds a key by id or exact name; for a read, also by the unique start of a name.
 * @throws Failure `notFound`, or `usage` where several keys have the name
 */
export async function findKey(api: Api, word: string, use: { readonly for: 'read' | 'write' }): Promise<Key> {
  const byId = await readKey(api, word);
  if (byId) return byId;
  const keys = await listKeys(api);
  const named = keys.filter(({ name }) => name === word);
  const similar = keys.filter(({ name }) => typeof name === 'string' && name.startsWith(word));
  const found = named.length > 0 || use.for === 'write' ? named : similar;
  const [key] = found;
  if (key && found.length === 1) return key;
  if (found.length > 1) {
    throw new Failure('usage', `"${word}" fits several keys: ${found.map(keyLabel).join(', ')}.`, {
      hint: 'Give the id of the one you mean.',
    });
  }
  throw new Failure('notFound', `There is no key with the id or name "${word}".`, {
    hint:
      similar.length > 0
        ? `Did you mean ${similar.map(keyLabel).join(', ')}?`
        : 'See them all: botctl keys list',
  });
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
