import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { parseJson } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { readIfThere, unlessFailing } from './files.ts';

/**
 * Kinds of things whose names are remembered for completion. Devices stand in the device book, profiles in
 * the config file.
 */
export const rememberedNouns = ['team', 'bot', 'document', 'key'] as const;

export type RememberedNoun = (typeof rememberedNouns)[number];

/** A remembered thing. */
interface Remembered {
  readonly name: string;
  /** Undefined if the thing is in no team, or nobody knows in which. */
  readonly teamId?: string | undefined;
}

/** A thing with its name. */
export interface NamedThing extends Remembered {
  readonly id: string;
}

/** A thing as an answer of the service names it. */
export interface NamedResource {
  readonly noun: RememberedNoun;
  readonly id: string;
  /** Undefined if the thing is gone. */
  readonly name: string | undefined;
  readonly teamId?: string | undefined;
}

/**
 * Names that completion offers without asking the service. Nothing else may use them: they are as old as the
 * last command that saw them. Where nothing can be written it remembers nothing.
 */
export type NameCache = ReturnType<typeof createNameCache>;

/** Collects the names that one command sees, until it ends. */
export type NameCacheWriter = ReturnType<NameCache['notes']>;

/** Things of a kind that are remembered of one service; older ones make room. */
const maxNames = 1000;

/** Characters of a name; nobody completes to a longer one. */
const maxNameLength = 200;

/** A file for each kind of thing, in a directory for each service: `names/https%3A%2F%2Fapi.example.com/team.json`. */
export function createNameCache(cacheDirectory: string) {
  const directoryOf = (baseUrl: string): string => directoryIn(cacheDirectory, baseUrl);
  return {
    /** The names seen at a service, the newest last. */
    list: (baseUrl: string, noun: RememberedNoun) => rememberedNames(cacheDirectory, baseUrl, noun),
    /** Returns a writer for the names that are seen at a service. */
    notes(baseUrl: string) {
      const seen = new Map<RememberedNoun, Map<string, Remembered | undefined>>();
      return {
        add({ noun, id, name, teamId }: NamedResource): void {
          const ofNoun = seen.get(noun) ?? new Map<string, Remembered | undefined>();
          seen.set(noun, ofNoun);
          putLast(ofNoun, id, name === undefined ? undefined : { name, teamId });
          dropOldest(ofNoun);
        },
        /** Writes what was added into the cache. */
        save(): void {
          for (const [noun, ofNoun] of seen) {
            unlessFailing(() => update(directoryOf(baseUrl), noun, ofNoun));
          }
        },
      };
    },
    /** Forgets everything that was seen at a service. */
    forget(baseUrl: string): void {
      unlessFailing(() => rmSync(directoryOf(baseUrl), { recursive: true, force: true }));
    },
  };
}

function directoryIn(cacheDirectory: string, baseUrl: string): string {
  return join(cacheDirectory, 'names', encodeURIComponent(originOf(baseUrl)));
}

function fileIn(directory: string, noun: RememberedNoun): string {
  return join(directory, `${noun}.json`);
}

/** `NameCache.list` without the code that writes, for completion. */
export function rememberedNames(
  cacheDirectory: string,
  baseUrl: string,
  noun: RememberedNoun,
): readonly NamedThing[] {
  const names = read(fileIn(directoryIn(cacheDirectory, baseUrl), noun));
  return [...names].map(([id, remembered]) => ({ id, ...remembered }));
}

function update(
  directory: string,
  noun: RememberedNoun,
  seen: ReadonlyMap<string, Remembered | undefined>,
): void {
  const file = fileIn(directory, noun);
  const names = read(file);
  const before = stored(names);
  for (const [id, remembered] of seen) {
    if (remembered === undefined || !isRememberable(id, remembered.name)) names.delete(id);
    else putLast(names, id, remembered);
  }
  dropOldest(names);
  const after = stored(names);
  if (after === before) return;
  makePrivateDirectory(directory);
  writeFileAtomically(file, after, { sync: false });
}

/** A list of `[id, name]`, or `[id, name, teamId]`. */
function stored(names: ReadonlyMap<string, Remembered>): string {
  const entries = [...names].map(([id, { name, teamId }]) => [id, name, ...(teamId ? [teamId] : [])]);
  return `${JSON.stringify(entries)}\n`;
}

/** By id. Empty where there is no such file, or it isn't one that botctl wrote. */
function read(file: string): Map<string, Remembered> {
  const names = new Map<string, Remembered>();
  const value = parseJson(unlessFailing(() => readIfThere(file)) ?? '');
  for (const entry of Array.isArray(value) ? value : []) {
    const [id, name, teamId]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof id !== 'string' || typeof name !== 'string' || !isRememberable(id, name)) continue;
    names.set(id, { name, teamId: isRememberableId(teamId) ? teamId : undefined });
  }
  return names;
}

function isRememberable(id: string, name: string): boolean {
  return isRememberableId(id) && name !== '' && name.length <= maxNameLength;
}

/** Returns true if an id can be completed to. One that began with a dash would be read as an option. */
function isRememberableId(id: unknown): id is string {
  return typeof id === 'string' && /^\w[\w-]{0,63}$/.test(id);
}

/** A map keeps the order in which its keys came first. */
function putLast<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= maxNames) return;
    map.delete(key);
  }
}
