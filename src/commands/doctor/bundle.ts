import { readdirSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { desksDirectory } from '../../desk/desk-directory.ts';
import { openDesk } from '../../desk/open-desk.ts';
import { Failure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { writeFailure } from '../../lib/files/file-failure.ts';
import { ownMember } from '../../lib/json-object.ts';
import { percentDecode } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/time.ts';
import { version } from '../../lib/version.ts';
import { toJson } from '../../output/json.ts';
import { withoutCode } from '../../resources/devices/device.ts';
import { deviceStatus } from '../../resources/devices/device-status.ts';
import { campaignVariable, deskVariable } from '../../settings/database-name.ts';
import { homeDirectory } from '../../settings/paths.ts';
import type { Profile } from '../../settings/profile.ts';
import { storedSettings } from '../../settings/profile-settings.ts';
import type { Identity } from '../../settings/settings.ts';
import { ignoreErrors } from '../../settings/small-files.ts';
import { orFailure } from './check.ts';

/** Variables whose values are useful and not secret. */
const publicVariables: ReadonlySet<string> = new Set([
  ...['BOTCTL_CONFIG_DIR', 'BOTCTL_NO_INPUT', 'BOTCTL_PROFILE', 'CI', 'COLORTERM', 'FORCE_COLOR', 'LANG'],
  ...['LC_ALL', 'LC_CTYPE', 'NO_COLOR', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'TERM'],
  ...['TERM_PROGRAM', 'WT_SESSION'],
]);

/** Variables that change the behaviour of botctl and may contain secrets. */
const secretVariables = /^(BOTCTL_|NODE_|SSL_CERT)|(^|_)PROXY$/i;

/**
 * Writes a report for the person who helps, readable by this user only: JSON, with the user's home as `~`, key ids in
 * part, and every secret and phone number masked.
 * @param device the facts about the device in question, if there is one
 * @throws Failure `invalidInput` if it can't be written
 */
export async function writeBundle(
  path: string,
  context: Context,
  findings: readonly object[],
  device: object | undefined,
): Promise<void> {
  const { settings, io, options, clock } = context;
  const [identity, profiles, current] = await Promise.all([
    ignoreFailure(() => settings.identity()),
    ignoreFailure(() => settings.profiles.list()).then((list = []) => list),
    ignoreFailure(() => settings.profiles.current()),
  ]);
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
    current_profile: current,
    profiles: profiles.map(({ name, baseUrl, keyId, writtenBy, settings: own = {} }) => ({
      ...{ name, base_url: baseUrl, key_id: keyId, written_by: writtenBy },
      ...storedSettings(own),
    })),
    options: {
      request_timeout: options.requestTimeout,
      retries: options.retries,
      max_rps: options.maxRps,
      ca_file: options.caFile,
      insecure_http: options.insecureHttp,
    },
    environment: environmentForm(io.env),
    paths: settings.paths,
    files: filesIn([settings.paths.config, settings.paths.data, ...deskDirectories(settings.paths.data)]),
    device,
    // Names of devices and bots often contain a number.
    findings: findings.map(maskNumbers),
  };
  const keyIds = [...profiles.map(({ keyId }) => keyId), identity?.keyId, io.env.BOTCTL_KEY_ID];
  const text = keyIds.reduce<string>(
    (masked, keyId = '') => replaceInJson(masked, keyId, partOf(keyId)),
    withoutDatabaseUsers(context.redact(`${toJson(report, true)}\n`), databaseUsers(context, profiles)),
  );
  const home = homeDirectory();
  try {
    writeFileAtomically(path, home.length > 1 ? replaceInJson(text, home, '~') : text);
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** Returns JSON with a text in it replaced. */
function replaceInJson(json: string, text: string, by: string): string {
  return text === '' ? json : json.replaceAll(JSON.stringify(text).slice(1, -1), by);
}

/** Returns the user names in the database addresses of the profiles and the environment. */
function databaseUsers({ io }: Context, profiles: readonly Pick<Profile, 'settings'>[]): readonly string[] {
  const named = profiles.flatMap(({ settings }) => [settings?.database, settings?.deskDatabase]);
  const addresses = [...named, ownMember(io.env, campaignVariable), ownMember(io.env, deskVariable)];
  const users = addresses.map((address) => {
    if (!address || !URL.canParse(address)) return undefined;
    const { username, searchParams } = new URL(address);
    return percentDecode(username) || searchParams.get('user');
  });
  return [...users, ownMember(io.env, 'PGUSER')].flatMap((user) => user || []);
}

/**
 * Returns JSON without the user names of databases: those in addresses, and known ones in quotes, as in PostgreSQL's
 * messages. The history keeps the names of its operators and their database users: these are whole values, not quoted
 * parts of a text.
 */
function withoutDatabaseUsers(json: string, users: readonly string[]): string {
  const masked = json
    .replace(/(\bpostgres(?:ql)?:\/\/)[^\s@/"]+@/gi, '$1…@')
    .replace(/([?&]user=)[^\s&"']+/gi, '$1…');
  return users.reduce((text, user) => replaceInJson(text, `"${user}"`, '\\"…\\"'), masked);
}

/** Returns a part of a key id that is long enough to compare and too short to use. */
function partOf(keyId: string): string {
  return `${keyId.slice(0, Math.min(8, Math.floor(keyId.length / 2)))}…`;
}

async function ignoreFailure<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  const value = await orFailure(read);
  return value instanceof Failure ? undefined : value;
}

/** Returns the relevant variables: with their values if those are not secret, otherwise only that they are set. */
function environmentForm(env: Context['io']['env']): Readonly<Record<string, string>> {
  const names = Object.keys(env).filter((name) => publicVariables.has(name) || secretVariables.test(name));
  return Object.fromEntries(
    names.sort().map((name) => [name, publicVariables.has(name) ? (ownMember(env, name) ?? '') : '(set)']),
  );
}

/**
 * Returns names, modes, sizes and times of files in directories, but never their contents. For a subdirectory, returns
 * only that it exists.
 */
function filesIn(directories: readonly string[]): readonly object[] {
  const namesIn = (directory: string): readonly string[] => ignoreErrors(() => readdirSync(directory)) ?? [];
  const paths = directories.flatMap((one) => [one, ...namesIn(one).map((name) => join(one, name))]);
  return [...new Set(paths)].flatMap((path) => {
    const there = ignoreErrors(() => statSync(path));
    if (!there) return [];
    const mode = (there.mode & 0o7777).toString(8).padStart(4, '0');
    return { path, mode, size: there.size, modified: isoTime(there.mtimeMs) };
  });
}

/** Returns the directories of copies of desks on this machine. */
function deskDirectories(data: string): readonly string[] {
  const desks = desksDirectory(data);
  return (ignoreErrors(() => readdirSync(desks)) ?? []).map((name) => join(desks, name));
}

/** The members of a status in a report: those of the state, the code and the number. */
const statusMembers = [
  ...['status', 'connected', 'logged_in', 'blocked', 'message', 'last_disconnect_reason'],
  ...['last_disconnect_at', 'phone_number', 'qr_code'],
];

/** The number of newest events of a device in a report. */
const maxEvents = 50;

/**
 * Returns the facts about a device for the report: its entry in the device book, its history, and its status with a
 * fingerprint in place of the code. Numbers are masked.
 * @throws Failure as `findDevice`, and without an identity
 */
export async function deviceForm(context: Context, typed: string): Promise<object> {
  const { settings, askWhich } = context;
  const identity = await settings.identity();
  const { devices, history, shared } = openDesk({ ...context, identity });
  const { findDevice } = await import('../../resources/devices/find-device.ts');
  const book = shared ? await orFailure(() => devices.list()) : undefined;
  // A desk that can't be used must not prevent a report about it.
  if (book instanceof Failure) return { typed, problem: book.message };
  const entry = await findDevice(devices, typed, askWhich);
  const events = await orFailure(async () => {
    const booked = (await devices.events()).filter(({ deviceId }) => deviceId === entry.id);
    const all = [...(await history.list(entry.id)), ...booked.map(({ device: _, ...event }) => event)];
    return all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  });
  const form = {
    entry,
    history: events instanceof Failure ? { problem: events.message } : events.slice(-maxEvents),
    status: await statusForm(context, identity, entry.id),
  };
  return maskNumbers(form);
}

async function statusForm(context: Context, identity: Identity, id: string): Promise<object> {
  const api = await context.openApi(identity);
  const reply = await orFailure(() => api.call('getDeviceStatus', { path: { id } })).finally(() =>
    api.close(),
  );
  // The reason why it can't be read belongs in the report.
  if (reply instanceof Failure) return { problem: reply.message };
  const status = await withoutCode(deviceStatus(reply.data));
  return Object.fromEntries(statusMembers.map((member) => [member, ownMember(status, member)]));
}

/** Returns a JSON value with the phone numbers in it masked. A service may send one as a JSON number. */
function maskNumbers(form: object): object {
  return JSON.parse(
    JSON.stringify(form, (_key: string, value: unknown): unknown => {
      if (typeof value !== 'string' && typeof value !== 'number') return value;
      const text = withoutNumbers(String(value));
      return text === String(value) ? value : text;
    }),
  );
}

/** Returns a text with its phone numbers reduced to their first and last digits. */
function withoutNumbers(text: string): string {
  const number =
    /(?<![-\w.])(?!(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d))\+?\d(?:[ ()]*-?\d){7,14}(?![-\w]|[.:]\w)/g;
  return text.replace(number, (found) => `${found.slice(0, 3)}…${found.slice(-2)}`);
}
