import { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { type AskWhich, findResembling } from '../lib/match-name.ts';
import { ValueError } from '../lib/parse.ts';
import { command, placeholder, type RemarkText, remark } from '../lib/text/remark.ts';
import { didYouMean } from '../lib/text/similar.ts';
import { Secret } from '../secrets/secret.ts';
import { checkTransport, originOf, parseBaseUrl } from './base-url.ts';
import { type Profile, sandboxProfileName } from './profile.ts';
import type { ProfileSettings } from './profile-settings.ts';
import { canNameProfile, type Profiles } from './profiles.ts';
import { readSecretFile } from './secret-file.ts';

/** The source of an identity, as shown by `whoami`. */
export type IdentitySource =
  | '--profile'
  | 'environment'
  | 'BOTCTL_PROFILE'
  | 'current profile'
  /** Signing in, not stored yet. */
  | 'login';

type SecretVariable = 'BOTCTL_KEY_SECRET' | 'BOTCTL_KEY_SECRET_FILE';

/** A key and its service, which always come from one source. */
export interface Identity {
  /** Base address without a trailing slash but with its path prefix. */
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  readonly source: IdentitySource;
  /** Name of the profile, if the source is a profile. */
  readonly profile: string | undefined;
  /** The variable that contains the secret, or undefined if a profile does. */
  readonly keySecretFrom?: SecretVariable | undefined;
  /** The source of the base address, or undefined if it is the profile. */
  readonly baseUrlFrom?: BaseUrlOverride['from'] | undefined;
  /** The profile's settings for its service. */
  readonly settings?: ProfileSettings | undefined;
}

/** A base address from an option or a variable, and its source. */
export interface BaseUrlOverride {
  readonly baseUrl: string;
  readonly from: '--base-url' | 'BOTCTL_BASE_URL';
}

/** The command-line options that select the identity. */
export interface IdentityOptions {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly insecureHttp: boolean;
}

/** Without the streams, which are not read. The signal is used because the secret may be in a file that blocks. */
type IdentityIo = Pick<Io, 'env'> & Partial<Pick<Io, 'signal'>>;

/**
 * Returns the identity, in order of precedence: `--profile`, the environment pair, `BOTCTL_PROFILE`, the current
 * profile. Id and secret always come from the same source.
 * @throws Failure `authentication` if not signed in; `invalidInput` for half a pair, an unknown profile, or a base
 *   address that the profile's secret must not be sent to
 */
export async function findIdentity(
  io: IdentityIo,
  globals: IdentityOptions,
  profiles: Profiles,
): Promise<Identity> {
  const { env } = io;
  const keyId = globals.profile === undefined ? keyIdIn(env) : undefined;
  const identity =
    keyId === undefined
      ? fromProfile(select(env, globals, profiles) ?? notSignedIn(profiles), env, globals)
      : await fromEnvironment(keyId, io, globals);
  checkTransport(identity.baseUrl, globals.insecureHttp);
  return identity;
}

/** Returns the key id of the environment pair, or undefined if neither half is set. */
function keyIdIn(env: Io['env']): string | undefined {
  const secretFrom = secretVariable(env);
  const keyId = env.BOTCTL_KEY_ID?.trim();
  if (keyId && !secretFrom) {
    throw new Failure('invalidInput', 'BOTCTL_KEY_ID is set, but BOTCTL_KEY_SECRET is not.', {
      hint: 'Set BOTCTL_KEY_SECRET or BOTCTL_KEY_SECRET_FILE too, or unset BOTCTL_KEY_ID.',
    });
  }
  if (!keyId && secretFrom) {
    throw new Failure('invalidInput', `${secretFrom} is set, but BOTCTL_KEY_ID is not.`, {
      hint: `Set BOTCTL_KEY_ID too, or unset ${secretFrom}.`,
    });
  }
  return keyId || undefined;
}

/** Returns an environment without the API key, for a program that must not use it. */
export function withoutKey(env: Io['env']): Io['env'] {
  const { BOTCTL_KEY_ID: _id, BOTCTL_KEY_SECRET: _secret, BOTCTL_KEY_SECRET_FILE: _file, ...rest } = env;
  return rest;
}

function secretVariable(env: Io['env']): SecretVariable | undefined {
  if (env.BOTCTL_KEY_SECRET?.trim()) return 'BOTCTL_KEY_SECRET';
  return env.BOTCTL_KEY_SECRET_FILE ? 'BOTCTL_KEY_SECRET_FILE' : undefined;
}

async function fromEnvironment(keyId: string, io: IdentityIo, globals: IdentityOptions): Promise<Identity> {
  const { env } = io;
  const given = baseUrlOverride(env, globals);
  if (!given) {
    throw new Failure('invalidInput', 'BOTCTL_KEY_ID is set, but not the address of the service.', {
      hint: 'Set BOTCTL_BASE_URL, or add --base-url.',
    });
  }
  return {
    baseUrl: given.baseUrl,
    keyId,
    keySecret: await secretIn(io),
    source: 'environment',
    profile: undefined,
    keySecretFrom: secretVariable(env),
    baseUrlFrom: given.from,
  };
}

async function secretIn(io: IdentityIo): Promise<Secret> {
  const { env } = io;
  const secret = env.BOTCTL_KEY_SECRET?.trim();
  if (secret && env.BOTCTL_KEY_SECRET_FILE) {
    throw new Failure('invalidInput', 'BOTCTL_KEY_SECRET and BOTCTL_KEY_SECRET_FILE are both set.', {
      hint: 'Unset one of them.',
    });
  }
  if (secret) return new Secret(secret);
  return readSecretFile(env.BOTCTL_KEY_SECRET_FILE ?? '', 'BOTCTL_KEY_SECRET_FILE', io.signal);
}

/**
 * Returns a profile by its exact name, or the similar one that the user selects.
 * @param askWhich undefined if the user can't be asked
 * @throws Failure `invalidInput` with similar names if the profile is missing; and as `askWhich`
 */
export async function findProfile(
  name: string,
  profiles: Profiles,
  askWhich: AskWhich | undefined,
): Promise<Profile> {
  const found = profiles.get(name);
  if (found) return found;
  const names = profiles.list().map((profile) => ({ id: profile.name, name: profile.name }));
  const candidates = findResembling(names, name, (profile) => profile.name);
  const question = { isExact: false, candidates, text: name, noun: 'profile' };
  const chosen = candidates.length > 0 ? await askWhich?.(question) : undefined;
  const meant = chosen && profiles.get(chosen.name);
  if (meant) return meant;
  throw new Failure('invalidInput', `Profile "${name}" not found.`, {
    hint: unknownProfileHint(name, profiles),
  });
}

function unknownProfileHint(name: string, profiles: Profiles): RemarkText {
  const names = profiles.list().map((profile) => profile.name);
  const [meant] = findResembling(names, name, (text) => text);
  if (meant) return didYouMean(meant);
  if (name === sandboxProfileName)
    return remark`A sandbox saves it when it starts: ${command('sandbox', 'start')}`;
  const login = command('login', '--profile', canNameProfile(name) ? name : placeholder('NAME'));
  const it = canNameProfile(name) ? 'it' : 'one';
  return names.length > 0
    ? remark`Profiles: ${names.join(', ')}. To create ${it}, run: ${login}`
    : remark`To create ${it}, run: ${login}`;
}

function notSignedIn(profiles: Profiles): never {
  const names = profiles.list().map((profile) => profile.name);
  const inJobs = 'In a job, set BOTCTL_BASE_URL, BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.';
  throw new Failure('authentication', 'You are not signed in.', {
    hint:
      names.length > 0
        ? remark`Choose a profile with --profile (${names.join(', ')}), or run: ${command('login')}\n${inJobs}`
        : remark`Run: ${command('login')}\n${inJobs}\nTo try botctl without an account, run: ${command('sandbox', 'start')}`,
  });
}

/** Returns the identity of a profile. Its secret is sent to the profile's origin and to no other. */
function fromProfile(
  { profile, source }: SelectedProfile,
  env: Io['env'],
  globals: IdentityOptions,
): Identity {
  const given = baseUrlOverride(env, globals);
  // With a complete environment pair, BOTCTL_BASE_URL belongs to that pair, which was not selected.
  const meant =
    given?.from === 'BOTCTL_BASE_URL' && env.BOTCTL_KEY_ID && secretVariable(env) ? undefined : given;
  if (meant && originOf(meant.baseUrl) !== originOf(profile.baseUrl)) {
    throw new Failure(
      'invalidInput',
      `${meant.from} is ${originOf(meant.baseUrl)}, but the key of profile ${profile.name} is for ${originOf(profile.baseUrl)}.`,
      {
        hint: remark`Sign in there with another profile (${command('login', '--profile', placeholder('NAME'), '--base-url', meant.baseUrl)}), or set BOTCTL_KEY_ID and BOTCTL_KEY_SECRET to a key of that service.`,
      },
    );
  }
  return {
    baseUrl: meant?.baseUrl ?? profile.baseUrl,
    keyId: profile.keyId,
    keySecret: profile.keySecret,
    source,
    profile: profile.name,
    baseUrlFrom: meant?.from,
    settings: profile.settings,
  };
}

/**
 * Returns the profile that `--profile`, `BOTCTL_PROFILE` or the config file selects, regardless of the environment
 * pair. Undefined if none of them selects one.
 * @throws Failure `invalidInput` for an unknown profile
 */
export function selectedProfile(
  env: Io['env'],
  globals: Pick<IdentityOptions, 'profile'>,
  profiles: Profiles,
): Profile | undefined {
  return select(env, globals, profiles)?.profile;
}

/** A profile, and the source that selected it. */
interface SelectedProfile {
  readonly profile: Profile;
  readonly source: IdentitySource;
}

function select(
  env: Io['env'],
  globals: Pick<IdentityOptions, 'profile'>,
  profiles: Profiles,
): SelectedProfile | undefined {
  const source = globals.profile === undefined ? 'BOTCTL_PROFILE' : '--profile';
  const name = globals.profile ?? (env.BOTCTL_PROFILE || undefined);
  const profile = profiles.get(name ?? profiles.current() ?? '');
  if (profile) return { profile, source: name === undefined ? 'current profile' : source };
  if (name === undefined) return undefined;
  throw new Failure('invalidInput', `Profile "${name}" (from ${source}) not found.`, {
    hint: unknownProfileHint(name, profiles),
  });
}

/**
 * Returns the base address from `--base-url`, else from `BOTCTL_BASE_URL`.
 * @throws Failure `invalidInput` if it is not a valid address
 */
export function baseUrlOverride(
  env: Io['env'],
  globals: Pick<IdentityOptions, 'baseUrl'>,
): BaseUrlOverride | undefined {
  const from = globals.baseUrl !== undefined ? '--base-url' : 'BOTCTL_BASE_URL';
  const raw = globals.baseUrl ?? (env.BOTCTL_BASE_URL || undefined);
  if (raw === undefined) return undefined;
  try {
    return { baseUrl: parseBaseUrl(raw), from };
  } catch (error) {
    throw error instanceof ValueError ? new Failure('invalidInput', `${from} ${error.message}.`) : error;
  }
}
