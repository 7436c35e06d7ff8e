import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { FailedResult } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { choices } from '../../learn/choices.ts';
import type { Finding } from '../../learn/finding.ts';
import { learn } from '../../learn/learn.ts';
import { OutOfRequests, Reading } from '../../learn/reading.ts';
import { Failure } from '../../lib/errors.ts';
import { unwritable } from '../../lib/files/file-failure.ts';
import { replacePrivateFile } from '../../lib/files/private-file.ts';
import { command, type Remark, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import { createLearned } from '../../settings/learned.ts';
import type { Identity } from '../../settings/settings.ts';
import { reportOf } from './learn-report.ts';
import { checkSaving, saveLearned } from './learn-save.ts';

/** The options of `--learn`. */
export interface LearnInput {
  readonly save: boolean;
  readonly report: string | undefined;
  readonly maxRequests: number;
  readonly resume: boolean;
}

/** Repetitions of a read whose answer was lost, where the line doesn't say. */
const defaultRetries = 2;

const keptFinding = z.strictObject({
  choice: z.string(),
  specification: z.string(),
  known: z.boolean(),
  service: z.nullable(z.string()),
  value: z.unknown(),
  how: z.string(),
  remedy: z.nullable(z.string()),
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
  if (input.resume) for (const finding of earlier(kept.read(identity))) found.set(finding.choice, finding);
  let sent = 0;
  const api = await context.openApi(identity, {
    // The reading repeats by itself, so that it may stop.
    retries: 0,
    onSend() {
      if (sent >= input.maxRequests) throw new OutOfRequests(input.maxRequests);
      sent += 1;
    },
  });
  const reading = new Reading({
    api,
    clock: context.clock,
    signal: context.signal,
    retries: context.options.retries ?? defaultRetries,
    queryNames: identity.settings?.queryNames ?? {},
    found,
  });
  const rows = async function* (): AsyncGenerator<Row> {
    const progress = context.terminal.progress('Reading');
    try {
      for await (const finding of learn(choices, reading, found)) {
        const { end } = reading;
        // Nothing was learned: it ends as any other call does.
        if (end && !isOut(end.cause) && !isAnyKnown(found)) throw end.cause;
        progress.stop();
        yield { ...finding };
        progress.update(`${sent} requests made`);
      }
    } finally {
      progress.stop();
      kept.write(identity, [...found.values()]);
      await api.close();
    }
    if (input.report !== undefined) writeReport(input.report, context, identity, found);
    if (input.save) await saveLearned(context, identity, found);
  };
  return new FailedResult(rows(), () => failureOf(reading, found, identity, input.maxRequests));
}

function isOut(cause: Failure | OutOfRequests): cause is OutOfRequests {
  return cause instanceof OutOfRequests;
}

function isAnyKnown(found: ReadonlyMap<string, Finding>): boolean {
  return [...found.values()].some(({ known }) => known);
}

/** What an earlier run knew. What another version of botctl kept is asked again. */
function earlier(kept: readonly unknown[]): readonly Finding[] {
  return kept.flatMap((one) => {
    const parsed = z.safeParse(keptFinding, one);
    return parsed.success && parsed.data.known ? [parsed.data] : [];
  });
}

/** Returns what a run ends with that could not ask for everything. */
function failureOf(
  { end }: Reading,
  found: ReadonlyMap<string, Finding>,
  { profile }: Identity,
  most: number,
): Failure | undefined {
  if (!end) return undefined;
  const known = [...found.values()].filter((one) => one.known).length;
  const named = profile === undefined ? [] : ['--profile', profile];
  const again = ['doctor', '--learn', '--resume', ...named];
  const { cause } = end;
  const hint: Remark = isOut(cause)
    ? remark`Go on with what is known: ${command(...again, '--max-requests', String(most))}`
    : remark`Go on later, with what is known: ${command(...again)}`;
  const why = isOut(cause) ? `all ${most} requests were made.` : cause.message;
  return new Failure('partlyDone', `${known} of ${found.size} choices are known; then ${why}`, {
    hint,
    cause,
    status: isOut(cause) ? undefined : cause.status,
  });
}

function writeReport(
  file: string,
  context: Context,
  { baseUrl }: Identity,
  found: ReadonlyMap<string, Finding>,
): void {
  const path = resolve(file);
  try {
    replacePrivateFile(path, context.redact(reportOf(baseUrl, context.clock.now(), [...found.values()])));
  } catch (error) {
    throw unwritable(path, error);
  }
  context.terminal.done(`Wrote the report to ${file}. It holds no secrets and no rows.`);
}
