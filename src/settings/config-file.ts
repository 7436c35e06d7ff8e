import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, Failure, messageOf } from '../lib/errors.ts';
import { guardDepth } from '../lib/exact-json.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { type HeldLock, heldLockFailure, withLock } from '../lib/files/lock.ts';
import { makePrivateDirectory, privateFile } from '../lib/files/private-file.ts';
import { isObject, type JsonObject, ownMember, parseJson } from '../lib/json-object.ts';
import { ValueError } from '../lib/parse.ts';
import { shellWord } from '../lib/text/quote.ts';
import { command, remark } from '../lib/text/remark.ts';
import { Secret } from '../secrets/secret.ts';
import { parseBaseUrl } from './base-url.ts';
import type { Profile } from './profile.ts';
import { parseProfileSettings } from './profile-settings.ts';
import { readIfExists } from './small-files.ts';

/** The parsed config file. */
export interface Config {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The content of the file, so that a write preserves members that this version does not know. */
  readonly raw: JsonObject;
}

/** Name of the config file in the config directory. */
const fileName = 'config.json';

/**
 * Reads the config file, without the library that writes it: loading that library takes longer than most commands.
 * @throws Failure `invalidInput` that names the file if it can't be read or is not in botctl's format
 */
export function readConfig(directory: string): Config {
  const file = join(directory, fileName);
  return configIn(file, readText(file));
}

/** Parses the text of the config file; returns an empty config if there is no file. */
function configIn(file: string, text: string | undefined): Config {
  if (text === undefined) return { current: undefined, profiles: new Map(), raw: {} };
  try {
    return parseConfig(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ValueError)) throw error;
    const why = error instanceof ValueError ? error.message : 'is not valid JSON';
    throw corruptFailure(file, text, why);
  }
}

/** Milliseconds to wait while another process writes the file; writing takes a few. */
const lockTimeoutMs = 10_000;

/**
 * Changes the config file atomically. Only its owner may read it. conf writes the new text to a temporary file; the
 * config file is replaced only by a text that was read back complete.
 * @throws Failure `invalidInput` if it can't be written, and the signal's reason while another process writes it
 */
export async function updateConfig(
  directory: string,
  change: (config: Config) => JsonObject,
  signal: AbortSignal | undefined,
): Promise<void> {
  const Conf = await loadConf();
  const use = {
    timeout: lockTimeoutMs,
    signal,
    onHeld: (held: HeldLock) => {
      signal?.throwIfAborted();
      const busy = `The config file in ${directory} is being written`;
      throw heldLockFailure(held, { busy, hint: 'Try again when that process has finished.' });
    },
  };
  try {
    makePrivateDirectory(directory);
    await withLock(join(directory, 'config.lock'), use, (check) => {
      const file = realPathOf(join(directory, fileName));
      const text = readText(file);
      const config = configIn(file, text);
      const next = guardDepth(
        () => changedText(Conf, file, text, (raw) => change({ ...config, raw })),
        (cause) =>
          new Failure('invalidInput', `Config file ${file} can't be written: it is nested too deeply.`, {
            hint: 'Remove the deeply nested member by hand. botctl itself uses only a few levels.',
            cause,
          }),
      );
      writeFileAtomically(file, next, { check });
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new Failure('invalidInput', `The config file can't be written: ${messageOf(error)}.`, {
      hint: 'Set BOTCTL_CONFIG_DIR to a writable directory, or set BOTCTL_BASE_URL, BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.',
      cause: error,
    });
  }
}

/**
 * Imports conf, which looks up the home directory at import although botctl passes a directory. Node throws if HOME
 * isn't set and the password file has no entry for the user, so HOME is set meanwhile.
 */
async function loadConf(): Promise<typeof import('conf').default> {
  const { HOME } = process.env;
  try {
    homedir();
  } catch {
    process.env.HOME = sep;
  }
  try {
    return (await import('conf')).default;
  } finally {
    if (HOME === undefined) delete process.env.HOME;
    else process.env.HOME = HOME;
  }
}

/**
 * Returns the new text of the config file. conf reads, changes and writes a copy of the file in a private temporary
 * directory beside it, which also contains the temporary files of conf. conf reports no error if a full disk truncates
 * a file, so the text is read back and compared.
 * @param text of the file; undefined if there is none
 * @throws the file system's error, and an error with a code if the file was truncated
 */
function changedText(
  Conf: typeof import('conf').default,
  file: string,
  text: string | undefined,
  change: (raw: JsonObject) => JsonObject,
): string {
  const serialize = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const directory = mkdtempSync(join(dirname(file), `.${fileName}.`));
  try {
    if (text !== undefined) writeFileSync(join(directory, fileName), text, { mode: privateFile });
    const conf = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: fileName,
      fileExtension: '',
      configFileMode: privateFile,
      serialize,
    });
    const next = { ...change(conf.store) };
    conf.store = next;
    const written = readFileSync(conf.path, 'utf8');
    if (!isDeepStrictEqual(parseJson(written), JSON.parse(serialize(next))))
      throw Object.assign(new Error('the disk takes only a part of it'), { code: 'ENOSPC' });
    return written;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the real path of a file that may be a symbolic link, so that the link is preserved. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

function readText(file: string): string | undefined {
  try {
    return readIfExists(file);
  } catch (error) {
    throw new Failure('invalidInput', `Config file ${file} can't be read: ${messageOf(error)}.`, {
      hint: 'Correct its permissions, or set BOTCTL_CONFIG_DIR to another directory.',
      cause: error,
    });
  }
}

/**
 * Parses the JSON of the config file.
 * @throws ValueError whose message completes "The config file …"
 */
function parseConfig(value: unknown): Config {
  const raw = objectAt(value, 'the top level');
  const profiles = new Map<string, Profile>();
  for (const [name, member] of Object.entries(objectAt(raw.profiles ?? {}, 'profiles'))) {
    profiles.set(name, parseProfile(name, member));
  }
  const current = raw.current_profile;
  if (current !== undefined && typeof current !== 'string')
    throw new ValueError('must have text in current_profile');
  return { current, profiles, raw };
}

function parseProfile(name: string, value: unknown): Profile {
  const label = `profiles.${name}`;
  const raw = objectAt(value, label);
  const text = (member: string): string => {
    const found = ownMember(raw, member);
    if (typeof found !== 'string' || found === '')
      throw new ValueError(`must have text in ${label}.${member}`);
    return found;
  };
  return {
    name,
    baseUrl: baseUrlAt(`${label}.base_url`, text('base_url')),
    keyId: text('key_id'),
    keySecret: new Secret(text('key_secret')),
    writtenBy: raw.written_by === 'sandbox' ? 'sandbox' : undefined,
    sandboxData: typeof raw.sandbox_data === 'string' ? raw.sandbox_data : undefined,
    onlyHere: raw.only_here === true || undefined,
    settings: parseProfileSettings(raw, label),
  };
}

function baseUrlAt(label: string, value: string): string {
  try {
    return parseBaseUrl(value);
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(`is invalid: ${label} ${error.message}`) : error;
  }
}

function objectAt(value: unknown, label: string): JsonObject {
  if (isObject(value)) return value;
  throw new ValueError(`must have an object in ${label}`);
}

function corruptFailure(file: string, text: string, why: string): Failure {
  const copy = keepCopy(file, text);
  const kept = copy ? ` A copy was saved as ${copy}.` : '';
  return new Failure('invalidInput', `Config file ${file} ${why}.${kept}`, {
    hint: remark`Correct it by hand, or delete it and sign in again: rm ${shellWord(file)} && ${command('login')}`,
  });
}

/**
 * Copies a damaged file, named by a hash of its content, so that running botctl again makes no second copy. Returns
 * undefined if it can't be written.
 */
function keepCopy(file: string, text: string): string | undefined {
  const copy = `${file}.corrupt-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  try {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    chmodSync(copy, privateFile);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return undefined;
  }
  return copy;
}
