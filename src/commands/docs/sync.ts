import { type Confirmation, defineCommand, withFailure } from '../../cli/command.ts';
import { isAgreedAhead } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import {
  argument,
  flag,
  manyOptions,
  nameOf,
  onOff,
  option,
  path,
  requiredOption,
} from '../../cli/options.ts';
import { outcomeFields } from '../../cli/several.ts';
import { collect } from '../../lib/batches.ts';
import { usageFailure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { duration, integer, ValueError } from '../../lib/parse.ts';
import { command } from '../../lib/text/remark.ts';
import type { Fields } from '../../output/fields.ts';
import type { Row } from '../../output/row.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import type { SyncPlan } from '../../resources/documents/sync/plan-sync.ts';
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
  { name: 'bot', kind: 'id', importance: 2, namedBy: 'name' },
  { name: 'attached', kind: 'number', detail: true },
  { name: 'detached', kind: 'number', detail: true },
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
    attach: manyOptions('--attach <bot>', 'give a bot the documents, by name or id', nameOf('bot')),
    detachRemoved: flag('--detach-removed', 'take the documents of files that are gone away from those bots'),
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
      line: 'botctl docs sync handbook --team "Aurora Coffee" --attach "Night desk"',
      does: 'The same, and let a bot know all of it',
    },
    {
      line: 'botctl docs sync handbook --team "Aurora Coffee" --check',
      does: 'See what differs, and change nothing',
    },
  ],
  needs: 'session',
  effect: 'changes',
  heeds: ['unpublish'],
  checkInput({ attach, detachRemoved }) {
    if (detachRemoved && !attach?.length)
      throw usageFailure([
        '--detach-removed takes documents away from the bots of --attach, and there is none.',
      ]);
  },
  readsOnly: ({ check }) => check === true,
  output: { kind: 'list', fields },
  async prepare(session, { team, attach, detachRemoved, ...input }) {
    const { id: teamId } = await findTeam(session.api, team, { askWhich: session.askWhich });
    const [{ planSync }, { chosenFiles, readBots, takenDown }, { countingOf }, { planText }] =
      await Promise.all([
        import('../../resources/documents/sync/plan-sync.ts'),
        import('../../resources/documents/sync/attach.ts'),
        import('../../resources/documents/upload-sources.ts'),
        import('../../resources/documents/sync/sync-report.ts'),
      ]);
    const byPath = command('docs', 'sync', input.folder, '--team', team, '--name-by', 'path');
    const counting = await countingOf(session, input);
    const plan = await planSync(session, teamId, { ...input, counting, byPath });
    if (!input.check) await checkRoom(session, plan, team);
    const bots = await readBots(session, attach, teamId);
    const attaching = { bots, detachRemoved, chosen: chosenFiles(plan) };
    session.terminal.note(`${input.folder}: ${planText(plan)}.`);
    const down = takenDown(plan, attaching);
    if (down.length > 0) session.terminal.note(`Published, and taken down by this: ${labels(down)}.`);
    return { plan, attaching, down };
  },
  async confirm({ prompts }, { check }, { down }): Promise<Confirmation | undefined> {
    // Where nobody can be asked, what is not allowed waits.
    if (check || down.length === 0 || !prompts.available) return undefined;
    const what = down.length === 1 ? `${labels(down)} is published` : `${labels(down)} are published`;
    return {
      level: 'yes',
      allow: 'unpublish',
      statement: `${what}. Attaching documents unpublishes a bot, and the API cannot publish it again.`,
      question: 'Sync and attach?',
    };
  },
  async run(
    session,
    { check, concurrency, settle, retryUnknown, retire, retireAs },
    { plan, attaching, down },
  ) {
    const [{ runSync }, { checkSync }] = await Promise.all([
      import('../../resources/documents/sync/run-sync.ts'),
      import('../../resources/documents/sync/sync-report.ts'),
    ]);
    const { rows, failure } = check
      ? checkSync(plan, attaching, retire !== false)
      : runSync(session, plan, {
          concurrency: concurrency ?? defaultConcurrency,
          settleMs: settle ?? defaultSettleMs,
          retriesUnknown: retryUnknown,
          retireAs: retire === false ? undefined : (retireAs ?? retiredAs),
          attaching,
          // One that was published since is not one that a person was asked about.
          isAllowed: ({ id }) =>
            isAgreedAhead('unpublish', session) ||
            (session.prompts.available && down.some((bot) => bot.id === id)),
        });
    const shown = worthShowing(session, rows);
    // A table would stand between the lines that say to a person what was done.
    return withFailure(session.io.stdout.isTTY === true ? await collect(shown) : shown, failure);
  },
});

/** @throws Failure `notFound` for a team that isn't there, `rejected` for one that has no room for what is new */
async function checkRoom(
  session: Session,
  { teamId, files, documents }: SyncPlan,
  team: string,
): Promise<void> {
  const sent = files.filter(({ change, there }) => (change === 'new' || change === 'changed') && !there);
  if (sent.length === 0) return;
  if (isId(team)) await session.api.call('getTeam', { path: { id: teamId } });
  const { lackOfRoom, readHeadroom } = await import('../../resources/documents/headroom.ts');
  const room = await readHeadroom(
    session,
    teamId,
    documents.map((document) => ({ ...document })),
  );
  const characters = sent.reduce((sum, { counted }) => sum + (counted?.chars ?? 0), 0);
  const problem = lackOfRoom(room, { documents: sent.length, characters }, team);
  if (problem) throw problem;
}

function labels(bots: readonly Bot[]): string {
  return bots.map(({ label }) => label).join(', ');
}

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
