import { join } from 'node:path';
import * as z from 'zod/mini';
import { inputFailure } from '../../lib/errors.ts';
import { unreadable, unwritable } from '../../lib/files/file-failure.ts';
import { acquireLock } from '../../lib/files/lock.ts';
import { makePrivateDirectory, replacePrivateFile } from '../../lib/files/private-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { remark } from '../../lib/text/remark.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { fileHash, readIfThere } from '../../settings/files.ts';
import { laneMembers } from '../kept-form.ts';
import { type Lane, type LaneKey, newLane } from '../lane.ts';
import { type Machine, thisMachine } from './machine.ts';

/** The directory of what is known of devices, below that of botctl's data. */
const laneDirectory = 'lanes';

const schema = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  device: z.string(),
  machine: z.strictObject({ host: z.string(), pid_namespace: z.optional(z.string()) }),
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
  /** Lets others have the turn. */
  release(): void;
}

/**
 * Waits for the turn of a device: another process has it as long as a message of its own is on its way.
 * @param data the directory of botctl's data
 * @param check throws where processes of another machine, that of the lane, may be sending through the device
 * @throws Failure `invalidInput` where its file can't be read or written; the signal's reason; what `check` throws
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
  if (found) check(found);
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
  try {
    let lane = read(path) ?? { ...newLane(), machine: thisMachine() };
    check(lane);
    return {
      get lane() {
        return lane;
      },
      update(next) {
        try {
          replacePrivateFile(path, `${JSON.stringify({ version: 1, ...key, ...next })}\n`);
        } catch (error) {
          throw unwritable(path, error);
        }
        lane = next;
      },
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lanePath(data: string, { origin, device }: LaneKey): string {
  return join(data, laneDirectory, `${fileHash(JSON.stringify([origin, device]))}.json`);
}

function read(path: string): LaneOnFile | undefined {
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (text === undefined) return undefined;
  const { success, data } = z.safeParse(schema, parseJson(text));
  if (!success) {
    throw inputFailure(
      [`${path} can't be read: it doesn't say what a device has sent.`],
      remark`Remove it where nothing was sent through that device today: rm ${shellWord(path)}`,
    );
  }
  const { machine, isBusy, lastAt, draw, sent, unknowns, rejections, paused, campaigns } = data;
  return { machine, isBusy, lastAt, draw, sent, unknowns, rejections, paused, campaigns };
}
