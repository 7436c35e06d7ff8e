import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { FailedResult } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ServiceError } from '../../client/answer.ts';
import { retryAfter } from '../../client/retry.ts';
import { choices } from '../../learn/choices.ts';
import type { Finding } from '../../learn/finding.ts';
import { learn } from '../../learn/learn.ts';
import { isEmpty } from '../../learn/lists.ts';
import { type KeptAnswer, OutOfRequests, Reading } from '../../learn/reading.ts';
import { Failure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import { createLearned } from '../../settings/learned.ts';
import type { Identity } from '../../settings/settings.ts';
import { reportOf } from './learn-report.ts';
import { checkSaving, noteUnsaved, saveLearned } from './learn-save.ts';

/** The options of `--learn`. */
export interface LearnInput {
  readonly save: boolean;
  readonly report: string | undefined;
  readonly maxRequests: number;
  readonly resume: boolean;
}

/** Repetitions of a read whose answer was lost, where the line doesn't say. */
const defaultRetries = 2;

/** Milliseconds that the service may ask to wait where the line doesn't say how long a request may take. */
const longestWaitMs = 5000;

const keptAnswer = z.strictObject({
  path: z.string(),
  at: z.number(),
  outcome: z.enum(['answered', 'refused', 'failed']),
  status: z.number(),
  body: z.unknown(),
  headers: z.array(z.tuple([z.string(), z.string()])),
});

/**
 * Finds out how the service chose, and gives a row for each choice; then writes the report and stores what was learned.
 * @throws Failure `usage` where nothing could be stored in the end
 */
export async function learnService(
  context: Context,
  input: LearnInput,
): Promise<FailedResult<AsyncIterable<Row>>> {
  const identity = await context.settings.identity();
  if (input.save) checkSaving(context, identity);
  const kept = createLearned(context.settings.paths.cache);
  const found = new Map<string, Finding>();
  const now = context.clock.now();
  const before = kept.read(identity, now);
  const earlier = answersIn(before?.answers ?? []);
  if (input.resume && !before)
    context.terminal.note('No run of the last day was left to go on with: everything is asked.');
  const since = input.resume && before ? before.since : now;
  let sent = 0;
  const api = await context.openApi(identity, {
    // The reading repeats by itself, so that it may stop.
    retries: 0,
    onLeaving() {
      if (sent >= input.maxRequests) throw new OutOfRequests(input.maxRequests);
      sent += 1;
    },
  });
  const reading = new Reading({
    api,
    clock: context.clock,
    signal: context.signal,
    longestWait: Math.max(context.options.requestTimeout ?? 0, longestWaitMs),
    retries: context.options.retries ?? defaultRetries,
    earlier: input.resume ? earlier : [],
    queryNames: identity.settings?.queryNames ?? {},
    firstPage: identity.settings?.firstPage,
    devices: context.settings.devices.list(identity.baseUrl).map(({ id }) => id),
    found,
  });
  const isWhole = (): boolean => found.size === choices.length && reading.end === undefined;
  const learned = async function* (): AsyncGenerator<Row> {
    const progress = context.terminal.progress('Reading');
    const held: Row[] = [];
    try {
      for await (const finding of learn(choices, reading, found)) {
        held.push({ ...finding });
        // A few answers tell something too, though not to the choices that come first.
        if (reading.end && !isAnyKnown(found)) continue;
        progress.stop();
        yield* held.splice(0);
        progress.update(`${sent} requests made`);
      }
      const cause = reading.end?.cause;
      // Nothing was learned: it ends as any other call does.
      if (cause && !isOut(cause) && held.length > 0) throw cause;
      progress.stop();
      yield* held;
      if (isWhole() && (await isEmpty(reading)))
        context.terminal.note(
          'The service has no teams, bots or documents for this key: what only rows show is unknown. Learn again when there are some.',
        );
      if (!input.save) noteUnsaved(context, identity, { found, since, isWhole: isWhole() });
    } finally {
      progress.stop();
      const answers = reading.answers();
      if (isWhole()) kept.remove(identity);
      // A run that heard less takes nothing from what another one left.
      else if (answers.length > 0 && (input.resume || answers.length >= earlier.length)) {
        kept.write(identity, { since, answers });
        if (context.signal.aborted)
          context.terminal.note(remark`Go on with what is known: ${command(...resumeLine(identity))}`);
      }
      await api.close();
    }
  };
  const { report, save, maxRequests } = input;
  const ends = [
    report === undefined ? undefined : () => writeReport(report, context, identity, found),
    save ? () => saveLearned(context, identity, { found, since, isWhole: isWhole() }) : undefined,
  ].filter((end) => end !== undefined);
  const failures: Failure[] = [];
  return new FailedResult(rowsAnd(learned(), ends, failures, context), () => {
    const early = failureOf(reading, found, identity, { most: maxRequests, now: context.clock.now() });
    const [first, ...others] = early ? [...failures, early] : failures;
    for (const { message } of others) context.terminal.note(message);
    return first;
  });
}

/**
 * Gives the rows, and does what is to be done at the end. A person sees the rows first; where they go into a pipe they
 * come last, since the reader may stop, which ends the process.
 * @param failures is given what the ends fail by: neither keeps the rows back, nor the other end
 */
async function* rowsAnd(
  learned: AsyncIterable<Row>,
  ends: readonly (() => Promise<void> | void)[],
  failures: Failure[],
  { io }: Context,
): AsyncGenerator<Row> {
  const later: Row[] = [];
  const isShown = io.stdout.isTTY === true || ends.length === 0;
  for await (const row of learned)
    if (isShown) yield row;
    else later.push(row);
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

function isOut(cause: Failure | OutOfRequests): cause is OutOfRequests {
  return cause instanceof OutOfRequests;
}

function isAnyKnown(found: ReadonlyMap<string, Finding>): boolean {
  return [...found.values()].some(({ known }) => known);
}

/** What an earlier run was answered. */
function answersIn(kept: readonly unknown[]): readonly KeptAnswer[] {
  return kept.flatMap((one) => {
    const parsed = z.safeParse(keptAnswer, one);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Returns what a run ends with that could not ask for everything. */
function failureOf(
  { end }: Reading,
  found: ReadonlyMap<string, Finding>,
  identity: Identity,
  { most, now }: { readonly most: number; readonly now: number },
): Failure | undefined {
  if (!end) return undefined;
  const known = [...found.values()].filter((one) => one.known).length;
  const again = resumeLine(identity);
  const { cause } = end;
  const hint: RemarkText = isOut(cause)
    ? remark`Go on with what is known: ${command(...again, '--max-requests', String(most))}`
    : cause.kind === 'rateLimited'
      ? remark`Go on after the time that it asks for, with what is known: ${command(...again)}\nOr wait each time as long as it asks: ${command(...again, '--request-timeout', waitOf(cause, now))}\nOr keep below what it allows: ${command(...again, '--max-rps', placeholder('NUMBER'))}`
      : cause.kind === 'partlyDone' && cause.hint
        ? cause.hint
        : remark`Go on later, with what is known: ${command(...again)}`;
  const why = isOut(cause) ? `All ${most} requests were made.` : cause.message;
  return new Failure('partlyDone', `${known} of ${found.size} choices are known. ${why}`, {
    hint,
    cause,
    status: isOut(cause) ? undefined : cause.status,
  });
}

/** The line that goes on with a run that ended early. */
function resumeLine({ profile }: Identity): readonly string[] {
  return ['doctor', '--learn', '--resume', ...(profile === undefined ? [] : ['--profile', profile])];
}

/** Returns how long the service asks to wait, as an option takes it; a minute where it doesn't say. */
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
