import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Effect } from '../cli/command.ts';
import type { Clock } from '../lib/clock.ts';
import { exitCodes, Failure } from '../lib/errors.ts';
import { changeLog, logLines, logText } from '../lib/files/append-log.ts';
import { readOwnText } from '../lib/files/read-file.ts';

/**
 * The states of a write. `begun`: it is running. `asked`: the user is being asked, or did not answer. `not_asked`: the
 * client can't ask. `unknown`: it may have happened.
 */
const states = ['begun', 'asked', 'not_asked', 'declined', 'done', 'not_done', 'unknown'] as const;

/** The states after which the same write is refused for a while, each with the reason. */
const finalStates: ReadonlyMap<WriteRecord['state'], string> = new Map([
  ['begun', 'may have been done'],
  ['unknown', 'may have been done'],
  ['done', 'was done'],
  ['declined', 'was declined by the user'],
]);

/** A write of an assistant, as a line of the file. If several lines have the same id, the last one counts. */
const recordShape = z.object({
  id: z.string(),
  at: z.string(),
  state: z.enum(states),
  /** The name that the assistant's program gives itself. */
  client: z.string(),
  profile: z.nullable(z.string()),
  origin: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** Calls that do the same share at least one key. */
  keys: z.array(z.string()),
});

/** A write of an assistant. */
export type WriteRecord = z.infer<typeof recordShape>;

/** The state of a write that has ended. */
export type EndState = Exclude<WriteRecord['state'], 'begun'>;

/** Milliseconds in which the same write is refused. */
const repeatMs = 600_000;
/** Milliseconds for which writes are kept. */
const keepMs = 90 * 86_400_000;
/** The size of the file above which old writes are dropped, in bytes. */
const maxBytes = 2_000_000;

interface BeginOptions {
  /** True if the write only sets values, so that it may be repeated once another one has set them. */
  readonly isSetting?: boolean;
  /** The id of the record, if the user was asked about this write before. */
  readonly id?: string;
  /** The digests of the questions that the user has confirmed. */
  readonly confirmed?: readonly string[];
}

/** The writes of all assistants on this machine, in a file. */
export class WriteLog {
  readonly #path: string;

  /** @param data the directory of the user's data */
  constructor(
    data: string,
    readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#path = join(data, 'assistant-writes.ndjson');
  }

  /**
   * Returns the writes, the newest first. A write that began long ago and has no end was killed, so it may have
   * happened: its state is `unknown`.
   */
  list(): readonly WriteRecord[] {
    if (!existsSync(this.#path)) return [];
    const isOld = ({ at }: WriteRecord): boolean => this.clock.now() - Date.parse(at) > repeatMs;
    return [...recordsIn(readOwnText(this.#path)).values()]
      .map((write) =>
        write.state === 'begun' && isOld(write) ? { ...write, state: 'unknown' as const } : write,
      )
      .toReversed();
  }

  /**
   * Records on disk that a write begins.
   * @param input the whole input, which `write` contains in short form
   * @throws Failure `rejected` if the same write was done, may have been done or was declined in the last ten minutes,
   *   or if it can't be recorded
   */
  async begin(
    write: Omit<WriteRecord, 'id' | 'at' | 'state' | 'keys'>,
    input: WriteRecord['input'],
    { isSetting = false, id = randomUUID(), confirmed = [] }: BeginOptions = {},
  ): Promise<WriteRecord> {
    const now = this.clock.now();
    const keys = [keyOf({ ...write, input }), ...confirmed];
    const record = { ...write, id, at: new Date(now).toISOString(), state: 'begun' as const, keys };
    const isStored = await changeLog(this.#path, undefined, {
      records: (text) => {
        const recent = [...recordsIn(text).values()].filter(
          (one) => one.id !== id && finalStates.has(one.state) && now - Date.parse(one.at) < repeatMs,
        );
        const compared = isSetting
          ? recent.filter(({ tool, state }) => tool === write.tool && state !== 'unknown').slice(-1)
          : recent;
        const earlier = compared.findLast((one) => one.keys.some((key) => keys.includes(key)));
        if (earlier) throw repeatFailure(earlier);
        return [record];
      },
      compact: (text) => compacted(text, now),
      isSynced: true,
    });
    if (isStored) return record;
    throw new Failure('rejected', `The write can't be recorded in ${this.#path}, so nothing was done.`, {
      code: 'NOT_ALLOWED',
    });
  }

  /** Records how a write ended. */
  async end(record: WriteRecord, state: EndState): Promise<void> {
    await changeLog(this.#path, undefined, { records: () => [{ ...record, state }], isSynced: true });
  }
}

/** Returns the end state of a write, by the exit code of its command. */
export function stateAfter(exitCode: number, effect: Effect, isCancelled: boolean): EndState {
  if (exitCode === exitCodes.done) return 'done';
  // A create or a send whose response is lost has its own exit code; a change has not, since it is safe to repeat.
  const network: number[] = effect === 'creates' || effect === 'sends' ? [] : [exitCodes.network];
  const mayBeDone: readonly number[] = [
    ...[exitCodes.unexpected, exitCodes.notReached, exitCodes.partlyDone, exitCodes.outcomeUnknown],
    ...[exitCodes.interrupted, exitCodes.terminated, ...network],
  ];
  return isCancelled || mayBeDone.includes(exitCode) ? 'unknown' : 'not_done';
}

function repeatFailure({ at, state }: WriteRecord): Failure {
  return new Failure(
    'rejected',
    `The same call ${finalStates.get(state)} at ${at}. It is refused for ten minutes.`,
    {
      code: 'REPEATED',
      hint: 'If it is meant, ask the user to run it in a terminal.',
    },
  );
}

/** Returns the last record of each write. */
function recordsIn(text: string): Map<string, WriteRecord> {
  const found = new Map<string, WriteRecord>();
  for (const { value } of logLines(text)) {
    const record = z.safeParse(recordShape, value);
    if (record.success) found.set(record.data.id, record.data);
  }
  return found;
}

function compacted(text: string, now: number): string | undefined {
  if (text.length < maxBytes) return undefined;
  const recent = [...recordsIn(text).values()].filter(({ at }) => now - Date.parse(at) < keepMs);
  const newest = recent.slice(-5000);
  return logText(newest);
}

/**
 * Returns a key that calls with the same effect share. The format of a phone number, and case and blanks of a message,
 * make no difference.
 */
function keyOf({ origin, tool, input }: Pick<WriteRecord, 'origin' | 'tool' | 'input'>): string {
  const same = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (name === 'to') return value.replace(/\D/g, '');
    return name === 'message' ? value.toLowerCase().replace(/\s+/g, ' ').trim() : value.trim();
  };
  const members = Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([origin, tool, members.map(([name, value]) => [name, same(name, value)])]);
  return createHash('sha256').update(text).digest('hex');
}
