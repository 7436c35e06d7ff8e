import type { Context } from '../../cli/context.ts';
import { endpoints, isOperation } from '../../contract/endpoints.ts';
import { asFailure, CommandEnded, Failure, messageOf } from '../../lib/errors.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { remarkText } from '../../lib/text/remark.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import { toJson } from '../../output/json.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';

/** What a sandbox says on stderr, each an object on a line of its own. */
export interface LogLines extends Required<Pick<SandboxOptions, 'onRequest' | 'onError'>> {
  /** Says in such lines what is said to a person otherwise. */
  readonly reporter: Reporter;
  readonly isForPeople: false;
  /** Says why the command ends. Returns what to throw, which is said nowhere else. */
  lastWords(thrown: unknown): CommandEnded;
}

type Level = 'info' | 'warn' | 'error';

/**
 * Makes what writes the lines. None has a path, whose ids and queries are the callers', nor anything of a body; its place
 * has the path of the operation, as the API's description writes it.
 */
export function createLogLines({
  io,
  clock,
  redact,
  signal,
}: Pick<Context, 'io' | 'clock' | 'redact' | 'signal'>): LogLines {
  const write = (level: Level, members: Readonly<Record<string, unknown>>): void => {
    const time = new Date(clock.now()).toISOString();
    io.stderr.write(`${redact(toJson({ time, level, ...members }))}\n`);
  };
  const say = (level: Level) => (text: Parameters<Reporter['note']>[0]) =>
    write(level, { message: oneLine(remarkText(text), 500) });
  return {
    onRequest({ request_id, operation, method, status, duration_ms: ms }) {
      write(levelOf(status), { request_id, method, path: pathFor(operation), status, ms });
    },
    onError(error, call) {
      const message = oneLine(messageOf(error), 500);
      const { requestId: request_id, method, operation } = call ?? {};
      write('error', { request_id, method, path: pathFor(operation), message });
    },
    isForPeople: false,
    lastWords(thrown) {
      if (thrown instanceof CommandEnded) return thrown;
      const failure = asFailure(thrown);
      const { message, hint, isInterruption } = failure;
      const hinted = hint === undefined ? message : `${message} ${remarkText(hint)}`;
      write(isInterruption ? 'info' : 'error', { message: oneLine(hinted, 1000) });
      const reason: unknown = signal.aborted && signal.reason;
      // What fails once a signal has come doesn't change how the line ends.
      return new CommandEnded((reason instanceof Failure ? reason : failure).exitCode);
    },
    reporter: {
      note: say('info'),
      done: say('info'),
      warn: say('warn'),
      progress: () => ({ update: () => undefined, stop: () => undefined }),
    },
  };
}

/** A request without an answer is one that its caller gave up, or that was cut on purpose. */
function levelOf(status: number | undefined): Level {
  if (status === undefined) return 'warn';
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

function pathFor(operation: string | undefined): string | undefined {
  return operation !== undefined && isOperation(operation) ? endpoints[operation].path : undefined;
}
