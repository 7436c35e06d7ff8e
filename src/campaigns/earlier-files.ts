import { closeSync, lstatSync, readdirSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode, Failure, inputFailure } from '../lib/errors.ts';
import { unreadable } from '../lib/files/file-failure.ts';
import { openAtOnce } from '../lib/files/read-file.ts';
import { parseJson } from '../lib/json-object.ts';
import { withoutMark } from '../lib/text/characters.ts';
import { command, remark } from '../lib/text/remark.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { oneForm } from '../phone-numbers/number-forms.ts';
import { readIfThere } from '../settings/small-files.ts';
import { type Campaign, type CampaignRow, type Mark, padded } from './campaign.ts';
import type { OptOut } from './opt-outs.ts';
import type { Lane, LaneKey } from './send-queue.ts';
import { frozenMembers, laneMembers, outcomeMembers, rowSchema, whole } from './stored-schemas.ts';

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
    throw unreadable(path, error);
  }
}

/**
 * Returns whether the earlier files have data of a service. Without earlier files that takes three calls of the file system.
 * A line that can't be read counts as its data.
 * @param origin scheme, host and port of the service
 */
export function hasEarlierData(data: string, origin: string): boolean {
  const isOfIt = (text: string): boolean => {
    const said = z.safeParse(z.object({ origin: z.string() }), parseJson(text)).data;
    return said === undefined || said.origin === origin;
  };
  const found = earlierFilesIn(data);
  const firstLines = function* (): Generator<string, void> {
    for (const path of [...laneFilesIn(data), ...campaignFilesIn(data)])
      for (const { text } of linesIn(path)) {
        yield text;
        break;
      }
    if (found.includes(optOutsName)) for (const { text } of linesIn(join(data, optOutsName))) yield text;
  };
  if (found.length === 0) return false;
  for (const text of firstLines()) if (text.trim() !== '' && isOfIt(text)) return true;
  return false;
}

/**
 * Makes sure that the data of a service was imported from the files of earlier versions.
 * @throws Failure `invalidInput`, with the command that imports it
 */
export function requireImport(data: string, origin: string): void {
  if (!hasEarlierData(data, origin)) return;
  throw new Failure(
    'invalidInput',
    'Campaigns and opt-outs of this service are in files of an earlier version on this machine.',
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
export function earlierOptOuts(data: string): readonly EarlierOptOut[] {
  const path = join(data, optOutsName);
  const known = new Map<string, EarlierOptOut>();
  if (!statsAt(path)) return [];
  for (const line of linesIn(path)) {
    if (line.text.trim() === '') continue;
    const found = z.safeParse(optOutSchema, parseJson(line.text)).data;
    if (!found) {
      throw inputFailure(
        [`${path} can't be read: line ${line.number} is not an opt-out.`],
        'A number may be missing there, so nothing was imported. Repair that line, or restore the file from a backup.',
      );
    }
    const key = JSON.stringify([found.origin, oneForm(found.number)]);
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

/** A campaign of an earlier version, all lines of which were read and checked. */
export interface EarlierCampaign {
  readonly path: string;
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** How many rows it has. */
  readonly count: number;
  /** Reads its rows again, each as it stands, one after the other. */
  rows(): Iterable<CampaignRow>;
}

/**
 * Reads the file of a campaign. The last change of each row is held in memory, the rows are not: there may be many.
 * @throws Failure `invalidInput` if it is damaged
 */
export function earlierCampaign(path: string): EarlierCampaign {
  const damaged = (why: string) => {
    const what = campaign ? `${path}, campaign ${inSentence(campaign.name)},` : path;
    return inputFailure([`${what} can't be read: ${why}.`]);
  };
  /** The line of the last change of each row, which takes less memory than its members. */
  const changes: string[] = [];
  let campaign: Campaign | undefined;
  let rows = 0;
  let isComplete = false;
  for (const { text, number, isWhole } of linesIn(path)) {
    // The process that wrote it died: it happened to nothing.
    if (!isWhole) break;
    const value = parseJson(text);
    const fail = () => damaged(`line ${number} is not one of a campaign`);
    if (!campaign) {
      const head = z.safeParse(headSchema, value).data;
      if (!head) throw fail();
      const { version: _, ...frozen } = head;
      campaign = frozen;
    } else if (isComplete) {
      const change = z.safeParse(changeSchema, value).data;
      if (!change || change.row < 1 || change.row > rows) throw fail();
      changes[change.row - 1] = text;
    } else {
      const end = z.safeParse(endSchema, value).data;
      if (end && end.end !== rows) throw damaged(`it has ${rows} rows instead of ${end.end}`);
      isComplete = end !== undefined;
      if (isComplete) continue;
      const row = z.safeParse(rowSchema, value).data;
      if (row?.row !== rows + 1) throw fail();
      rows += 1;
    }
  }
  if (!campaign || !isComplete) throw damaged(`it ends after ${rows} rows, and its end is missing`);
  const frozen = campaign;
  return {
    path,
    campaign: frozen,
    mark: markOf(path, frozen),
    count: rows,
    *rows() {
      for (const { text, number } of linesIn(path)) {
        if (number === 1) continue;
        if (number > rows + 1) return;
        const row = padded(z.parse(rowSchema, parseJson(text)), frozen.columns.length);
        const change = changes[row.row - 1];
        if (change === undefined) yield row;
        else {
          const { state, at, attempts, reason, because } = z.parse(changeSchema, parseJson(change));
          yield { ...row, state, at, attempts, reason, because };
        }
      }
    },
  };
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

const { campaigns, ...members } = laneMembers;
const messageMembers = { ...members, isBusy: z.boolean() };

const laneSchema = z.object({
  version: z.literal(1),
  origin: z.string(),
  device: z.string(),
  writes: z._default(whole, 0),
  campaigns,
  ...messageMembers,
});

const recentSchema = z.object({ writes: whole, ...messageMembers });

/** The send queue of a device, in which campaigns are named by the paths of their files. */
export interface EarlierLane {
  readonly key: LaneKey;
  readonly lane: Lane;
  /** Whether a message was on its way. */
  readonly isBusy: boolean;
}

/**
 * Returns the send queues of all devices.
 * @throws Failure `invalidInput` if one can't be read: its device would send too fast
 */
export function earlierLanes(data: string): readonly EarlierLane[] {
  return laneFilesIn(data).map((path) => {
    const found = z.safeParse(laneSchema, parseJson(readText(path) ?? '')).data;
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
    const lane = { lastAt, draw, sent, unknowns, rejections, paused, campaigns: stored.campaigns };
    return { key: { origin, device }, lane, isBusy };
  });
}

/** Returns the paths of the files of all send queues. */
export function laneFilesIn(data: string): readonly string[] {
  return filesIn(join(data, 'lanes'), '.json');
}

function filesIn(directory: string, extension: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(extension));
    return names.sort().map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(directory, error);
  }
}

function readText(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Bytes that are read at a time. */
const pieceBytes = 256 * 1024;

/** A line of a file, without its end. */
interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** False for a last line that doesn't end. */
  readonly isWhole: boolean;
}

function* linesIn(path: string): Generator<Line, void> {
  let handle: number;
  try {
    handle = openAtOnce(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const piece = Buffer.alloc(pieceBytes);
    let rest = Buffer.alloc(0);
    let number = 1;
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      let bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
        yield { text: textOf(bytes.subarray(0, end)), number, isWhole: true };
        number += 1;
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
    }
    if (rest.length > 0) yield { text: textOf(rest), number, isWhole: false };
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    closeSync(handle);
  }
}

function textOf(bytes: Buffer): string {
  return withoutMark(bytes.toString('utf8'));
}
