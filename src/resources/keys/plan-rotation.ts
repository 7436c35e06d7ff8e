import { randomInt } from 'node:crypto';
import { originOf } from '../../settings/base-url.ts';
import type { CreatedRotation, Rotation } from '../../settings/rotation-journal.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type Key, toKey } from './key.ts';

/** The characters of a nonce: no vowels and no similar characters, so that it is neither a word nor a date (as in Kubernetes). */
const nonceCharacters = 'bcdfghjklmnpqrstvwxz2456789';
const nonceLength = 8;

/** The suffixes that rotations add to a name: `-x7k2pq4d`, or ` (rotated 2026-01-01-0123456789ab)` in earlier versions. */
const suffixes = new RegExp(`(?<=.)(-[${nonceCharacters}]{${nonceLength}}| \\(rotated [^()]*\\))+$`);

/** Options of a rotation. */
export interface RotationChoices {
  /** The name of the new key without its suffix; that of the old one if undefined. */
  readonly name: string | undefined;
  /** Returns when the new key expires, by the service's clock; if undefined, it has the lifetime of the old one. */
  readonly expiresAt: ((now: number) => string) | undefined;
  readonly secretFile: string | undefined;
  readonly keepsOld: boolean;
}

/**
 * Returns a new rotation of the key in use.
 * @param interrupted an earlier one that may have created a key: its names are kept
 */
export async function planRotation(
  { api, clock, identity }: Pick<ResourceContext, 'api' | 'clock' | 'identity'>,
  { name, expiresAt, secretFile, keepsOld }: RotationChoices,
  interrupted: Rotation | undefined,
): Promise<Rotation> {
  const now = clock.now();
  const old = toKey((await api.call('getKey', { path: { keyId: identity.keyId } })).data);
  const serviceNow = now + (api.clockAhead() ?? 0);
  const nonce = interrupted?.nonce ?? newNonce();
  const startedAt = new Date(now).toISOString();
  const newName = `${name ?? old.name?.replace(suffixes, '') ?? identity.keyId}-${nonce}`;
  const earlier = interrupted?.names.filter((other) => other !== newName) ?? [];
  return {
    state: 'planned',
    origin: originOf(identity.baseUrl),
    old_key_id: identity.keyId,
    old_name: old.name,
    nonce,
    names: [...earlier, newName],
    expires_at: expiresAt ? expiresAt(serviceNow) : sameLifetime(old, serviceNow),
    secret_file: secretFile,
    keeps_old: keepsOld,
    handed_over: false,
    started_at: startedAt,
  };
}

function newNonce(): string {
  const characters = Array.from({ length: nonceLength }, () => randomInt(nonceCharacters.length));
  return characters.map((index) => nonceCharacters.charAt(index)).join('');
}

/** Returns the expiry of a new key with the lifetime of another one, by the service's clock; undefined if that one doesn't expire. */
function sameLifetime({ createdAt: from, expiresAt: to }: Key, now: number): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const lifetime = Date.parse(to) - Date.parse(from);
  return lifetime > 0 ? new Date(now + lifetime).toISOString() : undefined;
}

/**
 * Returns an interrupted rotation, with another file for the secret if the user now gives one. It keeps the old
 * key if it did so before.
 */
export function resumedRotation(
  rotation: CreatedRotation,
  { secretFile, keepsOld }: Pick<RotationChoices, 'secretFile' | 'keepsOld'>,
): CreatedRotation {
  const same = { ...rotation, keeps_old: keepsOld || rotation.keeps_old };
  return secretFile === rotation.secret_file ? same : { ...same, secret_file: secretFile, state: 'created' };
}
