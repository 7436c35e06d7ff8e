import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { Secret } from '../../../src/secrets/secret.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { settingsIn } from '../../settings/support.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import type { UsedSandbox } from '../../support/sandbox.ts';

/** A key as the service lists it. */
export interface ListedKey {
  readonly key_id: string;
  readonly name: string;
  readonly last_used?: string | undefined;
  readonly expires_at?: string | undefined;
}

export interface Pair {
  readonly keyId: string;
  readonly secret: string;
}

/** A user's machine whose key is to be rotated, and the account of the key. */
export interface Machine {
  readonly directory: string;
  readonly settings: Settings;
  /** The original key, named `ci`. */
  readonly old: Pair;
  /** The environment with the old key. */
  readonly oldEnv: Readonly<Record<string, string>>;
  keys(): Promise<readonly ListedKey[]>;
  /** Deletes a key without the machine's knowledge. */
  deleteKey(keyId: string): Promise<void>;
  /** Returns the journals of unfinished rotations. */
  journals(): readonly string[];
  /** Returns every file in the machine's directory, with its content. */
  files(): Readonly<Record<string, string>>;
  /**
   * Checks that the old key was replaced by one key, that this one works, and that nothing else was changed or left.
   * @param pair the stored new key
   */
  expectConverged(pair: Pair): Promise<void>;
}

/**
 * Creates an account with keys that look like those of a rotation, and a machine whose profile `default` has the key
 * named `ci`.
 * @param baseUrl the machine's address of the service
 */
export async function setUpMachine(
  sandbox: UsedSandbox,
  baseUrl: string,
  options: { readonly profile?: boolean; readonly expiresAt?: string } = {},
): Promise<Machine> {
  const call = await openAccount(sandbox);
  const before = await listKeys(call);
  const body = { name: 'ci', ...(options.expiresAt !== undefined && { expires_at: options.expiresAt }) };
  const old = pairOf(await call('POST', body));
  // The key of another user, never used.
  await call('POST', { name: 'ci-x7k2pq4d' });
  await call('POST', { name: 'ci' });
  const others = (await listKeys(call)).map(({ key_id: id }) => id).filter((id) => id !== old.keyId);
  expect(others.length).toBe(before.length + 2);

  const directory = temporaryDirectory();
  const settings = settingsIn(directory);
  if (options.profile !== false) {
    await settings.profiles.save({
      name: 'default',
      baseUrl,
      keyId: old.keyId,
      keySecret: new Secret(old.secret),
    });
  }
  const rotations = join(directory, 'rotations');
  const journals = (): readonly string[] =>
    existsSync(rotations) ? readdirSync(rotations).filter((name) => name.endsWith('.json')) : [];
  return {
    directory,
    settings,
    old,
    oldEnv: { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: old.keyId, BOTCTL_KEY_SECRET: old.secret },
    keys: () => listKeys(call),
    async deleteKey(keyId) {
      await call('DELETE', undefined, keyId);
    },
    journals,
    files: () =>
      Object.fromEntries(
        readdirSync(directory, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => [
            join(parentPath, name).slice(directory.length + 1),
            readFileSync(join(parentPath, name), 'utf8'),
          ]),
      ),
    async expectConverged({ keyId, secret }) {
      const keys = await listKeys(call);
      const ids = keys.map(({ key_id: id }) => id);
      expect(ids).toEqual(expect.arrayContaining(others));
      const [key, ...more] = keys.filter(({ key_id: id }) => !others.includes(id));
      expect({ keyId: key?.key_id, more }).toEqual({ keyId, more: [] });
      expect(keyId).not.toBe(old.keyId);
      expect((await signIn(sandbox.baseUrl, { keyId, secret })).status).toBe(200);
      expect(readdirSync(rotations)).toEqual([]);
    },
  };
}

/** Returns the key in a machine's profile `default`. */
export function profilePair({ settings }: Machine): Pair {
  const profile = settings.profiles.get('default');
  return { keyId: profile?.keyId ?? '', secret: profile?.keySecret.reveal() ?? '' };
}

const json = { 'content-type': 'application/json' };

/** Exchanges a key for a token, without botctl. */
export function signIn(baseUrl: string, { keyId, secret }: Pair): Promise<Response> {
  return fetch(`${baseUrl}/api/openapi/auth/token`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ key_id: keyId, key_secret: secret }),
  });
}

type Call = (method: string, body?: unknown, id?: string) => Promise<unknown>;

/** Returns key calls with the account's first key, which return the data of the response. */
async function openAccount({ baseUrl, keyId, keySecret }: UsedSandbox): Promise<Call> {
  const dataOf = async (answer: Response): Promise<unknown> =>
    z.parse(z.object({ data: z.unknown() }), await answer.json()).data;
  const signedIn = await signIn(baseUrl, { keyId, secret: keySecret.reveal() });
  const { access_token: token } = z.parse(z.object({ access_token: z.string() }), await dataOf(signedIn));
  return async (method, body, id) => {
    const answer = await fetch(`${baseUrl}/api/openapi/v1/api-keys${id === undefined ? '' : `/${id}`}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && json) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return dataOf(answer);
  };
}

const listed = z.array(
  z.object({
    key_id: z.string(),
    name: z.string(),
    last_used: z.optional(z.string()),
    expires_at: z.optional(z.string()),
  }),
);

async function listKeys(call: Call): Promise<readonly ListedKey[]> {
  return z.parse(listed, await call('GET'));
}

/** Returns the pair in the response of a key's creation. */
export function pairOf(created: unknown): Pair {
  const { key_id: keyId, key_secret: secret } = z.parse(
    z.object({ key_id: z.string(), key_secret: z.string() }),
    created,
  );
  return { keyId, secret };
}
