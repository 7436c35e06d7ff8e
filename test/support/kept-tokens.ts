import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of botctl's token cache. */
interface TokenFile {
  readonly name: string;
  readonly text: string;
}

type Environment = Readonly<Record<string, string>>;

/** The token files for this process's sandboxes, by address and credential. */
const kept = new Map<string, TokenFile | undefined>();

const members = ['BOTCTL_BASE_URL', 'BOTCTL_KEY_ID', 'BOTCTL_KEY_SECRET'] as const;

function keyOf(env: Environment): string {
  return members.map((member) => env[member] ?? '').join('\n');
}

/**
 * Makes commands with exactly these credentials start with the token of the one before: each has a home of its own, and
 * would sign in again.
 * @param anew discards the token so far, because the sandbox had another time then
 */
export function keepTokens(env: Environment, { anew }: { readonly anew: boolean }): void {
  const key = keyOf(env);
  if (anew || !kept.has(key)) kept.set(key, undefined);
}

/** Writes the cached token for these credentials into a home. */
export function putToken(home: string, env: Environment): void {
  const file = kept.get(keyOf(env));
  if (!file) return;
  const directory = join(home, 'cache', 'tokens');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, file.name), file.text, { mode: 0o600 });
}

/** Caches the token that a command left in its home, if tokens are cached for these credentials. */
export function takeToken(home: string, env: Environment): void {
  const key = keyOf(env);
  if (!kept.has(key)) return;
  const directory = join(home, 'cache', 'tokens');
  const name = list(directory).find((entry) => entry.endsWith('.json'));
  kept.set(key, name === undefined ? undefined : { name, text: readFileSync(join(directory, name), 'utf8') });
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
