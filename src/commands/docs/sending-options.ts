import type { Session } from '../../cli/context.ts';
import { flag, option } from '../../cli/options.ts';
import type { SendOptions } from '../../documents/upload/upload-intent.ts';
import { Failure } from '../../lib/errors.ts';
import { integer } from '../../lib/parse.ts';

/** The maximum number of documents that a script sends without --max-new. */
export const defaultMaxNew = 50;

/** The number of files that are sent at the same time. */
const defaultConcurrency = 3;

/** The options of all commands that send files. */
export const sendingOptions = {
  concurrency: option(
    '--concurrency <number>',
    'files to send at the same time (default: 3)',
    integer({ min: 1, max: 16 }),
  ),
  retryUnknown: flag(
    '--retry-unknown',
    'resend files if it is unknown whether their earlier upload succeeded; they may then exist twice',
  ),
};

interface SendingInput {
  readonly concurrency: number | undefined;
  readonly retryUnknown: boolean;
}

/** Returns how to send documents, from the options. */
export function sendingOf(
  { io }: Pick<Session, 'io'>,
  { concurrency = defaultConcurrency, retryUnknown }: SendingInput,
): SendOptions {
  const outputClosed = new AbortController();
  io.stdout.once('close', () => outputClosed.abort(new Failure('outputFailed', 'The output was closed.')));
  return { concurrency, retriesUnknown: retryUnknown, outputClosed: outputClosed.signal };
}
