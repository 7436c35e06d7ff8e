import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, privateFile } from '../files/private-file.ts';
import { originOf } from './base-url.ts';
import { readIfThere } from './files.ts';

/**
 * Kinds of things whose names are remembered for completion. Devices stand in the device book, profiles in
 * the config file.
 */
export const rememberedNouns = ['team', 'bot', 'document', 'key'] as const;

export type RememberedNoun = (typeof rememberedNouns)[number];

/** A thing with its name. */
export interface NamedThing {
  readonly id: string;
  readonly name: string;
}

/** What an answer of the service told of a thing. */
export interface Sighting {
  readonly noun: RememberedNoun;
  readonly id: string;
  /** Undefined where the thing is gone. */
  readonly name: string | undefined;
}

/** Takes down what one command sees, until it ends. */
export interface NameNotes {
  see(sighting: Sighting): void;
  /** Puts the notes into the cache. */
  save(): void;
}

/**
 * Names that completion offers without asking the service. Nothing else may use them: they are as old as the
 * last command that saw them. Where nothing can be written it remembers nothing.
 */
export interface NameCache {
  /** What was seen at a service, the newest last. */
  list(baseUrl: string, noun: RememberedNoun): readonly NamedThing[];
  /** Begins to take down what is seen at a service. */
  notes(baseUrl: string): NameNotes;
  /** Forgets everything that was seen at a service. */
  forget(baseUrl: string): void;
}

/** Things of a kind that are remembered of one service; older ones make room. */
const mostNames = 1000;

/** Characters of a name; nobody completes to a longer one. */
const longestName = 200;

/** A file for each kind of thing, in a directory for each service: `names/https%3A%2F%2Fapi.example.com/team.json`. */
export function createNameCache(cacheDirectory: string): NameCache {
  const directoryOf = (baseUrl: string): string => directoryIn(cacheDirectory, baseUrl);
  return {
    list: (baseUrl, noun) => rememberedNames(cacheDirectory, baseUrl, noun),
    notes(baseUrl) {
      const seen = new Map<RememberedNoun, Map<string, string | undefined>>();
      return {
        see({ noun, id, name }) {
          const ofNoun = seen.get(noun) ?? new Map<string, string | undefined>();
          seen.set(noun, ofNoun);
          putLast(ofNoun, id, name);
          dropOldest(ofNoun);
        },
        save() {
          for (const [noun, ofNoun] of seen) {
            unlessFailing(() => update(directoryOf(baseUrl), noun, ofNoun));
          }
        },
      };
    },
    forget(baseUrl) {
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

/** What `NameCache.list` gives, without what it takes to write. */
export function rememberedNames(
  cacheDirectory: string,
  baseUrl: string,
  noun: RememberedNoun,
): readonly NamedThing[] {
  const names = read(fileIn(directoryIn(cacheDirectory, baseUrl), noun));
  return [...names].map(([id, name]) => ({ id, name }));
}

function update(
  directory: string,
  noun: RememberedNoun,
  seen: ReadonlyMap<string, string | undefined>,
): void {
  const file = fileIn(directory, noun);
  const names = read(file);
  const before = stored(names);
  for (const [id, name] of seen) {
    if (name === undefined || !isRememberable(id, name)) names.delete(id);
    else putLast(names, id, name);
  }
  dropOldest(names);
  const after = stored(names);
  if (after === before) return;
  makePrivateDirectory(directory);
  replace(file, after);
}

/** Whole or not at all for whoever reads it. It need not survive a power cut, so the disk isn't waited for. */
function replace(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: privateFile, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function stored(names: ReadonlyMap<string, string>): string {
  return `${JSON.stringify([...names])}\n`;
}

/** By id. Empty where there is no such file, or it isn't one that botctl wrote. */
function read(file: string): Map<string, string> {
  const names = new Map<string, string>();
  const value = unlessFailing((): unknown => JSON.parse(readIfThere(file) ?? '[]'));
  for (const entry of Array.isArray(value) ? value : []) {
    const [id, name]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof id === 'string' && typeof name === 'string' && isRememberable(id, name)) names.set(id, name);
  }
  return names;
}

function isRememberable(id: string, name: string): boolean {
  return /^[\w-]{1,64}$/.test(id) && name !== '' && name.length <= longestName;
}

/** A map keeps the order in which its keys came first. */
function putLast<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= mostNames) return;
    map.delete(key);
  }
}

/** The cache only saves typing: where the disk doesn't help, nothing is remembered. */
function unlessFailing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
