import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../lib/clock.ts';
import { exitCodes, Failure } from '../lib/errors.ts';
import { changeLog, logLines, logText } from '../lib/files/append-log.ts';
import { readOwnText } from '../lib/files/read-file.ts';

/** The states of a write. `begun`: it runs, or the server ended meanwhile. `asked`: the user is asked first. */
const states = ['begun', 'asked', 'done', 'not_done', 'unknown'] as const;

/** The states in which a write happened, or may have happened or still happen. */
const countedStates: ReadonlySet<WriteRecord['state']> = new Set(['begun', 'done', 'unknown']);

/** A write of an assistant, as the file has it. Two lines with one id are one write, of which the later counts. */
const recordShape = z.object({
  id: z.string(),
  at: z.string(),
  state: z.enum(states),
  /** How the program of the assistant names itself. */
  client: z.string(),
  profile: z.string().nullable(),
  origin: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** Equal for two calls that do the same. */
  key: z.string(),
});

/** A write of an assistant. */
export type WriteRecord = z.infer<typeof recordShape>;

/** How a write ends. */
type EndState = Exclude<WriteRecord['state'], 'begun'>;

/** Milliseconds in which a write is not repeated. */
const repeatMs = 600_000;
/** Milliseconds for which writes are kept. */
const keepMs = 90 * 86_400_000;
/** Bytes of the file before old writes are dropped. */
const maxBytes = 2_000_000;

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

  /** Returns the writes, the newest first. */
  list(): readonly WriteRecord[] {
    if (!existsSync(this.#path)) return [];
    return [...recordsIn(readOwnText(this.#path)).values()].toReversed();
  }

  /**
   * Records that a write begins, on the disk.
   * @param write its `input` may be shortened
   * @param input the whole input
   * @throws Failure `rejected` if the same write was done or may have been done in the last ten minutes, or if it can't be
   * recorded
   */
  async begin(
    write: Omit<WriteRecord, 'id' | 'at' | 'state' | 'key'>,
    input: WriteRecord['input'],
  ): Promise<WriteRecord> {
    const now = this.clock.now();
    const key = keyOf({ ...write, input });
    const record = {
      ...write,
      id: randomUUID(),
      at: new Date(now).toISOString(),
      state: 'begun' as const,
      key,
    };
    const isStored = await changeLog(this.#path, undefined, {
      records: (text) => {
        const earlier = [...recordsIn(text).values()].findLast(
          (one) => one.key === key && countedStates.has(one.state) && now - Date.parse(one.at) < repeatMs,
        );
        if (earlier) throw repeatFailure(earlier);
        return [record];
      },
      compact: (text) => compacted(text, now),
      isSynced: true,
    });
    if (isStored) return record;
    throw new Failure('rejected', `The write can't be recorded in ${this.#path}, so nothing was done.`);
  }

  /** Records how a write ended. */
  async end(record: WriteRecord, state: EndState): Promise<void> {
    await changeLog(this.#path, undefined, { records: () => [{ ...record, state }], isSynced: true });
  }
}

/** Returns how a write ended, by the exit code of its command. */
export function stateAfter(exitCode: number, isCancelled: boolean): EndState {
  if (exitCode === exitCodes.done) return 'done';
  const mayBeDone: readonly number[] = [
    ...[exitCodes.unexpected, exitCodes.partlyDone, exitCodes.outcomeUnknown],
    ...[exitCodes.interrupted, exitCodes.terminated],
  ];
  return isCancelled || mayBeDone.includes(exitCode) ? 'unknown' : 'not_done';
}

function repeatFailure({ at, state }: WriteRecord): Failure {
  const what = state === 'done' ? 'was done' : 'may have been done';
  return new Failure('rejected', `The same call ${what} at ${at}. It is not repeated within ten minutes.`, {
    code: 'REPEATED',
    hint: 'If the user wants it twice, ask the user to run it in a terminal.',
  });
}

/** Returns the last record of each write. */
function recordsIn(text: string): Map<string, WriteRecord> {
  const found = new Map<string, WriteRecord>();
  for (const { value } of logLines(text)) {
    const record = recordShape.safeParse(value);
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

/** Returns a key of what a call does. Blanks, upper case and the form of a phone number make no difference. */
function keyOf({ origin, tool, input }: Pick<WriteRecord, 'origin' | 'tool' | 'input'>): string {
  const same = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(same);
    if (typeof value !== 'string') return value;
    const isNumber = /^\+?[\d ().-]+$/.test(value);
    return isNumber ? value.replace(/\D/g, '') : value.toLowerCase().replace(/\s+/g, ' ').trim();
  };
  const members = Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([origin, tool, members.map(([name, value]) => [name, same(value)])]);
  return createHash('sha256').update(text).digest('hex');
}
