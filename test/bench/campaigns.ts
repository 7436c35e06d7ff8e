import { randomInt, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { findServer } from './bench-server.ts';
import { quietLines } from './lines.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, mebibyte, run, type Setting } from './setting.ts';

/** Rows of a short list. */
const fewRows = 1000;

/** Messages of a run that is measured: those that a day may have. */
const messages = 1000;

/** Pairs at most: each takes some seconds, and one of so many rows minutes. */
const [mostRounds, rowsOfOneRound] = [5, 1_000_000];

/** Rows of the campaign to which one row is added. */
const rowsBefore = 300_000;

/** Where campaigns are. */
interface Place {
  readonly name: string;
  /** Rows of the lists that are compared with the short one. */
  readonly sizes: readonly number[];
  readonly env: Setting['env'];
}

/** What the service saw of a run, and what that took. */
interface Run extends Sample {
  /** Milliseconds from its start to its first message. */
  readonly untilFirst: number;
  /** Milliseconds from one message to the next, on average. */
  readonly perMessage: number;
}

/** What campaigns take: making them, going on with them, and each message beside a loop that sends alone. */
export async function campaigns(setting: Setting): Promise<readonly Comparison[]> {
  const env = {
    ...setting.env,
    BOTCTL_CONFIG_DIR: join(setting.directory, 'campaigns'),
    BOTCTL_BASE_URL: setting.origin,
    BOTCTL_KEY_ID: 'bench',
    BOTCTL_KEY_SECRET: 'a-secret-for-the-bench',
  };
  const sizes = [100_000, rowsOfOneRound];
  const onMachine = await measured(setting, { name: 'SQLite', sizes, env });
  const server = await findServer(setting.note, 'campaigns in a database');
  if (!server) return onMachine;
  try {
    const inDatabase = { ...env, BOTCTL_DATABASE: await server.makeDatabase() };
    const place = { name: 'PostgreSQL', sizes, env: inDatabase };
    return [...onMachine, ...(await measured(setting, place))];
  } finally {
    await server.stop();
  }
}

async function measured(setting: Setting, place: Place): Promise<readonly Comparison[]> {
  const rounds = Math.min(setting.rounds, mostRounds);
  const few = { setting, place, rows: fewRows };
  // Leaves the token and the compiled code that every later run finds.
  await runOf(few, (await madeOf(few)).name);
  const loop = (): Promise<Run> => loopOf(setting);
  const started = async (list: List, sent: number): Promise<Run> => {
    const { name } = await madeOf(list);
    if (sent > 0) await settle(list, name, sent);
    return runOf(list, name);
  };
  const short = await inTurns(rounds, () => started(few, 0), loop);
  const comparisons = perMessage(`a message of ${fewRows} rows`, place, short);
  for (const rows of place.sizes) {
    const many = { setting, place, rows };
    const pairs = rows < rowsOfOneRound ? rounds : 1;
    const made = await inTurns(
      pairs,
      () => madeOf(many),
      () => madeOf(few),
    );
    const long = await inTurns(pairs, () => started(many, rows / 2), loop);
    const resumed = long.flatMap(([ours], at): (readonly [Run, Run])[] => {
      const [theirs] = short[at] ?? [];
      return theirs ? [[ours, theirs]] : [];
    });
    comparisons.push(
      ...perMessage(`a message of ${rows} rows, half of which were sent`, place, long),
      compare(`  until the first ÷ of ${fewRows} rows`, 's', resumed, ({ untilFirst }) => untilFirst / 1000),
      compare(
        `campaign of ${rows} rows ÷ of ${fewRows}, on ${place.name}`,
        'rows/s',
        made,
        ({ rows, milliseconds }) => rows / (milliseconds / 1000),
      ),
      compare('  CPU', 'ms', made, ({ cpuMilliseconds }) => cpuMilliseconds),
      compare('  peak of memory', 'MiB', made, ({ peakBytes }) => peakBytes / mebibyte),
    );
  }
  const long = await madeOf({ setting, place, rows: rowsBefore });
  const brief = await madeOf(few);
  const added = await inTurns(
    rounds,
    () => addedTo(few, long.name),
    () => addedTo(few, brief.name),
  );
  return [
    ...comparisons,
    compare(
      `a row added to ${rowsBefore} ÷ to ${fewRows}, on ${place.name}`,
      'ms',
      added,
      ({ milliseconds }) => milliseconds,
    ),
    compare('  CPU', 'ms', added, ({ cpuMilliseconds }) => cpuMilliseconds),
  ];
}

function perMessage(what: string, { name }: Place, pairs: readonly (readonly [Run, Run])[]): Comparison[] {
  return [
    compare(`${what}, on ${name} ÷ undici loop`, 'ms', pairs, ({ perMessage }) => perMessage),
    compare(`  CPU of a run of ${messages}`, 'ms', pairs, ({ cpuMilliseconds }) => cpuMilliseconds),
  ];
}

/** A list of recipients that campaigns are made of. */
interface List {
  readonly setting: Setting;
  readonly place: Place;
  readonly rows: number;
}

/** Makes a campaign of a device of its own, whose day has so many messages. */
async function madeOf({ setting, place, rows }: List): Promise<Sample & { name: string; rows: number }> {
  const file = join(setting.directory, `${rows}.csv`);
  const people = Array.from({ length: rows }, (_, at) => `Person ${at},+55119${88_000_000 + at},Recife\n`);
  writeFileSync(file, `name,phone,city\n${people.join('')}`);
  const name = randomUUID();
  const words = ['campaigns', 'create', name, '--recipients', file, '--device', randomUUID()];
  const message = ['--message', 'Hello {{ name }} of {{ city }}'];
  const pace = ['--gap', '0s', '--daily', String(messages), '--tz', 'UTC'];
  const shown = ['--fields', 'rows', '-o', 'tsv'];
  const sample = await quietLines(1, [binary, ...words, ...message, ...pace, ...shown], place.env);
  return { ...sample, name, rows };
}

/** Adds a row to a campaign that has none with its number. */
function addedTo({ setting, place }: List, name: string): Promise<Sample> {
  const file = join(setting.directory, 'one.csv');
  writeFileSync(
    file,
    `name,phone,city\nPerson,+351912${String(randomInt(1_000_000)).padStart(6, '0')},Porto\n`,
  );
  const line = [binary, 'campaigns', 'add', name, '--recipients', file, '--fields', 'added', '-o', 'tsv'];
  return quietLines(1, line, place.env);
}

async function settle({ setting, place }: List, name: string, sent: number): Promise<void> {
  await run(process.execPath, [bundled('settle-case'), setting.origin, name, String(sent)], {
    env: place.env,
  });
}

/** Sends what a day of a campaign may have; exit 9 says that there is more. */
function runOf({ setting, place }: List, name: string): Promise<Run> {
  const line = [binary, 'campaigns', 'run', name, '--yes', '--fields', 'device', '-o', 'tsv'];
  return seen(setting, () => quietLines(1, line, place.env, [0, 9]));
}

function loopOf(setting: Setting): Promise<Run> {
  const line = [bundled('messages-loop'), setting.origin, String(messages)];
  return seen(setting, () => quietLines(1, line, setting.env));
}

const messagesForm = z.object({ count: z.number(), first: z.number(), last: z.number() });

/** Sends messages, and adds when the service took them. */
async function seen({ origin }: Setting, send: () => Promise<Sample>): Promise<Run> {
  const begun = Date.now();
  const sample = await send();
  const answer = await fetch(`${origin}/api/bench/messages`);
  const { count, first, last } = messagesForm.parse(await answer.json());
  if (count !== messages) throw new Error(`${count} messages were sent instead of ${messages}`);
  return { ...sample, untilFirst: first - begun, perMessage: (last - first) / (count - 1) };
}
