import { type Confirmation, defineCommand, withFailure } from '../../cli/command.ts';
import { isPreconfirmed, willAsk } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { argument, flag, manyOptions, nameOf, option, path, requiredOption } from '../../cli/options.ts';
import { outcomeFields } from '../../cli/several.ts';
import type { SyncPlan } from '../../documents/sync/plan-sync.ts';
import type { PlannedFile } from '../../documents/sync/planned-file.ts';
import { headroomFailure, readHeadroom, tooManyFailure } from '../../documents/upload/headroom.ts';
import { countingOf } from '../../documents/upload/upload-sources.ts';
import { usageFailure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { Batches, collect } from '../../lib/iterables.ts';
import { integer } from '../../lib/parse.ts';
import { command } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Fields, Row } from '../../output/fields.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { findNamed } from '../../resources/resolve.ts';
import { countOptions, fileOptions, nameByChoice } from './count-options.ts';
import { defaultMaxNew, sendingOf, sendingOptions } from './sending-options.ts';
import { showPlan } from './show-plan.ts';

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

export const sync = defineCommand({
  name: 'sync',
  summary: 'Sync a folder to a team',
  description:
    'Uploads new and changed files and renames documents of renamed files. A ledger beside the folder, ' +
    '.botctl-docs.json, records what was sent: commit it. The API cannot replace or delete a document, so a changed ' +
    'file is uploaded as a new document, and the old document is renamed. If a file cannot be sent, its row shows the ' +
    'reason, and the exit code is 10 until you fix or exclude the file. See botctl help documents.',
  arguments: { folder: argument('the folder', path) },
  options: {
    team: requiredOption('--team <team>', 'team that the documents belong to, by name or id', nameOf('team')),
    check: flag('--check', 'change nothing; exit code 11 if something differs'),
    attach: manyOptions('--attach <bot>', 'bot to attach the documents to, by name or id', nameOf('bot')),
    detachRemoved: flag('--detach-removed', 'detach documents whose files were deleted'),
    ledger: option(
      '--ledger <file>',
      'path of the ledger (default: .botctl-docs.json beside the folder)',
      path,
    ),
    ...fileOptions,
    ...countOptions,
    maxNew: option(
      '--max-new <number>',
      'send nothing if more than this number of documents are new (default: 50 in a script)',
      integer({ min: 0 }),
    ),
    nameBy: nameByChoice,
    ...sendingOptions,
  },
  examples: [
    { line: 'botctl docs sync handbook --team "Aurora Coffee"', does: 'Sync a folder to a team' },
    {
      line: 'botctl docs sync handbook --team "Aurora Coffee" --attach "Night desk"',
      does: 'Sync, and attach all documents to a bot',
    },
    {
      line: 'botctl docs sync handbook --team "Aurora Coffee" --check',
      does: 'Show the differences without a change',
    },
  ],
  needs: 'api',
  effect: 'changes',
  allow: ['unpublish'],
  checkInput({ attach, detachRemoved }) {
    if (detachRemoved && !attach?.length) throw usageFailure(['--detach-removed needs --attach.']);
  },
  readsOnly: ({ check }) => check === true,
  output: { kind: 'list', fields },
  async prepare(session, { team, attach, detachRemoved, ...input }) {
    const [{ planSync }, { linesAfter }, { chosenFiles, readBots, wantedDocuments }] = await Promise.all([
      import('../../documents/sync/plan-sync.ts'),
      import('../../documents/sync/planned-file.ts'),
      import('../../documents/sync/attach.ts'),
    ]);
    const byPath = command('docs', 'sync', input.folder, '--team', team, '--name-by', 'path');
    const counting = await countingOf(session, input);
    const { id: teamId } = await findNamed(session.api, 'team', team, { askWhich: session.askWhich });
    const plan = await planSync(session, teamId, { ...input, counting, byPath });
    const bots = await readBots(session, attach, teamId);
    const attaching = { bots, detachRemoved, chosen: chosenFiles(plan) };
    const lines = bots.length > 0 ? linesAfter(plan.ledger.lines, plan) : [];
    const changing = bots.filter((bot) => wantedDocuments(bot, lines, attaching) !== undefined);
    const changes = (await showSyncPlan(session, plan, { ...input, team })) || changing.length > 0;
    // Every change of a bot unpublishes it.
    const down = changing.filter(({ published }) => published !== false);
    if (down.length > 0) session.terminal.note(`This unpublishes ${labels(down)} (${publication(down)}).`);
    return { plan, attaching, down, changes };
  },
  async confirm(session, { check, folder, team }, { down, changes }): Promise<Confirmation | undefined> {
    // In a script, a bot whose change is not allowed is skipped.
    if (check || !changes || !session.prompts.available) return undefined;
    if (down.length === 0 || isPreconfirmed('unpublish', session)) {
      return { level: 'yes', statement: '', question: `Sync ${inSentence(folder)} to ${inSentence(team)}?` };
    }
    const what = `${labels(down)} ${down.length === 1 ? 'is' : 'are'} ${publication(down)}`;
    return {
      level: 'yes',
      allow: 'unpublish',
      statement: `${what}. Attaching documents unpublishes a bot, and the API cannot publish it again.`,
      question: 'Sync and attach?',
    };
  },
  async run(session, { check, ...input }, { plan, attaching, down }) {
    const [{ runSync }, { checkSync }] = await Promise.all([
      import('../../documents/sync/run-sync.ts'),
      import('../../documents/sync/sync-report.ts'),
    ]);
    const { rows, failure } = check
      ? checkSync(plan, attaching)
      : runSync(session, plan, {
          ...sendingOf(session, input),
          attaching,
          // The user was not asked about a bot that was published since.
          isAllowed: ({ id }) =>
            isPreconfirmed('unpublish', session) ||
            (session.prompts.available && down.some((bot) => bot.id === id)),
        });
    const shown = worthShowing(session, rows);
    // A table would interrupt the progress messages on the terminal.
    return withFailure(session.io.stdout.isTTY === true ? await collect(shown) : shown, failure);
  },
});

interface PlanInput {
  readonly folder: string;
  readonly team: string;
  readonly check: boolean;
  readonly maxNew: number | undefined;
}

/**
 * Reports the plan for the files. Returns true if documents will be sent, renamed or retired.
 * @throws Failure `notConfirmed` if more documents would be sent than `--max-new`, or its default in a script, allows;
 *   `notFound` if the team does not exist, `rejected` if it has no room for them
 */
async function showSyncPlan(
  session: Session,
  plan: SyncPlan,
  { folder, team, check, maxNew }: PlanInput,
): Promise<boolean> {
  const { reporter, prompts } = session;
  const [{ unknownNamesakes }, { filesToSend }, { namesOf, planText, refusedIn, documentsToRetire }] =
    await Promise.all([
      import('../../documents/sync/plan-sync.ts'),
      import('../../documents/sync/planned-file.ts'),
      import('../../documents/sync/sync-report.ts'),
    ]);
  session.terminal.note(`${folder}: ${planText(plan)}.`);
  const toSend = filesToSend(plan);
  const renamed = plan.files.filter(({ change }) => change === 'renamed');
  const there = unknownNamesakes(plan);
  if (there.length > 0) {
    const what = `The team has documents with these names that are not in the ledger: ${namesOf(there)}`;
    reporter.warn(`${what}. They stay unchanged, and new documents with the same names are created.`);
  }
  const listed = plan.documents.map((document) => ({ ...document }));
  const room = toSend.length > 0 ? await readHeadroom(session, plan.teamId, listed, isId(team)) : {};
  const partOf = (action: string, files: readonly PlannedFile[]) => ({
    action,
    files: files.map(({ file, counted, line }) => ({ ...file, chars: counted?.chars ?? line?.chars ?? 0 })),
  });
  const changing = (kind: PlannedFile['change']) => toSend.filter(({ change }) => change === kind);
  const parts = [
    partOf('new', changing('new')),
    partOf('changed', changing('changed')),
    partOf('renamed', renamed),
  ];
  const isAny = toSend.length + renamed.length > 0;
  if (isAny) showPlan(reporter, parts, refusedIn(plan), room, willAsk(session) && !check);
  if (!check) {
    const most = maxNew ?? (prompts.available ? Infinity : defaultMaxNew);
    const tooMany = tooManyFailure(toSend.length, most, `To allow them, add: --max-new ${toSend.length}`);
    const characters = toSend.reduce((sum, { counted }) => sum + (counted?.chars ?? 0), 0);
    const problem = tooMany ?? headroomFailure(room, { documents: toSend.length, characters }, team);
    if (problem) throw problem;
  }
  return isAny || documentsToRetire(plan).length > 0;
}

/** Returns `published`, or that bots may be published. None of them is known to be unpublished. */
function publication(bots: readonly Bot[]): string {
  return bots.every(({ published }) => published) ? 'published' : 'published, or possibly published';
}

function labels(bots: readonly Bot[]): string {
  return bots.map(({ label }) => label).join(', ');
}

/**
 * Filters the rows: without -o a terminal does not show unchanged files, and the output of ids has only documents that
 * belong to files.
 */
function worthShowing({ io, options }: Session, rows: readonly Row[] | Batches<Row>): Batches<Row> {
  const isForPerson = io.stdout.isTTY === true && options.output === undefined;
  const isShown = ({ outcome, id, change }: Row): boolean =>
    !(isForPerson && outcome === 'unchanged') &&
    (options.output !== 'id' || (typeof id === 'string' && change !== 'removed'));
  const shown = async function* (): AsyncGenerator<readonly Row[]> {
    const batches = rows instanceof Batches ? rows.batches : [rows];
    for await (const batch of batches) {
      const worth = batch.filter(isShown);
      if (worth.length > 0) yield worth;
    }
  };
  return new Batches(shown());
}
