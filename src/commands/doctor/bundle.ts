import { type Dirent, readdirSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { basename, join } from 'node:path';
import type { Confirmation } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import { own } from '../../lib/json-object.ts';
import { ValueError } from '../../lib/parse.ts';
import { remarkText } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { version } from '../../lib/version.ts';
import { toJson } from '../../output/json.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import { homeDirectory } from '../../settings/paths.ts';
import type { Profile } from '../../settings/profile.ts';
import { storedSettings } from '../../settings/profile-settings.ts';
import type { Finding } from './check.ts';

/** Variables whose values hold no secret and say much. */
const harmless = new Set([
  ...['BOTCTL_CONFIG_DIR', 'BOTCTL_NO_INPUT', 'BOTCTL_PROFILE', 'CI', 'COLORTERM', 'FORCE_COLOR', 'LANG'],
  ...['LC_ALL', 'LC_CTYPE', 'NO_COLOR', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'TERM'],
  ...['TERM_PROGRAM', 'WT_SESSION'],
]);

/** Variables that change what botctl does. */
const telling = /^(BOTCTL_|NODE_|SSL_CERT|LC_ALL$|LC_CTYPE$|LANG$)|(^|_)PROXY$/i;

/**
 * Checks that a bundle can be written to a file. Returns what to ask before another file is replaced.
 * @throws Failure `usage` where it can't
 */
export function bundleConfirmation(path: string): Confirmation | undefined {
  return replacesFile(path)
    ? { level: 'yes', statement: `${path} exists.`, question: 'Replace it with the report?' }
    : undefined;
}

/**
 * Writes a report for the person who helps, readable by this user only and without secrets.
 * @throws Failure `usage` where it can't be written
 */
export async function writeBundle(
  path: string,
  context: Context,
  findings: readonly Finding[],
): Promise<void> {
  const text = await bundleText(context, findings);
  try {
    writeFileAtomically(path, text);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The report: JSON, with the user's home as `~`, key ids in part, and every secret masked. */
async function bundleText(context: Context, findings: readonly Finding[]): Promise<string> {
  const { settings, io, options, clock } = context;
  const profiles = (await unlessRefused(() => settings.profiles.list())) ?? [];
  const identity = await unlessRefused(() => settings.identity());
  const report = {
    botctl: version,
    written_at: isoTime(clock.now()),
    node: process.versions.node,
    openssl: process.versions.openssl,
    platform: `${process.platform} ${process.arch} ${release()}`,
    identity: identity && {
      source: identity.source,
      profile: identity.profile,
      base_url: identity.baseUrl,
      key_id: identity.keyId,
    },
    current_profile: await unlessRefused(() => settings.profiles.current()),
    profiles: profiles.map(profileForm),
    options: {
      request_timeout: options.requestTimeout,
      retries: options.retries,
      max_rps: options.maxRps,
      ca_file: options.caFile,
      insecure_http: options.insecureHttp,
    },
    environment: environmentForm(io.env),
    paths: settings.paths,
    files: filesBelow([...new Set(Object.values(settings.paths))]),
    findings: findings.map(({ check, verdict, found, remedy, kind }) => ({
      check,
      verdict,
      found,
      remedy: remedy === undefined ? undefined : remarkText(remedy, options),
      kind,
    })),
  };
  const text = context.redact(`${toJson(report, true)}\n`);
  const keyIds = [...profiles.map(({ keyId }) => keyId), identity?.keyId, io.env.BOTCTL_KEY_ID];
  return withoutHome(keyIds.reduce<string>((shown, keyId) => partly(shown, keyId), text));
}

async function unlessRefused<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}

function profileForm({ name, baseUrl, keyId, writtenBy, settings = {} }: Profile): object {
  return { name, base_url: baseUrl, key_id: keyId, written_by: writtenBy, ...storedSettings(settings) };
}

/** The variables that matter: the values of those that hold no secret, and of the others that they are set. */
function environmentForm(env: Context['io']['env']): Readonly<Record<string, string>> {
  const names = Object.keys(env).filter((name) => harmless.has(name) || telling.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, shownValue(name, own(env, name) ?? '')]));
}

function shownValue(name: string, value: string): string {
  if (harmless.has(name)) return value;
  if (name !== 'BOTCTL_BASE_URL') return '(set)';
  try {
    return parseBaseUrl(value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return '(set, and no address)';
  }
}

/** Files that are listed at most. */
const maxFiles = 200;

/** Names, modes, sizes and times of what is below directories; never what is in it. */
function filesBelow(directories: readonly string[]): readonly object[] {
  const files = new Map<string, object>();
  const waiting = directories.map((path) => ({ path, isDirectory: true }));
  for (let next = waiting.shift(); next && files.size < maxFiles; next = waiting.shift()) {
    const { path, isDirectory } = next;
    const form = files.has(path) ? undefined : fileForm(path);
    if (!form) continue;
    files.set(path, form);
    // The database of a sandbox of an earlier version has hundreds of files that say nothing.
    if (isDirectory && basename(path) !== 'database') waiting.push(...entriesOf(path));
  }
  return [...files.values()];
}

function fileForm(path: string): object | undefined {
  try {
    const { mode, size, mtimeMs } = statSync(path);
    return { path, mode: (mode & 0o7777).toString(8).padStart(4, '0'), size, modified: isoTime(mtimeMs) };
  } catch {
    return undefined;
  }
}

function entriesOf(path: string): { path: string; isDirectory: boolean }[] {
  try {
    const entries: Dirent[] = readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({ path: join(path, entry.name), isDirectory: entry.isDirectory() }));
  } catch {
    return [];
  }
}

/** A key id in part: enough to tell it from others, too little to use. */
function partly(text: string, keyId: string | undefined): string {
  if (!keyId) return text;
  const start = keyId.slice(0, Math.min(8, Math.floor(keyId.length / 2)));
  return text.replaceAll(JSON.stringify(keyId).slice(1, -1), `${start}…`);
}

function withoutHome(text: string): string {
  const home = JSON.stringify(homeDirectory()).slice(1, -1);
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}
