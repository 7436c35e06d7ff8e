import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { parseJson } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { ignoreErrors, readIfExists } from './small-files.ts';

/** Kinds of objects whose names are cached. Devices are in the device book, and profiles in the config file. */
export const cachedNouns = ['team', 'bot', 'document', 'key'] as const;

export type CachedNoun = (typeof cachedNouns)[number];

/** An object with its name. */
export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** Undefined if the object belongs to no team, or its team is unknown. */
  readonly teamId?: string | undefined;
}

/** An object named in a response of the service. */
export interface NamedResource extends Omit<NamedThing, 'name'> {
  readonly noun: CachedNoun;
  /** Undefined if the object no longer exists. */
  readonly name: string | undefined;
}

/**
 * Names that completion offers without calling the service. They must not be used for anything else, because they are
 * as old as the last command that saw them. If the cache can't be written, nothing is stored.
 */
export type NameCache = ReturnType<typeof createNameCache>;

/** Collects the names that one command sees, until it ends. */
export type NameCacheWriter = ReturnType<NameCache['notes']>;

/** Maximum objects of a kind cached per service; the oldest are evicted. */
const maxNames = 1000;

/** Maximum characters of a name; longer ones are of no use in a completion. */
const maxNameLength = 200;

/**
 * Creates the cache: a file for each kind of object, in a directory for each service:
 * `names/https%3A%2F%2Fapi.example.com/team.json`.
 */
export function createNameCache(cacheDirectory: string) {
  const directoryOf = (baseUrl: string): string =>
    join(cacheDirectory, 'names', encodeURIComponent(originOf(baseUrl)));
  const fileOf = (baseUrl: string, noun: CachedNoun): string => join(directoryOf(baseUrl), `${noun}.json`);
  return {
    /** Returns the names seen at a service, newest last. */
    list: (baseUrl: string, noun: CachedNoun): readonly NamedThing[] => [
      ...read(fileOf(baseUrl, noun)).values(),
    ],
    /** Returns a writer for the names seen at a service. */
    notes(baseUrl: string) {
      const seen = new Map<CachedNoun, Map<string, NamedResource>>();
      return {
        add(resource: NamedResource): void {
          const ofNoun = seen.get(resource.noun) ?? new Map<string, NamedResource>();
          seen.set(resource.noun, putLast(ofNoun, resource));
        },
        /** Writes the added names into the cache. */
        save(): void {
          for (const [noun, ofNoun] of seen) {
            ignoreErrors(() => update(fileOf(baseUrl, noun), ofNoun.values()));
          }
        },
      };
    },
    /** Removes the names seen at a service. */
    forget(baseUrl: string): void {
      ignoreErrors(() => rmSync(directoryOf(baseUrl), { recursive: true, force: true }));
    },
  };
}

function update(file: string, seen: Iterable<NamedResource>): void {
  const names = read(file);
  const before = cacheText(names);
  for (const { id, name, teamId } of seen) {
    if (name !== undefined && isCacheable(id, name)) putLast(names, { id, name, teamId });
    else names.delete(id);
  }
  const after = cacheText(names);
  if (after === before) return;
  makePrivateDirectory(dirname(file));
  writeFileAtomically(file, after, { sync: false });
}

/** Returns the content of a cache file: a list of `[id, name]`, or `[id, name, teamId]`. */
function cacheText(names: ReadonlyMap<string, NamedThing>): string {
  const entries = [...names.values()].map(({ id, name, teamId }) => [id, name, ...(teamId ? [teamId] : [])]);
  return `${JSON.stringify(entries)}\n`;
}

/** Reads the names by id. Returns none if the file is missing or wasn't written by botctl. */
function read(file: string): Map<string, NamedThing> {
  const names = new Map<string, NamedThing>();
  const value = parseJson(ignoreErrors(() => readIfExists(file)) ?? '');
  for (const entry of Array.isArray(value) ? value : []) {
    const [id, name, teamId]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof id !== 'string' || typeof name !== 'string' || !isCacheable(id, name)) continue;
    putLast(names, { id, name, teamId: isCacheableId(teamId) ? teamId : undefined });
  }
  return names;
}

function isCacheable(id: string, name: string): boolean {
  return isCacheableId(id) && name !== '' && name.length <= maxNameLength;
}

/** Returns whether an id can be offered as a completion. An id that starts with a dash would be parsed as an option. */
function isCacheableId(id: unknown): id is string {
  return typeof id === 'string' && /^\w[\w-]{0,63}$/.test(id);
}

/**
 * Moves an object to the end of a map, which iterates in insertion order. If the map is full, evicts the oldest object.
 */
function putLast<T extends { readonly id: string }>(things: Map<string, T>, thing: T): Map<string, T> {
  things.delete(thing.id);
  things.set(thing.id, thing);
  const [oldest] = things.keys();
  if (things.size > maxNames && oldest !== undefined) things.delete(oldest);
  return things;
}
