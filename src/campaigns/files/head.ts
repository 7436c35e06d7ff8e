import * as z from 'zod/mini';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { parseJson } from '../../lib/json-object.ts';
import type { Campaign } from '../campaign.ts';
import { firstLine } from './first-line.ts';

/** What tells a campaign from others, and whose it is. */
export type CampaignHead = Pick<Campaign, 'name' | 'origin' | 'created_at' | 'made_on'>;

const schema = z.looseObject({
  version: z.literal(1),
  name: z.string(),
  origin: z.string(),
  created_at: z.string(),
  made_on: z.looseObject({ host: z.string(), pid_namespace: z.optional(z.string()) }),
});

/**
 * Reads the beginning of a campaign's file alone: there may be many rows. Returns undefined if there is no file, or its first
 * line is none that this botctl knows.
 * @throws Failure `invalidInput` where it can't be read
 */
export function readHead(path: string): CampaignHead | undefined {
  try {
    return z.safeParse(schema, parseJson(firstLine(path).line)).data;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unreadable(path, error);
  }
}
