import { resolve } from 'node:path';
import { FailedResult } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ServiceError } from '../../client/answer.ts';
import { retryAfter } from '../../client/retry.ts';
import { pageNameLine } from '../../client/words/list-failure.ts';
import type { Finding } from '../../learn/choice.ts';
import { learn } from '../../learn/learn.ts';
import { LimitReached, runLimits } from '../../learn/limits.ts';
import { isEmpty } from '../../learn/lists.ts';
import { Reading } from '../../learn/reading.ts';
import { Failure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { Identity } from '../../settings/settings.ts';
import { reportOf } from './learn-report.ts';
import { checkSaving, noteUnsaved, saveLearned } from './learn-save.ts';

/** The options of `--learn`. */
export interface LearnInput {
  readonly save: boolean;
  readonly report: string | undefined;
  readonly maxRequests: number | undefined;
}

/** Repetitions of a read whose answer was lost, if `--retries` is not given. */
const defaultRetries = 2;

/** The longest wait in milliseconds that the service may ask for, unless `--request-timeout` is longer. */
const longestWaitMs = 5000;

/**
 * Finds out what the service chose, and gives a row for each choice; then writes the report and stores what was learned.
 * @throws Failure `usage` if nothing could be stored in the end
 */
export async function learnService(
  context: Context,
  input: LearnInput,
): Promise<FailedResult<AsyncIterable<Row>>> {
  const identity = await context.settings.identity();
  if (input.save) checkSaving(context, identity);
  const limits = { ...runLimits, requests: input.maxRequests ?? runLimits.requests };
  const found = new Map<string, Finding>();
  const since = context.clock.now();
  const deadline = context.clock.deadline(limits.duration, context.signal);
  let sent = 0;
  const api = await context.openApi(identity, {
    // The reading repeats by itself, so that it may stop.
    retries: 0,
    signal: deadline.signal,
    onLeaving() {
      if (sent >= limits.requests) throw new LimitReached('requests', limits);
      sent += 1;
    },
  });
  const reading = new Reading({
    api,
    clock: context.clock,
    signal: deadline.signal,
    limits,
    longestWait: Math.max(context.options.requestTimeout ?? 0, longestWaitMs),
    retries: context.options.retries ?? defaultRetries,
    queryNames: identity.settings?.queryNames ?? {},
    firstPage: identity.settings?.firstPage,
    found,
  });
  const learned = async function* (): AsyncGenerator<Row> {
    const progress = context.terminal.progress('Reading');
    const held: Row[] = [];
    try {
      for await (const finding of learn(reading, found)) {
        held.push({ ...finding });
        // A few answers decide some choices, though not those that come first.
        if (reading.end && !isAnyKnown(found)) continue;
        progress.stop();
        yield* held.splice(0);
        progress.update(`${sent} requests made`);
      }
      const cause = reading.end?.cause;
      // Nothing was learned: it ends as any other call does.
      if (cause instanceof Failure && held.length > 0) throw cause;
      progress.stop();
      yield* held;
      if (reading.end === undefined && (await isEmpty(reading)))
        context.terminal.note(
          'The service has no teams, bots or documents for this key: what only rows show is unknown. Learn again when there are some.',
        );
      if (!input.save) noteUnsaved(context, identity, { found, since, isWhole: reading.end === undefined });
    } finally {
      progress.stop();
      deadline.clear();
      await api.close();
    }
  };
  const { report, save } = input;
  const ends = [
    report === undefined ? undefined : () => writeReport(report, context, identity, found),
    save
      ? () => saveLearned(context, identity, { found, since, isWhole: reading.end === undefined })
      : undefined,
  ].filter((end) => end !== undefined);
  const failures: Failure[] = [];
  return new FailedResult(rowsAnd(learned(), ends, failures, context), () => {
    const early = failureOf(reading, found, identity, context.clock.now());
    const [first, ...others] = early ? [...failures, early] : failures;
    for (const { message } of others) context.terminal.note(message);
    return first;
  });
}

/**
 * Returns the rows, and carries out the ends. A person sees the rows first; in a pipe they come last, since its reader may
 * stop, which ends the process.
 * @param failures receives the failures of the ends, which affect neither the rows nor the other end
 */
async function* rowsAnd(
  learned: AsyncIterable<Row>,
  ends: readonly (() => Promise<void> | void)[],
  failures: Failure[],
  { io, signal }: Context,
): AsyncGenerator<Row> {
  const later: Row[] = [];
  const isShown = io.stdout.isTTY === true || ends.length === 0;
  for await (const row of learned)
    if (isShown) yield row;
    else later.push(row);
  // An interrupted run stores nothing, even if the rest of it was answered before.
  signal.throwIfAborted();
  for (const end of ends) {
    try {
      await end();
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
      failures.push(thrown);
    }
  }
  yield* later;
}

function isAnyKnown(found: ReadonlyMap<string, Finding>): boolean {
  return [...found.values()].some(({ known }) => known);
}

/** Returns the failure of a run that ended early, or undefined if it asked for everything. */
function failureOf(
  { end }: Reading,
  found: ReadonlyMap<string, Finding>,
  identity: Identity,
  now: number,
): Failure | undefined {
  if (!end) return undefined;
  const { cause } = end;
  const known = [...found.values()].filter((one) => one.known).length;
  return new Failure('partlyDone', `${known} of ${found.size} choices are known. ${cause.message}`, {
    hint: hintFor(cause, identity, now),
    cause,
    status: cause instanceof Failure ? cause.status : undefined,
  });
}

/** Returns how another run gets further. */
function hintFor(cause: Failure | LimitReached, identity: Identity, now: number): RemarkText {
  const { profile } = identity;
  const again = ['doctor', '--learn', ...(profile === undefined ? [] : ['--profile', profile])];
  if (cause instanceof LimitReached) {
    return cause.limit === 'requests'
      ? remark`Allow more of them: ${command(...again, '--max-requests', placeholder('NUMBER'))}`
      : remark`If you know the names of its parameters, set them: ${pageNameLine(identity)}`;
  }
  return cause.kind === 'rateLimited'
    ? remark`Wait each time as long as it asks: ${command(...again, '--request-timeout', waitOf(cause, now))}\nOr keep below what it allows: ${command(...again, '--max-rps', placeholder('NUMBER'))}`
    : remark`Try again later: ${command(...again)}`;
}

/** Returns how long the service asks to wait, as an option takes it; a minute if it doesn't say. */
function waitOf({ cause }: Failure, now: number): string {
  const asked = cause instanceof ServiceError ? retryAfter(cause.detail.retryAfter, now) : undefined;
  const seconds = asked === undefined ? 60 : Math.ceil(asked / 1000) + 1;
  return `${seconds}s`;
}

function writeReport(
  file: string,
  context: Context,
  { baseUrl }: Identity,
  found: ReadonlyMap<string, Finding>,
): void {
  const path = resolve(file);
  try {
    writeFileAtomically(path, context.redact(reportOf(baseUrl, context.clock.now(), [...found.values()])));
  } catch (error) {
    throw unwritable(path, error);
  }
  context.terminal.done(`Wrote the report to ${file}. It holds no secrets and no rows.`);
}
