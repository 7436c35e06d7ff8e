import { defineCommand, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { argument, flag, nameOf, onOff, option, path, requiredOption } from '../../cli/options.ts';
import { outcomeFields } from '../../cli/several.ts';
import { collect } from '../../lib/batches.ts';
import { duration, integer, ValueError } from '../../lib/parse.ts';
import { command } from '../../lib/text/remark.ts';
import type { Fields } from '../../output/fields.ts';
import type { Row } from '../../output/row.ts';
import { findTeam } from '../../resources/resolve.ts';
import { countOptions, fileOptions, nameByOption } from './count-options.ts';

/** Files that are sent at the same time. */
const defaultConcurrency = 3;

/** Milliseconds that a service works on an upload at most, from when its answer was lost. */
const defaultSettleMs = 60_000;

const retiredAs = '{name} (until {date})';

const fields: Fields = [
  { name: 'path', importance: 9 },
  { name: 'change', importance: 8 },
  ...outcomeFields.filter(({ name }) => name !== 'given'),
  {
    name: 'reason',
    importance: 5,
    tone: (reason) => (reason === null || reason === undefined ? undefined : 'bad'),
  },
  { name: 'chars', kind: 'number', importance: 4 },
  { name: 'size', kind: 'bytes', detail: true },
  { name: 'id', kind: 'id', importance: 3, namedBy: 'name' },
  { name: 'name', detail: true },
];

/** A template that gives another name than the one that it is given. */
function template(raw: string): string {
  if (!raw.includes('{name}') || raw.trim() === '{name}')
    throw new ValueError(`must have {name} and something else in it, such as "${retiredAs}"`);
  return raw;
}

export const sync = defineCommand({
  name: 'sync',
  summary: 'Bring a folder into a team',
  description:
    'Uploads what is new or has changed, renames what was renamed, and does nothing about the rest: by a ledger beside ' +
    'the folder, .botctl-docs.json, which is meant to be committed. A document cannot be replaced or deleted through ' +
    'the API: where a file has changed there is another one, and the one before gets another name. A file that cannot ' +
    'be sent has a row with the reason, and the exit code is 10 until it is mended or left out. See botctl help syncing.',
  arguments: { folder: argument('the folder', path) },
  options: {
    team: requiredOption('--team <team>', 'team that the documents belong to, by name or id', nameOf('team')),
    check: flag('--check', 'change nothing; end with 11 where something differs'),
    ledger: option('--ledger <file>', 'the ledger (.botctl-docs.json beside the folder)', path),
    ...fileOptions,
    ...countOptions,
    nameBy: nameByOption,
    retryRefused: flag('--retry-refused', 'try again what was refused before'),
    retire: onOff(
      '--retire',
      'rename a document that another one took the place of (done anyway)',
      'leave its name to a document that another one took the place of',
    ),
    retireAs: option('--retire-as <template>', `what it is called then ("${retiredAs}")`, template),
    concurrency: option(
      '--concurrency <number>',
      'files that are sent at the same time (3)',
      integer({ min: 1, max: 16 }),
    ),
    settle: option(
      '--settle <duration>',
      'how long an upload whose answer was lost may still take effect (60s)',
      duration,
    ),
    retryUnknown: flag(
      '--retry-unknown',
      'send also what an earlier upload may have stored under other figures',
    ),
  },
  examples: [
    { line: 'botctl docs sync handbook --team "Aurora Coffee"', does: 'Bring a folder into a team' },
    {
      line: 'botctl docs sync handbook --team "Aurora Coffee" --check',
      does: 'See what differs, and change nothing',
    },
  ],
  needs: 'session',
  effect: 'changes',
  readsOnly: ({ check }) => check === true,
  output: { kind: 'list', fields },
  async prepare(session, { team, ...input }) {
    const { id: teamId } = await findTeam(session.api, team, { askWhich: session.askWhich });
    const [{ planSync }, { countingOf }, { planText }] = await Promise.all([
      import('../../resources/documents/sync/plan-sync.ts'),
      import('../../resources/documents/upload-sources.ts'),
      import('../../resources/documents/sync/sync-report.ts'),
    ]);
    const byPath = command('docs', 'sync', input.folder, '--team', team, '--name-by', 'path');
    const counting = await countingOf(session, input);
    const plan = await planSync(session, teamId, { ...input, counting, byPath });
    session.terminal.note(`${input.folder}: ${planText(plan)}.`);
    return plan;
  },
  async run(session, { check, concurrency, settle, retryUnknown, retire, retireAs }, plan) {
    const [{ runSync }, { checkSync }] = await Promise.all([
      import('../../resources/documents/sync/run-sync.ts'),
      import('../../resources/documents/sync/sync-report.ts'),
    ]);
    const { rows, failure } = check
      ? checkSync(plan)
      : runSync(session, plan, {
          concurrency: concurrency ?? defaultConcurrency,
          settleMs: settle ?? defaultSettleMs,
          retriesUnknown: retryUnknown,
          retireAs: retire === false ? undefined : (retireAs ?? retiredAs),
        });
    const shown = worthShowing(session, rows);
    // A table would stand between the lines that say to a person what was done.
    return withFailure(session.io.stdout.isTTY === true ? await collect(shown) : shown, failure);
  },
});

/** Returns the rows: to a person only those that say something, and as ids those that have one. */
async function* worthShowing(
  { io, options }: Session,
  rows: Iterable<Row> | AsyncIterable<Row>,
): AsyncGenerator<Row> {
  const isForPerson = io.stdout.isTTY === true && options.output === undefined;
  for await (const row of rows) {
    if (isForPerson && row.outcome === 'unchanged') continue;
    if (options.output === 'id' && typeof row.id !== 'string') continue;
    yield row;
  }
}
