import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, replaceCacheFile } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { isoTime, parseTime } from '../lib/time.ts';
import { version } from '../lib/version.ts';
import { originOf } from './base-url.ts';
import { fileHash, readIfThere, unlessFailing } from './files.ts';

/** Whose service something was learned of. */
export interface LearnedOf {
  readonly baseUrl: string;
  readonly keyId: string;
}

/** What a run that ended early found. */
export interface Kept {
  /** When the first of it was found: milliseconds since 1970. */
  readonly since: number;
  readonly findings: readonly unknown[];
}

/** A service may have changed in a longer time. Milliseconds. */
const longestKeptMs = 86_400_000;

/** What was learned of services, so that a run that ended early can go on. Where nothing can be written it remembers nothing. */
export function createLearned(cacheDirectory: string) {
  const directory = join(cacheDirectory, 'learned');
  const fileOf = ({ baseUrl, keyId }: LearnedOf): string =>
    join(directory, `${fileHash(`${originOf(baseUrl)}\n${new URL(baseUrl).pathname}\n${keyId}`)}.json`);
  return {
    /**
     * Returns what was kept of a service. Undefined if nothing was, it can't be read, another version of botctl kept it,
     * or it is over a day old.
     * @param now milliseconds since 1970
     */
    read(of: LearnedOf, now: number): Kept | undefined {
      const value = parseJson(unlessFailing(() => readIfThere(fileOf(of))) ?? '');
      if (!isObject(value) || value.base_url !== of.baseUrl || value.version !== version) return undefined;
      const since = typeof value.since === 'string' ? parseTime(value.since) : undefined;
      if (since === undefined || since > now || now - since > longestKeptMs) return undefined;
      return Array.isArray(value.findings) ? { since, findings: value.findings } : undefined;
    },
    write(of: LearnedOf, { since, findings }: Kept): void {
      const kept = { base_url: of.baseUrl, version, since: isoTime(since), findings };
      const text = `${JSON.stringify(kept)}\n`;
      unlessFailing(() => {
        makePrivateDirectory(directory);
        replaceCacheFile(fileOf(of), text);
      });
    },
    remove(of: LearnedOf): void {
      unlessFailing(() => rmSync(fileOf(of), { force: true }));
    },
  };
}
