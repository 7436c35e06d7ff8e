import { randomUUID } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { quietLines } from './lines.ts';
import { type Aim, type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, mebibyte, run, type Setting } from './setting.ts';

/** Rows of a campaign of each size. */
const [fewRows, manyRows, mostRows] = [1000, 300_000, 1_000_000];

const optOuts = 200_000;

/** Messages of a run that is measured. */
const messages = 1000;

/** Pairs at most: each takes many seconds. */
const mostRounds = 3;

/** From the issue, as are the figures below. */
const messageAim: Aim = { is: 'at most', value: 2 };
const addAim: Aim = { is: 'at most', value: 1.5 };
/** Noise. */
const unchangedAim: Aim = { is: 'at most', value: 1.1 };
/** A figure beside the most that it may be. */
const whole: Aim = { is: 'at most', value: 1 };
const [longestCount, mostMemory] = [400, 96 * mebibyte];

const messagesForm = z.object({ count: z.number() });

const same = (figure: number): number => figure;

/** What campaigns take: a message beside a script written by hand, and what grows with rows and opt-outs. */
export async function campaigns(setting: Setting): Promise<readonly Comparison[]> {
  const rounds = Math.min(setting.rounds, mostRounds);
  const few = await makeBook(setting, 'few', fewRows);
  const many = await makeBook(setting, 'many', manyRows);
  await importOptOuts(many, optOuts);
  // Leaves the compiled code that every later run finds.
  await cpuOfMessage(few, runOf);
  await millisecondsOfAdding(few);
  await millisecondsOfCounts(few);
  const beside = await inTurns(
    rounds,
    () => cpuOfMessage(few, runOf),
    () => cpuOfMessage(few, loopOf),
  );
  const grown = await inTurns(
    rounds,
    () => cpuOfMessage(many, runOf),
    () => cpuOfMessage(few, runOf),
  );
  const added = await inTurns(
    rounds,
    () => millisecondsOfAdding(many),
    () => millisecondsOfAdding(few),
  );
  const counts = await inTurns(
    rounds,
    () => millisecondsOfCounts(many),
    async () => longestCount,
  );
  const more = (await peakOfCreating(setting, mostRows)) - (await peakOfCreating(setting, fewRows));
  return [
    compare('a message ÷ claim, undici and settle', 'ms CPU', beside, same, messageAim),
    compare(
      `a message of ${manyRows} rows, ${optOuts} opt-outs ÷ of ${fewRows}, none`,
      'ms CPU',
      grown,
      same,
      unchangedAim,
    ),
    compare(`one row added to ${manyRows} rows ÷ to ${fewRows}`, 'ms', added, same, addAim),
    compare(
      `counts of three campaigns of ${manyRows} rows ÷ the most that they may take`,
      'ms',
      counts,
      same,
      whole,
    ),
    compare(
      `memory of creating ${mostRows} rows, less that of ${fewRows} ÷ the most that it may be`,
      'MiB',
      [[more, mostMemory]],
      (bytes) => bytes / mebibyte,
      whole,
    ),
  ];
}

/** A directory with campaigns of a size, which is copied before anything changes in it. */
interface Book {
  readonly setting: Setting;
  readonly directory: string;
  readonly rows: number;
}

/** The campaigns of each book: two that are sent, by how many messages a day may have of them, and one more to count. */
const sent = { whole: messages, first: 1, other: 1 } as const;
type Name = keyof typeof sent;

async function makeBook(setting: Setting, name: string, rows: number): Promise<Book> {
  const book = { setting, directory: join(setting.directory, `campaigns-${name}`), rows };
  for (const campaign of ['whole', 'first', 'other'] as const) await create(book, campaign);
  return book;
}

/** Returns a fresh copy of a book. */
function copyOf({ setting, directory, rows }: Book): Book {
  const copy = `${directory}-copy`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
  return { setting, directory: copy, rows };
}

function environment({ setting, directory }: Book): Setting['env'] {
  return {
    ...setting.env,
    BOTCTL_CONFIG_DIR: directory,
    BOTCTL_BASE_URL: setting.origin,
    BOTCTL_KEY_ID: 'bench',
    BOTCTL_KEY_SECRET: 'a-secret-for-the-bench',
  };
}

function create(book: Book, name: Name): Promise<Sample> {
  const file = join(book.setting.directory, 'recipients.csv');
  const people = Array.from(
    { length: book.rows },
    (_, at) => `Person ${at},+55119${88_000_000 + at},Recife\n`,
  );
  writeFileSync(file, `name,phone,city\n${people.join('')}`);
  const words = ['campaigns', 'create', name, '--recipients', file, '--device', randomUUID()];
  const message = ['--message', 'Hello {{ name }} of {{ city }}'];
  const pace = ['--gap', '0s', '--daily', String(sent[name]), '--tz', 'UTC'];
  const shown = ['--fields', 'rows', '-o', 'tsv'];
  return quietLines(1, [binary, ...words, ...message, ...pace, ...shown], environment(book));
}

async function importOptOuts(book: Book, count: number): Promise<void> {
  const file = join(book.setting.directory, 'opt-outs.csv');
  writeFileSync(file, Array.from({ length: count }, (_, at) => `+55219${88_000_000 + at}\n`).join(''));
  const words = ['optouts', 'import', file, '--yes', '-o', 'json'];
  await run(process.execPath, [binary, ...words], { env: environment(book) });
}

/** Sends as many messages of a campaign as a day may have. */
type Send = (book: Book, name: Name) => Promise<Sample>;

/** Exit 9 says that there are more messages than a day may have. */
const runOf: Send = (book, name) => {
  const words = ['campaigns', 'run', name, '--yes', '--fields', 'device', '-o', 'tsv'];
  return quietLines(1, [binary, ...words], environment(book), [0, 9]);
};

const loopOf: Send = ({ setting, directory }, name) => {
  const file = join(directory, 'data', 'campaigns.db');
  const words = [setting.origin, file, name, String(sent[name])];
  return quietLines(1, [bundled('claim-loop'), ...words], setting.env);
};

/** Returns the CPU time of a message in milliseconds: that of a run of many less that of a run of one. */
async function cpuOfMessage(book: Book, send: Send): Promise<number> {
  const copy = copyOf(book);
  const one = await send(copy, 'first');
  const all = await send(copy, 'whole');
  const answer = await fetch(`${book.setting.origin}/api/bench/messages`);
  const { count } = messagesForm.parse(await answer.json());
  if (count !== messages + 1) throw new Error(`${count} messages were sent instead of ${messages + 1}`);
  return (all.cpuMilliseconds - one.cpuMilliseconds) / (messages - 1);
}

async function millisecondsOfAdding(book: Book): Promise<number> {
  const file = join(book.setting.directory, 'one.csv');
  writeFileSync(file, 'name,phone,city\nAna,+5531988887777,Recife\n');
  const words = ['campaigns', 'add', 'whole', '--recipients', file, '--fields', 'rows', '-o', 'tsv'];
  return (await quietLines(1, [binary, ...words], environment(copyOf(book)))).milliseconds;
}

async function millisecondsOfCounts(book: Book): Promise<number> {
  const words = ['campaigns', 'list', '--fields', 'name', '-o', 'tsv'];
  return (await quietLines(3, [binary, ...words], environment(book))).milliseconds;
}

async function peakOfCreating(setting: Setting, rows: number): Promise<number> {
  const book = { setting, directory: join(setting.directory, `creating-${rows}`), rows };
  return (await create(book, 'whole')).peakBytes;
}
