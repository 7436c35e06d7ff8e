import { rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { inputFailure } from '../../lib/errors.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import { replacePrivateFile } from '../../lib/files/private-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { remark } from '../../lib/text/remark.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { readIfThere } from '../../settings/files.ts';
import type { Campaign, Mark } from '../campaign.ts';
import { campaignExtension } from './names.ts';

const schema = z.strictObject({
  version: z.literal(1),
  state: z.enum(['paused', 'cancelled']),
  at: z.string(),
  created_at: z.string(),
});

/** Returns the path of the file that says that a campaign is paused or cancelled. It stands beside the campaign's. */
export function markFileOf(campaignPath: string): string {
  return `${campaignPath.slice(0, -campaignExtension.length)}.mark.json`;
}

/**
 * Returns whether a campaign is paused or cancelled; undefined if it is neither.
 * @throws Failure `invalidInput` where that can't be read: a message too many would be sent
 */
export function readMark(
  campaignPath: string,
  { created_at }: Pick<Campaign, 'created_at'>,
): Mark | undefined {
  const path = markFileOf(campaignPath);
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (text === undefined) return undefined;
  const { success, data } = z.safeParse(schema, parseJson(text));
  // That of an earlier campaign of the name says nothing of this one.
  if (success) return data.created_at === created_at ? { state: data.state, at: data.at } : undefined;
  throw inputFailure(
    [`${path} can't be read: it doesn't say that a campaign is paused or cancelled.`],
    remark`Remove it if the campaign is to go on: rm ${shellWord(path)}`,
  );
}

/**
 * Pauses or cancels a campaign, or lets it go on where there is no mark.
 * @throws Failure `invalidInput` where that can't be written
 */
export function writeMark(
  campaignPath: string,
  { created_at }: Pick<Campaign, 'created_at'>,
  mark: Mark | undefined,
): void {
  const path = markFileOf(campaignPath);
  try {
    if (mark) replacePrivateFile(path, `${JSON.stringify({ version: 1, ...mark, created_at })}\n`);
    else rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}
