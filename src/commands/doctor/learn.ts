import { type CommandResult, withFailure } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ServiceError } from '../../client/answer.ts';
import { retryAfter } from '../../client/retry.ts';
import { pageNameCommand } from '../../client/words/list-failure.ts';
import type { Finding } from '../../learn/choice.ts';
import { learn } from '../../learn/learn.ts';
import { LimitReached, runLimits } from '../../learn/limits.ts';
import { ListReader } from '../../learn/list-reader.ts';
import { isEmpty } from '../../learn/lists.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { Identity } from '../../settings/settings.ts';
import type { Verdict } from './check.ts';
import { checkSaving, noteUnsaved, saveLearned } from './learn-save.ts';

/** The number of retries of a read without a response, unless `--retries` is given. */
const defaultRetries = 2;

/** The longest wait that the service may request, in milliseconds, unless `--request-timeout` is longer. */
const longestWaitMs = 5000;

/**
 * Learns the choices of the service, returns a row for each, and stores them. On a terminal the rows come before the
 * question. In a pipe they come last, because a reader that closes the pipe ends the process.
 * @throws Failure as `checkSaving`, before the first request
 */
export async function learnService(
  context: Context,
  mayStore: boolean,
): Promise<CommandResult<AsyncIterable<Row>>> {
  const { clock, io, options, signal, terminal } = context;
  const identity = await context.settings.identity();
  if (mayStore) await checkSaving(context, identity);
  const found = new Map<string, Finding>();
  const since = clock.now();
  const deadline = clock.deadline(runLimits.duration, signal);
  let sent = 0;
  const api = await context.openApi(identity, {
    // The list reader retries instead, because it may also stop.
    retries: 0,
    signal: deadline.signal,
    onSend() {
      if (sent >= runLimits.requests) throw new LimitReached('requests');
      sent += 1;
    },
  });
  const reading = new ListReader({
    api,
    clock,
    signal: deadline.signal,
    longestWait: Math.max(options.requestTimeout ?? 0, longestWaitMs),
    retries: options.retries ?? defaultRetries,
    settings: identity.settings,
    found,
  });
  const run = { reading, since };
  const known = (): number => [...found.values()].filter((one) => one.known).length;
  let unsaved: Failure | undefined;
  const save = async (): Promise<void> => {
    // An interrupted run stores nothing, even if all other requests have responses.
    signal.throwIfAborted();
    if (!mayStore) return noteUnsaved(context, identity, run);
    await saveLearned(context, identity, run).catch((thrown: unknown) => {
      if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
      unsaved = thrown;
    });
  };
  const learned = async function* (): AsyncGenerator<Row> {
    const isSeen = io.stdout.isTTY === true;
    const rows = (): readonly Row[] => [...found.values()].map(rowOf);
    const progress = terminal.progress('Reading');
    try {
      for await (const _ of learn(reading, found)) progress.update(`${sent} requests made`);
      const cause = reading.end?.cause;
      // If nothing was learned, the failure of the call ends the command.
      if (cause instanceof Failure && known() === 0) throw cause;
      progress.stop();
      if (isSeen) yield* rows();
      if (reading.end === undefined && (await isEmpty(reading)))
        terminal.note(
          'This key has no teams, bots or documents, so some choices are unknown. Run it again when there are some.',
        );
    } finally {
      progress.stop();
      deadline.clear();
      await api.close();
    }
    await save();
    if (!isSeen) yield* rows();
  };
  return withFailure(learned(), () => {
    const cause = reading.end?.cause;
    if (!cause) return unsaved;
    const message = `${known()} of ${found.size} choices were detected. ${cause.message}`;
    if (unsaved) terminal.note(message);
    const status = cause instanceof Failure ? cause.status : undefined;
    const hint = hintFor(cause, identity, clock.now());
    return unsaved ?? new Failure('partlyDone', message, { hint, cause, status });
  });
}

function rowOf({ choice, known, service, specification, how, value, remedy }: Finding): Row {
  const verdict: Verdict = known ? 'ok' : 'skipped';
  return { check: choice, verdict, found: service ?? 'unknown', remedy, specification, how, value };
}

/** Returns the hint for a run that may learn more. */
function hintFor(cause: Failure | LimitReached, identity: Identity, now: number): RemarkText {
  if (cause instanceof LimitReached)
    return remark`If you know the names of the parameters, set them: ${pageNameCommand(identity)}`;
  const { profile } = identity;
  const again = ['doctor', '--learn', ...(profile === undefined ? [] : ['--profile', profile])];
  if (cause.kind !== 'rateLimited') return remark`Try again later: ${command(...again)}`;
  const { cause: answer } = cause;
  const asked = answer instanceof ServiceError ? retryAfter(answer.detail.retryAfter, now) : undefined;
  const wait = `${asked === undefined ? 60 : Math.ceil(asked / 1000) + 1}s`;
  return remark`To wait as long as the service asks, run: ${command(...again, '--request-timeout', wait)}\nTo stay below its rate limit, run: ${command(...again, '--max-rps', placeholder('NUMBER'))}`;
}
