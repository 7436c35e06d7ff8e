import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { isoTime, parseTime } from '../lib/time.ts';
import { version } from '../lib/version.ts';
import { sealText, unsealText } from '../secrets/seal.ts';
import type { Secret } from '../secrets/secret.ts';
import { originOf } from './base-url.ts';
import { fileHash, readIfThere, unlessFailing } from './files.ts';

/** Whose service something is learned of. */
export interface LearnedOf {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
}

/** What a run that ended early was answered. */
export interface Kept {
  /** When the first of it came: milliseconds since 1970. */
  readonly since: number;
  readonly answers: readonly unknown[];
}

/** A service may have changed in a longer time. Milliseconds. */
const longestKeptMs = 86_400_000;

const purpose = 'botctl learned answers';

/**
 * What services answered, so that a run that ended early can go on. Customers' names and texts are in it, so it is
 * legible only with the key, which reads them anyway. Where nothing can be written it remembers nothing.
 */
export function createLearned(cacheDirectory: string) {
  const directory = join(cacheDirectory, 'learned');
  const fileOf = ({ baseUrl, keyId }: LearnedOf): string =>
    join(directory, fileHash(`${originOf(baseUrl)}\n${new URL(baseUrl).pathname}\n${keyId}`));
  return {
    /**
     * Returns what was kept of a service. Undefined if nothing was, it can't be read, another version of botctl kept it,
     * or it is over a day old.
     * @param now milliseconds since 1970
     */
    read(of: LearnedOf, now: number): Kept | undefined {
      const sealed = unlessFailing(() => readIfThere(fileOf(of))) ?? '';
      const value = parseJson(unsealText(sealed, of.keySecret, purpose) ?? '');
      if (!isObject(value) || value.base_url !== of.baseUrl || value.version !== version) return undefined;
      const since = typeof value.since === 'string' ? parseTime(value.since) : undefined;
      if (since === undefined || since > now || now - since > longestKeptMs) return undefined;
      return Array.isArray(value.answers) ? { since, answers: value.answers } : undefined;
    },
    write(of: LearnedOf, { since, answers }: Kept): void {
      const kept = JSON.stringify({ base_url: of.baseUrl, version, since: isoTime(since), answers });
      unlessFailing(() => {
        makePrivateDirectory(directory);
        writeFileAtomically(fileOf(of), sealText(kept, of.keySecret, purpose), { sync: false });
      });
    },
    remove(of: LearnedOf): void {
      unlessFailing(() => rmSync(fileOf(of), { force: true }));
    },
  };
}
