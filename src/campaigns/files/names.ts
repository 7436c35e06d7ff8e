import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { isObject, parseJson } from '../../lib/json-object.ts';
import { originOf } from '../../settings/base-url.ts';
import { unlessFailing } from '../../settings/files.ts';
import { firstLine } from './first-line.ts';

/** The directory of campaigns, below that of botctl's data. */
export const campaignDirectory = 'campaigns';

/** The end of the name of a campaign's file. */
export const campaignExtension = '.ndjson';

/** More than what is frozen of a campaign beside its rows usually takes. */
export const maxHead = 256 * 1024;

/**
 * Returns the paths of the files of all campaigns, of whichever service.
 * @throws Failure `invalidInput` where the directory can't be read
 */
export function campaignPaths(data: string): readonly string[] {
  const directory = join(data, campaignDirectory);
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(campaignExtension));
    return names.map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(directory, error);
  }
}

/** Returns the names of the campaigns of a service, for completion: what can't be read is left out. */
export function campaignNames(data: string, baseUrl: string): readonly string[] {
  const origin = originOf(baseUrl);
  const paths = unlessFailing(() => campaignPaths(data)) ?? [];
  return paths.flatMap((path) => {
    const head = parseJson(unlessFailing(() => firstLine(path, maxHead).line) ?? '');
    return isObject(head) && head.origin === origin && typeof head.name === 'string' ? [head.name] : [];
  });
}
