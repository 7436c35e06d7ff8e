import { join } from 'node:path';
import * as z from 'zod/mini';
import { bootId } from '../../lib/boot-id.ts';
import { inputFailure } from '../../lib/errors.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import { acquireLock } from '../../lib/files/lock.ts';
import { makePrivateDirectory, replaceCacheFile, replacePrivateFile } from '../../lib/files/private-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { remark } from '../../lib/text/remark.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { fileHash, readIfThere } from '../../settings/files.ts';
import { laneMembers, whole } from '../kept-form.ts';
import { type Lane, type LaneKey, newLane, withRequests } from '../lane.ts';
import { isSameMachine, type Machine, thisMachine } from './machine.ts';
import { requestsSince } from './requests-since.ts';

/** The directory of what is known of devices, below that of botctl's data. */
const laneDirectory = 'lanes';

const { campaigns: _, ...messageMembers } = laneMembers;

/** What each message changes, since the file beside was written: it need not survive a power cut. */
const recentSchema = z.strictObject({
  version: z.literal(1),
  writes: whole,
  boot: z.string(),
  ...messageMembers,
});

const schema = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  device: z.string(),
  machine: z.strictObject({ host: z.string(), pid_namespace: z.optional(z.string()) }),
  /** How often it was written, which tells what belongs to it. */
  writes: z._default(whole, 0),
  /** The start of the machine at which it was written: see `bootId`. */
  boot: z.optional(z.string()),
  ...laneMembers,
});

/** What is known of a device, and whose processes send through it. */
export interface LaneOnFile extends Lane {
  readonly machine: Machine;
}

/** The file of a device, held: nobody else of this machine's processes sends through the device. */
export interface HeldLane {
  /** As it stands now. */
  readonly lane: LaneOnFile;
  /**
   * Keeps what is known of the device, before this returns also where the machine loses its power.
   * @throws Failure `invalidInput` where that can't be written
   */
  update(lane: LaneOnFile): void;
  /**
   * Keeps what a message changes of the device, for every process of this machine and as long as that runs. The disk isn't
   * waited for: the campaign's file says the same.
   * @throws Failure as `update`
   */
  note(lane: LaneOnFile): void;
  /** Lets others have the turn. */
  release(): void;
}

/** What the files of a device say. */
interface Kept {
  readonly lane: LaneOnFile;
  readonly writes: number;
  /** True if all of it is on the disk. */
  readonly isOnDisk: boolean;
  /**
   * True if the machine was started again since this was brought to the disk: it may lack messages that were sent before
   * that. What was about to be sent is on the disk in the campaigns' files.
   */
  readonly mayLackRequests: boolean;
}

/**
 * Waits for the turn of a device: another process has it as long as a message of its own is on its way. Where the machine lost
 * its power meanwhile, the requests that were about to leave count as messages that are on their way.
 * @param data the directory of botctl's data
 * @param check throws where processes of another machine, that of the lane, may be sending through the device
 * @throws Failure `invalidInput` where its file can't be read or written; the signal's reason; what `check` throws; as
 * `requestsSince`
 */
export async function holdLane(
  data: string,
  key: LaneKey,
  signal: AbortSignal,
  check: (lane: LaneOnFile) => void,
): Promise<HeldLane> {
  const path = lanePath(data, key);
  // Before its lock is touched: that of a living process elsewhere looks like a dead one's here.
  const found = read(path);
  if (found) check(found.lane);
  try {
    makePrivateDirectory(join(data, laneDirectory));
  } catch (error) {
    throw unwritable(path, error);
  }
  const attempt = await acquireLock(`${path}.lock`, { timeout: Number.POSITIVE_INFINITY, signal });
  if (attempt.state === 'unwritable') throw unwritable(path, attempt.error);
  if (attempt.state === 'held') {
    if (attempt.obstacle) throw attempt.obstacle;
    signal.throwIfAborted();
    throw new Error(`the turn of ${path} was given up`);
  }
  const { lock } = attempt;
  const boot = bootId();
  try {
    let kept = read(path) ?? {
      lane: { ...newLane(), machine: thisMachine() },
      writes: 0,
      isOnDisk: false,
      mayLackRequests: false,
    };
    check(kept.lane);
    const update = (lane: LaneOnFile): void => {
      const writes = kept.writes + 1;
      lock.check();
      write(path, replacePrivateFile, { version: 1, ...key, writes, boot, ...lane });
      kept = { lane, writes, isOnDisk: true, mayLackRequests: false };
    };
    if (kept.mayLackRequests) {
      const since = kept.lane.lastAt ?? Number.NEGATIVE_INFINITY;
      update({ ...kept.lane, ...withRequests(kept.lane, requestsSince(data, key, since)) });
    }
    return {
      get lane() {
        return kept.lane;
      },
      update,
      note(lane) {
        const { machine: _machine, campaigns: _campaigns, ...messages } = lane;
        // Without a file that stands, or where nobody could tell later that the machine was started again.
        if (kept.writes === 0 || boot === undefined) return update(lane);
        const { writes } = kept;
        lock.check();
        write(recentPath(path), replaceCacheFile, { version: 1, writes, boot, ...messages });
        kept = { ...kept, lane, isOnDisk: false };
      },
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Brings to the disk what is known of a device of this machine: what else says so is about to be deleted.
 * @param signal ends the waiting for the turn of the device
 * @throws Failure as `holdLane`
 */
export async function bringToDisk(data: string, key: LaneKey, signal: AbortSignal): Promise<void> {
  const found = read(lanePath(data, key));
  const isThere = !found || (found.isOnDisk && !found.mayLackRequests);
  if (isThere || !isSameMachine(found.lane.machine, thisMachine())) return;
  const held = await holdLane(data, key, signal, () => undefined);
  try {
    held.update(held.lane);
  } finally {
    held.release();
  }
}

function lanePath(data: string, { origin, device }: LaneKey): string {
  return join(data, laneDirectory, `${fileHash(JSON.stringify([origin, device]))}.json`);
}

function recentPath(path: string): string {
  return path.replace(/\.json$/, '.recent');
}

function read(path: string): Kept | undefined {
  const text = textIn(path);
  if (text === undefined) return undefined;
  const { success, data } = z.safeParse(schema, parseJson(text));
  if (!success) {
    throw inputFailure(
      [`${path} can't be read: it doesn't say what a device has sent.`],
      remark`Remove it where nothing was sent through that device today: rm ${shellWord(path)}`,
    );
  }
  const { writes, boot, machine, campaigns, ...messages } = data;
  const now = bootId();
  const recent = z.safeParse(recentSchema, parseJson(textIn(recentPath(path)) ?? '')).data;
  // What was not brought to the disk before the machine was started again may be an old one, or half of one.
  if (recent && recent.writes === writes && recent.boot === now)
    return { lane: laneOf(recent, machine, campaigns), writes, isOnDisk: false, mayLackRequests: false };
  const mayLackRequests = boot !== undefined && boot !== now;
  return { lane: laneOf(messages, machine, campaigns), writes, isOnDisk: true, mayLackRequests };
}

type Messages = Pick<
  z.infer<typeof schema>,
  'isBusy' | 'lastAt' | 'draw' | 'sent' | 'unknowns' | 'rejections' | 'paused'
>;

function laneOf(
  { isBusy, lastAt, draw, sent, unknowns, rejections, paused }: Messages,
  machine: Machine,
  campaigns: Lane['campaigns'],
): LaneOnFile {
  return { machine, isBusy, lastAt, draw, sent, unknowns, rejections, paused, campaigns };
}

function textIn(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function write(path: string, by: (path: string, content: string) => void, content: object): void {
  try {
    by(path, `${JSON.stringify(content)}\n`);
  } catch (error) {
    throw unwritable(path, error);
  }
}
