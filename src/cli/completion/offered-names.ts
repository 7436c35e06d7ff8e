import { join } from 'node:path';
import { campaignNames } from '../../campaigns/store/file.ts';
import { devicesInFile } from '../../desk/device-book.ts';
import type { Io } from '../../lib/io.ts';
import { isObject, type JsonObject, ownMember } from '../../lib/json-object.ts';
import { cachedNouns, createNameCache, type NamedThing } from '../../settings/completion-cache.ts';
import { findPaths, type Paths } from '../../settings/paths.ts';
import { readIfExists } from '../../settings/small-files.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import type { Line } from '../argv.ts';
import type { Noun } from '../options.ts';

type Env = Io['env'];

/** The minimum length of a word for which ids are completed too. */
const minIdPrefixLength = 3;

/** A word for the command line, with its description. */
export interface Offer {
  readonly text: string;
  readonly note: string;
}

/** The part of a line before the word to complete. */
type TypedLine = Pick<Line, 'argv' | 'values'>;

/**
 * Returns the names and ids of a kind of object from the completion cache. The service is never called.
 * @param word the word to complete
 */
export function offeredNames(noun: Noun, word: string, line: TypedLine, env: Env): readonly Offer[] {
  const paths = findPaths(env);
  const config = readConfig(paths);
  if (noun === 'profile') return profileOffers(config);
  const baseUrl = baseUrlOf(line, config, env);
  return baseUrl === undefined ? [] : offersOf(things(noun, line, baseUrl, paths), word);
}

/**
 * Returns the names and, if the word begins like one, ids. The id replaces a name that can't be typed as it is
 * displayed, or that a shell or botctl would interpret.
 */
function offersOf(things: readonly NamedThing[], word: string): readonly Offer[] {
  const start = word.length >= minIdPrefixLength ? word.toLowerCase() : undefined;
  const offers = new Map<string, string>();
  for (const { id, name } of things) {
    const text = [name, id].find(isTypeable);
    if (text === undefined) continue;
    offers.set(text, offers.has(text) ? 'several have this name' : text === name ? id : sanitise(name));
    if (start !== undefined && isTypeable(id) && id.toLowerCase().startsWith(start))
      offers.set(id, sanitise(name));
  }
  return [...offers].map(([text, note]) => ({ text, note }));
}

/** A leading dash begins an option, and fish inserts a leading tilde unquoted, for a home directory. */
function isTypeable(text: string): boolean {
  return text !== '' && text === sanitise(text) && !/^[-~]/.test(text);
}

function things(noun: Noun, { values }: TypedLine, baseUrl: string, paths: Paths): readonly NamedThing[] {
  if (noun === 'device') {
    return devicesInFile(paths.data, baseUrl)
      .filter(({ id }) => /^[\w-]+$/.test(id))
      .map(({ id, name = '' }) => ({ id, name }));
  }
  if (noun === 'campaign') return campaignNames(paths.data, baseUrl).map((name) => ({ id: name, name }));
  const remembered = cachedNouns.find((candidate) => candidate === noun);
  if (!remembered) return [];
  const names = createNameCache(paths.cache);
  const all = names.list(baseUrl, remembered);
  const { team } = values;
  if (typeof team !== 'string' || remembered === 'team') return all;
  return inTeam(all, team, names.list(baseUrl, 'team'));
}

/** Returns the names in a team that is given by name or id; all names if the team is unknown. */
function inTeam(
  all: readonly NamedThing[],
  typed: string,
  teams: readonly NamedThing[],
): readonly NamedThing[] {
  const wanted = typed.toLowerCase();
  const named = teams.filter(({ name }) => name.toLowerCase() === wanted).map(({ id }) => id);
  const ids = new Set([...named, ...all.flatMap(({ teamId }) => teamId ?? []).filter((id) => id === wanted)]);
  return ids.size === 0 ? all : all.filter(({ teamId }) => teamId === undefined || ids.has(teamId));
}

/** Reads the config file as far as possible; other commands report its problems. */
function readConfig({ config }: Paths): JsonObject {
  const value: unknown = JSON.parse(readIfExists(join(config, 'config.json')) ?? '{}');
  return isObject(value) ? value : {};
}

function profileOffers({ profiles }: JsonObject): readonly Offer[] {
  return Object.entries(isObject(profiles) ? profiles : {})
    .filter(([name]) => /^\w[\w.-]*$/.test(name))
    .map(([name, profile]) => ({ text: name, note: sanitise(baseUrlIn(profile) ?? '') }));
}

/** Returns the base URL for the line, chosen as `findIdentity` does, without checking that it may be used. */
function baseUrlOf({ argv }: TypedLine, config: JsonObject, env: Env): string | undefined {
  if (argv.baseUrl !== undefined) return argv.baseUrl;
  const chosen = argv.profile;
  if (chosen === undefined && env.BOTCTL_KEY_ID) return env.BOTCTL_BASE_URL;
  const name = chosen ?? (env.BOTCTL_PROFILE || config.current_profile);
  const { profiles } = config;
  return typeof name === 'string' && isObject(profiles) ? baseUrlIn(ownMember(profiles, name)) : undefined;
}

function baseUrlIn(profile: unknown): string | undefined {
  return isObject(profile) && typeof profile.base_url === 'string' ? profile.base_url : undefined;
}
