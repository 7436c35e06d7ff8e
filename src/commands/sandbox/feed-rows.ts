import { CommandResult, type ResultOf } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { type Since, sinceOption } from '../../cli/list/since.ts';
import { flag, option } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { Failure } from '../../lib/errors.ts';
import { Batches } from '../../lib/iterables.ts';
import { integer } from '../../lib/parse.ts';
import { remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { OutputFormat } from '../../output/options.ts';
import type { FeedRequest } from '../../sandbox/control/calls.ts';
import { maxFeedRows, maxFeedWaitMs } from '../../sandbox/feed.ts';
import { dataOption, runningSandbox } from './running.ts';

/** The number of rows that a terminal shows by default. */
const shownRows = 50;

/** The options of the commands that show requests and messages of the sandbox. */
export const feedOptions = {
  follow: flag('--follow', 'print new rows until Ctrl-C, or until the sandbox stops'),
  since: sinceOption(
    "only rows since a time, a day of this machine such as today, or a duration such as 5m by the sandbox's clock",
  ),
  limit: option(
    '--limit <number>',
    `number of rows, the newest ones (default on a terminal: ${shownRows})`,
    integer({ min: 1 }),
  ),
  data: dataOption,
};

/** The parsed values of `feedOptions`. */
interface FeedInput {
  readonly follow: boolean;
  readonly since?: Since | undefined;
  readonly limit?: number | undefined;
  readonly data?: string | undefined;
}

/** The common members of the commands that show requests and messages of the sandbox. */
export const feedCommand = {
  needs: 'nothing',
  effect: 'reads',
  // Rows with --follow are events, so in a pipe they use the format of events.
  format: ({ follow }: FeedInput, isTerminal: boolean): OutputFormat | undefined =>
    follow && !isTerminal ? 'ndjson' : undefined,
} as const;

/** A page from the control channel. */
interface Page {
  readonly rows: readonly Row[];
  readonly cursor: string;
  readonly more: boolean;
  readonly since?: string | undefined;
  readonly ended: boolean;
}

/**
 * Returns the rows that the options select, oldest first, page by page.
 * @param words the words of the command, for the hint that shows more rows
 */
export function feedRows(
  context: Context,
  words: readonly string[],
  input: FeedInput,
  read: (request: FeedRequest) => Promise<Page>,
): ResultOf<Batches<Row>> {
  const rows = new Batches(pages(context, words, input, read));
  return input.follow ? new CommandResult(rows, { isEndless: true }) : rows;
}

async function* pages(
  context: Context,
  words: readonly string[],
  { follow, since, limit, data }: FeedInput,
  read: (request: FeedRequest) => Promise<Page>,
): AsyncGenerator<readonly Row[]> {
  const { io, signal, terminal } = context;
  const isCut = limit === undefined && since === undefined && io.stdout.isTTY === true;
  const last = isCut ? shownRows : limit;
  let request: FeedRequest = { ...since, last, limit: maxFeedRows };
  let left = last ?? Number.POSITIVE_INFINITY;
  let isBegun = false;
  try {
    for (;;) {
      const page = await read(request);
      isBegun = true;
      // Rows that were added meanwhile are not among the requested ones.
      const rows = follow ? page.rows : page.rows.slice(0, left);
      left -= rows.length;
      if (rows.length > 0) yield rows;
      if (page.ended || (!page.more && !follow)) break;
      const wait = follow && !page.more ? maxFeedWaitMs : undefined;
      request = { after: page.cursor, since: page.since, limit: maxFeedRows, wait };
    }
  } catch (error) {
    if (!follow || !(await isEnd(context, data, isBegun))) throw error;
  }
  if (follow && !signal.aborted) terminal.note('The sandbox has stopped.');
  if (isCut && !follow && left === 0) {
    const more = sandboxCommands(context).running(...words, '--limit', '1000');
    terminal.note(remark`Only the newest ${String(shownRows)} are shown. For more, run: ${more}`);
  }
}

/** Returns whether an error while following is not a failure: the user interrupted it, or the sandbox was stopped. */
async function isEnd(context: Context, data: string | undefined, isBegun: boolean): Promise<boolean> {
  const { aborted, reason } = context.signal;
  if (aborted) return !(reason instanceof Failure && reason.kind === 'terminated');
  // A stopped sandbox removes its address file; a killed one leaves it behind.
  const isThere = runningSandbox(context, data).then(
    () => true,
    () => false,
  );
  return isBegun && !(await isThere);
}
