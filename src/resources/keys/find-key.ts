import type { Api } from '../../client/api.ts';
import { isPathValue } from '../../contract/endpoint.ts';
import { Failure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isObject } from '../../lib/json-object.ts';
import { type AskWhich, matchName, type Wording } from '../../lib/match-name.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { originOf } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Key, type RawKey, toKey } from './key.ts';

const wording: Wording = {
  noun: 'key',
  showCommand: (id) => command('keys', 'get', id),
  hint: remark`List all keys: ${command('keys', 'list')}`,
};

/**
 * Returns a key by its id or name.
 * @param askWhich undefined if botctl must not ask
 * @throws Failure as `matchName`, and as `Api.call`
 */
export async function findKey(api: Api, word: string, askWhich: AskWhich | undefined): Promise<Key> {
  const byId = await readKey(api, word);
  // A service that folds case or trims may return another key than the one with that id.
  if (byId && (byId.id === word || isId(word))) return byId;
  const candidates = (await listKeys(api)).map((key) => ({
    id: key.id,
    name: key.name,
    marks: key.createdAt === undefined ? [] : [`created ${key.createdAt}`],
    key,
  }));
  return (await matchName(candidates, word, wording, askWhich)).key;
}

/** Returns the keys of the account. The API has no pages of them. */
export async function listKeys(api: Api): Promise<readonly Key[]> {
  const { data } = await api.call('listKeys');
  const keys = data.filter(isRawKey).map(toKey);
  if (keys.length > 0 || data.length === 0) return keys;
  throw new Failure('network', `The list of keys has ${pluralize(data.length, 'row')} but no key_id.`, {
    hint: remark`See the response: ${command('api', 'GET', '/api/openapi/v1/api-keys')}`,
  });
}

function isRawKey(row: unknown): row is RawKey {
  return isObject(row) && typeof row.key_id === 'string';
}

async function readKey(api: Api, keyId: string): Promise<Key | undefined> {
  if (!isPathValue(keyId)) return undefined;
  try {
    return toKey((await api.call('getKey', { path: { keyId } })).data);
  } catch (thrown) {
    // A word that isn't an id may be rejected in two ways: as not found, or as an invalid id.
    const isNoId = thrown instanceof Failure && (thrown.kind === 'notFound' || thrown.code === 'BAD_REQUEST');
    if (isNoId) return undefined;
    throw thrown;
  }
}

/** Returns the names of the local profiles with a key of a service. */
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
