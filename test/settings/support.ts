import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, type FailureKind } from '../../src/lib/errors.ts';
import { Secret } from '../../src/secrets/secret.ts';
import type { Profile } from '../../src/settings/profile.ts';
import { createSettings, type Settings } from '../../src/settings/settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export { temporaryDirectory };

/** Returns a path that nobody can write, not even root, because it leads through a regular file. */
export function unwritableDirectory(): string {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  return join(file, 'below', 'botctl');
}

/** Returns the permission bits of a file or directory. */
export function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Returns the settings in a directory, with an environment and options. */
export function settingsIn(
  directory: string,
  env: Readonly<Record<string, string>> = {},
  options: { readonly profile?: string; readonly baseUrl?: string; readonly insecureHttp?: boolean } = {},
): Settings {
  return createSettings(
    { env: { BOTCTL_CONFIG_DIR: directory, ...env } },
    { profile: options.profile, baseUrl: options.baseUrl, insecureHttp: options.insecureHttp ?? false },
  );
}

/** Returns a profile whose members are derived from its name. */
export function profileNamed(name: string, rest: Partial<Profile> = {}): Profile {
  return {
    name,
    baseUrl: `https://${name}.example.com`,
    keyId: `key-of-${name}`,
    keySecret: new Secret(`secret-of-${name}`),
    ...rest,
  };
}

/** Returns the failure of a call. */
export async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

/** Returns the kind of a failure, and its message and hint as one text. */
export function wordsOf(failure: Failure): { readonly kind: FailureKind; readonly words: string } {
  return { kind: failure.kind, words: `${failure.message} ${failure.hint ?? ''}` };
}
