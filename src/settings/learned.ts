import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, replaceCacheFile } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { originOf } from './base-url.ts';
import { fileHash, readIfThere, unlessFailing } from './files.ts';

/** Whose service something was learned of. */
export interface LearnedOf {
  readonly baseUrl: string;
  readonly keyId: string;
}

/** What was learned of services, so that a run that ended early can go on. Where nothing can be written it remembers nothing. */
export function createLearned(cacheDirectory: string) {
  const directory = join(cacheDirectory, 'learned');
  const fileOf = ({ baseUrl, keyId }: LearnedOf): string =>
    join(directory, `${fileHash(`${originOf(baseUrl)}\n${new URL(baseUrl).pathname}\n${keyId}`)}.json`);
  return {
    /** Returns what was kept of a service, as it was written; nothing if nothing was, or it can't be read. */
    read(of: LearnedOf): readonly unknown[] {
      const value = parseJson(unlessFailing(() => readIfThere(fileOf(of))) ?? '');
      return isObject(value) && value.base_url === of.baseUrl && Array.isArray(value.findings)
        ? value.findings
        : [];
    },
    write(of: LearnedOf, findings: readonly object[]): void {
      const text = `${JSON.stringify({ base_url: of.baseUrl, findings })}\n`;
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
