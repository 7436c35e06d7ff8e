import { randomUUID } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { lines } from './lines.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, mebibyte, type Setting, signedIn } from './setting.ts';

/** Rows of a campaign of each size. */
const [fewRows, manyRows] = [1000, 1_000_000];

/** The campaigns of a directory, with the maximum messages per day of each. */
const perDay = { whole: 1000, first: 1 } as const;
type Name = keyof typeof perDay;

/** Maximum number of pairs, because each takes many seconds. */
const mostRounds = 3;

const mostMemory = 96 * mebibyte;

/** Compares a message of a campaign with a script written by hand, and measures the memory of rows. */
export async function campaigns(setting: Setting): Promise<readonly Comparison[]> {
  const book = join(setting.directory, 'campaigns');
  const peak = (await create(setting, book, 'whole', fewRows)).peakBytes;
  await create(setting, book, 'first', fewRows);
  // Fills the compile cache that every later run uses.
  await cpuOfMessage(setting, book, runOf);
  const pairs = await inTurns(
    Math.min(setting.rounds, mostRounds),
    () => cpuOfMessage(setting, book, runOf),
    () => cpuOfMessage(setting, book, loopOf),
  );
  const large = await create(setting, join(setting.directory, 'campaigns-large'), 'whole', manyRows);
  return [
    compare('a message ÷ claim, undici and settle', 'ms CPU', pairs, (figure) => figure, {
      is: 'at most',
      value: 2,
    }),
    compare(
      `memory of creating ${manyRows} rows, less that of ${fewRows} ÷ the most that it may be`,
      'MiB',
      [[large.peakBytes - peak, mostMemory]],
      (bytes) => bytes / mebibyte,
      { is: 'at most', value: 1 },
    ),
  ];
}

const environment = (setting: Setting, book: string) => signedIn(setting, setting.origin, book);

function create(setting: Setting, book: string, name: Name, rows: number): Promise<Sample> {
  const file = join(setting.directory, 'recipients.csv');
  const people = Array.from({ length: rows }, (_, at) => `Person ${at},+55119${88_000_000 + at},Recife\n`);
  writeFileSync(file, `name,phone,city\n${people.join('')}`);
  const words = ['campaigns', 'create', name, '--recipients', file, '--device', randomUUID()];
  const message = ['--message', 'Hello {{ name }} of {{ city }}'];
  const pace = ['--gap', '0s', '--daily', String(perDay[name]), '--tz', 'UTC'];
  const shown = ['--fields', 'rows', '-o', 'tsv'];
  const args = [binary, ...words, ...message, ...pace, ...shown];
  return lines(1, args, environment(setting, book));
}

/** Sends the day's maximum of messages of a campaign. */
type Send = (setting: Setting, book: string, name: Name) => Promise<Sample>;

/** Exit code 9 means that there are more messages than the day's maximum. */
const runOf: Send = (setting, book, name) => {
  const words = ['campaigns', 'run', name, '--yes', '--fields', 'device', '-o', 'tsv'];
  return lines(1, [binary, ...words], environment(setting, book), [0, 9]);
};

const loopOf: Send = (setting, book, name) => {
  const words = [setting.origin, join(book, 'data', 'campaigns.db'), name, String(perDay[name])];
  return lines(1, [bundled('claim-loop'), ...words], setting.env);
};

/**
 * Returns the CPU time of a message in milliseconds: the difference between a run of many and a run of one, divided by
 * the difference in messages.
 */
async function cpuOfMessage(setting: Setting, book: string, send: Send): Promise<number> {
  const copy = `${book}-copy`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(book, copy, { recursive: true, preserveTimestamps: true });
  const one = await send(setting, copy, 'first');
  const all = await send(setting, copy, 'whole');
  const answer = await fetch(`${setting.origin}/api/bench/messages`);
  const { count } = z.object({ count: z.number() }).parse(await answer.json());
  const wanted = perDay.first + perDay.whole;
  if (count !== wanted) throw new Error(`${count} messages were sent instead of ${wanted}`);
  return (all.cpuMilliseconds - one.cpuMilliseconds) / (perDay.whole - perDay.first);
}
