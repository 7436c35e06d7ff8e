import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { parseJson } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { ignoreErrors, readIfExists } from './small-files.ts';

/** Kinds of things whose names are cached. The device book has the devices, the config file the profiles. */
export const cachedNouns = ['team', 'bot', 'document', 'key'] as const;

export type CachedNoun = (typeof cachedNouns)[number];

/** A thing with its name. */
export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** Undefined if the thing is in no team, or its team is unknown. */
  readonly teamId?: string | undefined;
}

/** A thing as an answer of the service names it. */
export interface NamedResource extends Omit<NamedThing, 'name'> {
  readonly noun: CachedNoun;
  /** Undefined if the thing is gone. */
  readonly name: string | undefined;
}

/**
 * Names that completion offers without asking the service. Nothing else may use them: they are as old as the
 * last command that saw them. If nothing can be written, it stores nothing.
 */
export type NameCache = ReturnType<typeof createNameCache>;

/** Collects the names that one command sees, until it ends. */
export type NameCacheWriter = ReturnType<NameCache['notes']>;

/** Things of a kind that are stored of one service; the oldest make room. */
const maxNames = 1000;

/** Characters of a name; longer ones are of no use in a completion. */
const maxNameLength = 200;

/** A file for each kind of thing, in a directory for each service: `names/https%3A%2F%2Fapi.example.com/team.json`. */
export function createNameCache(cacheDirectory: string) {
  const directoryOf = (baseUrl: string): string =>
    join(cacheDirectory, 'names', encodeURIComponent(originOf(baseUrl)));
  const fileOf = (baseUrl: string, noun: CachedNoun): string => join(directoryOf(baseUrl), `${noun}.json`);
  return {
    /** The names seen at a service, the newest last. */
    list: (baseUrl: string, noun: CachedNoun): readonly NamedThing[] => [
      ...read(fileOf(baseUrl, noun)).values(),
    ],
    /** Returns a writer for the names that are seen at a service. */
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

/** A list of `[id, name]`, or `[id, name, teamId]`. */
function cacheText(names: ReadonlyMap<string, NamedThing>): string {
  const entries = [...names.values()].map(({ id, name, teamId }) => [id, name, ...(teamId ? [teamId] : [])]);
  return `${JSON.stringify(entries)}\n`;
}

/** Reads the names by id. Returns none if there is no such file, or botctl did not write it. */
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

/** Returns true if an id can be completed to. One that began with a dash would be read as an option. */
function isCacheableId(id: unknown): id is string {
  return typeof id === 'string' && /^\w[\w-]{0,63}$/.test(id);
}

/** Puts a thing last: a map keeps the order in which its keys came first. The oldest makes room. */
function putLast<T extends { readonly id: string }>(things: Map<string, T>, thing: T): Map<string, T> {
  things.delete(thing.id);
  things.set(thing.id, thing);
  const [oldest] = things.keys();
  if (things.size > maxNames && oldest !== undefined) things.delete(oldest);
  return things;
}
