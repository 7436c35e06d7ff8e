import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode, Failure, inputFailure } from '../lib/errors.ts';
import { linesOf } from '../lib/files/bytes.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { parseJson } from '../lib/json-object.ts';
import { stripByteOrderMark } from '../lib/text/characters.ts';
import { command, remark } from '../lib/text/remark.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { canonicalForm } from '../phone-numbers/number-forms.ts';
import { readIfExists } from '../settings/small-files.ts';
import { type Campaign, type CampaignRow, type Mark, padCells } from './campaign.ts';
import type { OptOut } from './opt-outs.ts';
import type { QueueKey, SendQueue } from './send-queue.ts';
import { frozenMembers, outcomeMembers, queueMembers, rowSchema, whole } from './stored-schemas.ts';

/** The name of the file of opt-outs of earlier versions. */
export const optOutsName = 'optouts.ndjson';

/**
 * The files in which earlier versions stored campaigns and opt-outs, for the import into the current storage. Nothing here
 * writes. Below the data directory there were
 *
 * - `optouts.ndjson`: a line for each number that was added or removed, of every service;
 * - `campaigns/HASH.ndjson`: a line with what is frozen of a campaign, a line for each row, `{"end": N}` with their number, then
 *   a line for each change of a row, the last of which may be cut short where its process died;
 * - `campaigns/HASH.mark.json`: present if the campaign is paused or cancelled;
 * - `lanes/HASH.json`: the send queue of a device; `lanes/HASH.recent` has what its last messages changed.
 */
export const earlierNames = ['lanes', 'campaigns', optOutsName] as const;

/** Returns the names of the earlier files and directories that a data directory has, of `earlierNames`. */
export function earlierFilesIn(data: string): readonly (typeof earlierNames)[number][] {
  return earlierNames.filter((name) => statsAt(join(data, name)) !== undefined);
}

/** Returns what is at a path, also if it is a link that leads nowhere: the opt-outs behind it are not to be forgotten. */
export function statsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw readFailure(path, error);
  }
}

/**
 * Makes sure that files of earlier versions were imported, also those of other services: one import brings all of them.
 * @throws Failure `invalidInput`, with the command that imports them
 */
export function requireImport(data: string): void {
  if (earlierFilesIn(data).length === 0) return;
  throw new Failure(
    'invalidInput',
    'Campaigns and opt-outs are in files of an earlier version on this machine.',
    { hint: remark`Move them to the current storage: ${command('campaigns', 'migrate')}` },
  );
}

/** An opt-out, and the service it is of. */
export interface EarlierOptOut extends OptOut {
  readonly origin: string;
}

const number = z.string().check(z.regex(/^\d{7,15}$/));

const note = z.catch(z.optional(z.string()), undefined);
const none = z.optional(z.undefined());

const optOutSchema = z.union([
  z.object({ origin: z.string(), number, note, added_at: z.string(), removed_at: none }),
  z.object({ origin: z.string(), number, removed_at: z.string(), added_at: none }),
]);

/**
 * Returns the opt-outs of all services, each in the order in which they were added. Of two ways of writing one number the
 * later one counts.
 * @throws Failure `invalidInput` if a line can't be read: a number would be missing
 */
export function readEarlierOptOuts(data: string): readonly EarlierOptOut[] {
  const path = join(data, optOutsName);
  const known = new Map<string, EarlierOptOut>();
  if (!statsAt(path)) return [];
  for (const [at, line] of [...linesOf(bytesIn(path))].entries()) {
    const text = stripByteOrderMark(line);
    if (text.trim() === '') continue;
    const found = z.safeParse(optOutSchema, parseJson(text)).data;
    if (!found) {
      throw inputFailure(
        [`${path} can't be read: line ${at + 1} is not an opt-out.`],
        'A number may be missing there, so nothing was imported. Repair that line, or restore the file from a backup.',
      );
    }
    const key = JSON.stringify([found.origin, canonicalForm(found.number)]);
    const { added_at } = found;
    if (added_at === undefined) known.delete(key);
    else known.set(key, { origin: found.origin, number: found.number, added_at, note: found.note });
  }
  return [...known.values()];
}

/** Returns the paths of the files of all campaigns. */
export function campaignFilesIn(data: string): readonly string[] {
  return filesIn(join(data, 'campaigns'), '.ndjson');
}

const headSchema = z.strictObject({ version: z.literal(1), ...frozenMembers });
const endSchema = z.strictObject({ end: whole });
const changeSchema = z.strictObject({ row: whole, ...outcomeMembers });
const markSchema = z.object({
  state: z.enum(['paused', 'cancelled']),
  at: z.string(),
  created_at: z.string(),
});

/** A campaign of an earlier version. */
export interface EarlierCampaign {
  readonly path: string;
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** Its rows as they stand, in their order. */
  readonly rows: readonly CampaignRow[];
}

/**
 * Reads the file of a campaign.
 * @throws Failure `invalidInput` if it is damaged
 */
export function readEarlierCampaign(path: string): EarlierCampaign {
  const bytes = bytesIn(path);
  let campaign: Campaign | undefined;
  const damaged = (why: string) => {
    const what = campaign ? `${path}, campaign ${inSentence(campaign.name)},` : path;
    return inputFailure([`${what} can't be read: ${why}.`]);
  };
  const rows: CampaignRow[] = [];
  let isComplete = false;
  let number = 0;
  // The process that wrote a last line without an end died: it happened to nothing.
  for (const text of linesOf(bytes.subarray(0, bytes.lastIndexOf('\n') + 1))) {
    number += 1;
    const value = parseJson(text);
    const fail = () => damaged(`line ${number} is not one of a campaign`);
    if (!campaign) {
      const head = z.safeParse(headSchema, value).data;
      if (!head) throw fail();
      const { version: _, ...frozen } = head;
      campaign = frozen;
    } else if (isComplete) {
      const change = z.safeParse(changeSchema, value).data;
      const row = change && rows[change.row - 1];
      if (!row) throw fail();
      const { state, at, attempts, reason, because } = change;
      rows[change.row - 1] = { ...row, state, at, attempts, reason, because };
    } else {
      const end = z.safeParse(endSchema, value).data?.end;
      if (end !== undefined && end !== rows.length)
        throw damaged(`it has ${rows.length} rows instead of ${end}`);
      isComplete = end !== undefined;
      if (isComplete) continue;
      const row = z.safeParse(rowSchema, value).data;
      if (row?.row !== rows.length + 1) throw fail();
      rows.push(padCells(row, campaign.columns.length));
    }
  }
  if (!campaign || !isComplete) throw damaged(`it ends after ${rows.length} rows, and its end is missing`);
  return { path, campaign, mark: markOf(path, campaign), rows };
}

/** @throws Failure `invalidInput` if it can't be read: a message too many would be sent */
function markOf(campaignFile: string, { created_at }: Campaign): Mark | undefined {
  const path = campaignFile.replace(/\.ndjson$/, '.mark.json');
  const text = readText(path);
  if (text === undefined) return undefined;
  const found = z.safeParse(markSchema, parseJson(text)).data;
  if (!found) {
    throw inputFailure([
      `${path} can't be read: it doesn't say whether the campaign is paused or cancelled.`,
    ]);
  }
  // The mark of an earlier campaign of the name does not count for this one.
  return found.created_at === created_at ? { state: found.state, at: found.at } : undefined;
}

const { campaigns, ...members } = queueMembers;
const messageMembers = { ...members, isBusy: z.boolean() };

const earlierQueueSchema = z.object({
  version: z.literal(1),
  origin: z.string(),
  device: z.string(),
  writes: z._default(whole, 0),
  campaigns,
  ...messageMembers,
});

const recentSchema = z.object({ writes: whole, ...messageMembers });

/** The send queue of a device, in which campaigns are named by the paths of their files. */
export interface EarlierQueue {
  readonly key: QueueKey;
  readonly queue: SendQueue;
  /** Whether a message was on its way. */
  readonly isBusy: boolean;
}

/**
 * Returns the send queues of all devices.
 * @throws Failure `invalidInput` if one can't be read: its device would send too fast
 */
export function readEarlierQueues(data: string): readonly EarlierQueue[] {
  return queueFilesIn(data).map((path) => {
    const found = z.safeParse(earlierQueueSchema, parseJson(readText(path) ?? '')).data;
    if (!found) {
      throw inputFailure(
        [`${path} can't be read: it doesn't say what a device has sent. Nothing was imported.`],
        'Remove it if nothing was sent through that device today.',
      );
    }
    const { version: _version, origin, device, writes, ...stored } = found;
    const recent = z.safeParse(
      recentSchema,
      parseJson(readText(path.replace(/\.json$/, '.recent')) ?? ''),
    ).data;
    // One of other writes is older. A restart of the machine may have cut it short.
    const newest = recent?.writes === writes ? recent : stored;
    const { lastAt, draw, sent, unknowns, rejections, paused, isBusy } = newest;
    const queue = {
      ...{ draw, sent, unknowns, rejections, paused, campaigns: stored.campaigns },
      lastAt: lastAt === undefined ? undefined : Math.floor(lastAt),
    };
    return { key: { origin, device }, queue, isBusy };
  });
}

/** Returns the paths of the files of all send queues. */
export function queueFilesIn(data: string): readonly string[] {
  return filesIn(join(data, 'lanes'), '.json');
}

function filesIn(directory: string, extension: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(extension));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw readFailure(directory, error);
  }
}

function readText(path: string): string | undefined {
  try {
    return readIfExists(path);
  } catch (error) {
    throw readFailure(path, error);
  }
}

/** Reads a file that may be larger than the longest text. */
function bytesIn(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw readFailure(path, error);
  }
}
