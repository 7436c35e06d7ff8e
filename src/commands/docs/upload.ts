import { existsSync } from 'node:fs';
import { defineCommand, withFailure } from '../../cli/command.ts';
import { willAsk } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { namesakesQuestion } from '../../cli/namesake-questions.ts';
import {
  argumentList,
  checkedPath,
  flag,
  ifAbsentOption,
  nameOf,
  option,
  requiredOption,
} from '../../cli/options.ts';
import { contentHash } from '../../documents/local-file.ts';
import { headroomFailure, readHeadroom, tooManyFailure } from '../../documents/upload/headroom.ts';
import { refusedFailure } from '../../documents/upload/refused-files.ts';
import { sendDocuments } from '../../documents/upload/upload-documents.ts';
import {
  newFigures,
  newUploads,
  type PlannedUpload,
  planUploads,
} from '../../documents/upload/upload-plan.ts';
import { plannedRows } from '../../documents/upload/upload-report.ts';
import {
  checkSource,
  checkSourceInput,
  openSources,
  type SourceInput,
  type UploadSources,
} from '../../documents/upload/upload-sources.ts';
import { Failure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { collect } from '../../lib/iterables.ts';
import { integer, nonEmptyText } from '../../lib/parse.ts';
import { exactQuote } from '../../lib/text/exact-quote.ts';
import { type CommandLine, command, remark } from '../../lib/text/remark.ts';
import { firstFew, inSentence } from '../../lib/text/sentence.ts';
import type { Row } from '../../output/fields.ts';
import { isThere } from '../../resources/namesakes.ts';
import { findNamed } from '../../resources/resolve.ts';
import { countOptions, fileOptions, nameByOption } from './count-options.ts';
import { uploadedDocumentFields } from './fields.ts';
import { defaultMaxNew, sendingOf, sendingOptions } from './sending-options.ts';
import { filesText, type PlanPart, showPlan } from './show-plan.ts';

/** The maximum number of files that the question of an assistant names. */
const maxFilesAsked = 50;

export const upload = defineCommand({
  name: 'upload',
  summary: 'Upload documents',
  description:
    'Counts the characters of each file, then uploads it. A folder means all files in it and in its subfolders, ' +
    'without those that docs count --help names. The path - means stdin, and needs --name. With several files, you ' +
    'see a plan and are asked first; in a script, more than 50 new documents need --max-new. If a file is refused or ' +
    'fails, the others are uploaded and the exit code is 10: run the same command again to send the rest. The API ' +
    'cannot replace or delete a document, so a file is not sent again if the team has a document with the same name, ' +
    'size and number of characters. See botctl help documents.',
  arguments: {
    path: argumentList('files, folders, or patterns such as "docs/**/*.pdf"', checkedPath(checkSource)),
  },
  options: {
    team: requiredOption('--team <team>', 'team that the document belongs to, by name or id', nameOf('team')),
    name: option('--name <name>', 'name of the document (default: name of the file)', nonEmptyText),
    chars: option('--chars <number>', 'number of characters, instead of counting', integer({ min: 1 })),
    nameBy: nameByOption,
    ...fileOptions,
    ...countOptions,
    ...sendingOptions,
    ifAbsent: ifAbsentOption,
    maxNew: option(
      '--max-new <number>',
      'send nothing if more than this number of documents are new (default: 50 in a script)',
      integer({ min: 0 }),
    ),
    dryRun: flag('--dry-run', 'send nothing; print the plan for each file'),
  },
  examples: [
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee"',
      does: 'Upload a text file',
    },
    {
      line: 'botctl docs upload scan.pdf --team "Aurora Coffee" --chars 18250',
      does: 'Upload a scanned PDF that has no text',
    },
    {
      line: 'botctl docs upload docs --include "*.pdf" --team "Aurora Coffee" -o id',
      does: 'Upload the PDF files of a folder; print their ids',
    },
    {
      line: 'botctl docs upload docs --team "Aurora Coffee" --dry-run',
      does: 'Preview the upload of a folder',
    },
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee" --if-absent -o id',
      does: 'Print the id of the document; upload it if missing',
    },
    {
      line: 'pandoc menu.html -t plain | botctl docs upload - --name menu.txt --team "Aurora Coffee"',
      does: 'Upload the output of another program',
    },
  ],
  needs: 'api',
  effect: 'creates',
  readsOnly: ({ dryRun }) => dryRun === true,
  allow: ['duplicate'],
  output: { kind: 'list', fields: uploadedDocumentFields },
  checkInput(input) {
    checkNoTeam(input);
    checkSourceInput(input);
  },
  async prepare(session, { team, ...input }) {
    const { api, askWhich, reporter } = session;
    const { ifAbsent, dryRun, maxNew } = input;
    const { id: teamId, name: teamName = team } = await findNamed(api, 'team', team, { askWhich });
    const typedTeam = teamName === team ? team : teamId;
    const optionsBut = (...left: readonly string[]): readonly string[] => {
      const others = session.typed.filter(([option = '']) => !['--team', ...left].includes(option));
      return ['--team', typedTeam, ...others.flat()];
    };
    const options = optionsBut();
    const sources = await openSources(session, input, [...options, ...allowed(session)]);
    try {
      const { isOne, refused } = sources;
      const choices = { ifAbsent, duplicate: session.allows('duplicate'), isRoomAsked: !isOne };
      const lookedAt = session.clock.now();
      const { plans, every, sizes } = await planUploads(session, sources.all, teamId, choices);
      const hashed = session.io.assistant ? newUploads(plans) : [];
      const digests = await Promise.all(
        hashed.map(({ source: { path, size } }) => contentHash(path, size, session.signal)),
      );
      const upload = { sources, plans, sizes, digests, lookedAt, teamId, teamName, options };
      const atMost = maxNew ?? (isOne || session.prompts.available ? Infinity : defaultMaxNew);
      const count = newUploads(plans).length;
      const others = [...optionsBut('--max-new'), ...allowed(session)];
      const all = command('docs', 'upload', ...input.path, ...others, '--max-new', String(count));
      const tooMany = tooManyFailure(count, atMost, remark`To allow them: ${all}`);
      if (tooMany && !dryRun) throw tooMany;
      if (isOne) return { ...upload, problem: tooMany };
      const room = every ? await readHeadroom(session, teamId, every, isId(team)) : {};
      showPlan(reporter, partsOf(plans), refused, room, willAsk(session) && !dryRun);
      const problem = tooMany ?? headroomFailure(room, newFigures(plans), typedTeam);
      if (problem && !dryRun) throw problem;
      return { ...upload, problem };
    } catch (error) {
      sources.close();
      throw error;
    }
  },
  // A confirmation for an assistant is valid only for this team and these contents.
  idOf: ({ teamId, digests }) => [teamId, ...digests].join(' '),
  async confirm(session, { dryRun }, { sources, plans, teamName }) {
    const toSend = newUploads(plans);
    if (dryRun || toSend.length === 0) return undefined;
    const again = toSend.filter(({ namesakes }) => namesakes.length > 0);
    const names = again.map(({ source }) => source.name);
    const { assistant } = session.io;
    const isAsked = willAsk(session) && (assistant !== undefined || !sources.isOne);
    if (!isAsked) return namesakesQuestion(session, 'document', names);
    const files = toSend.map(({ source }) => `${exactQuote(source.name)} (${source.chars} characters)`);
    const statements = [
      assistant && `This sends ${firstFew(files, maxFilesAsked)}.`,
      names.length > 0 && `${isThere('document', names)}.`,
    ];
    return {
      level: 'yes',
      statement: statements.filter(Boolean).join(' '),
      question: `Upload ${filesText(toSend.length)} to ${inSentence(teamName)}?`,
    };
  },
  async run(session, input, { sources, plans, sizes, lookedAt, teamId, options, problem }) {
    const { isOne, refused } = sources;
    const typedPaths = new Set(input.path);
    const lineFor = (left: readonly PlannedUpload[]): CommandLine => {
      const paths = left.map(({ source }) => source.typed);
      // Existing documents are found again, so the command with the folder continues the upload.
      if (!paths.every((path) => typedPaths.has(path)))
        return command('docs', 'upload', ...input.path, ...options);
      return command('docs', 'upload', ...paths, ...options, ...allowed(session));
    };
    try {
      if (input.dryRun) {
        const rows = [...plannedRows(plans, refused, teamId)];
        return withFailure(rows, problem ?? refusedFailure(plans.length, refused));
      }
      const { rows, failure } = sendDocuments(session, plans, {
        ...{ teamId, refused, isOne, lookedAt, sizes, lineFor },
        ...sendingOf(session, input),
        ifAbsent: input.ifAbsent,
      });
      // Stdin is a single file, and its content exists only until it is sent. A table would interrupt the progress
      // messages on the terminal.
      const isWhole = isOne || session.io.stdout.isTTY === true;
      // Ids are printed for further use, and a failed file has none.
      const printed = session.options.output === 'id' ? withId(rows) : rows;
      return withFailure(isWhole ? sortRows(await collect(printed), sources) : printed, failure);
    } finally {
      sources.close();
    }
  },
});

/** @throws Failure `usage` if the first path is probably the team, as in `docs upload Aurora menu.txt` */
function checkNoTeam({
  team,
  path: [first, ...files] = [],
}: Partial<Pick<SourceInput, 'path'> & { team: string }>): void {
  if (team !== undefined || first === undefined || files.length === 0 || existsSync(first)) return;
  // A path, a pattern or stdin is not the team.
  if (!/^[^/.*]+$/.test(first) || first === '-') return;
  throw new Failure('usage', `There is no file "${inSentence(first)}".`, {
    hint: remark`If it is the team, write: ${command('docs', 'upload', ...files, '--team', first)}`,
  });
}

/** Returns the options with which the user allowed duplicates. */
function allowed(session: Session): readonly string[] {
  return session.allows('duplicate') ? ['--allow', 'duplicate'] : [];
}

/** Returns the parts of the displayed plan. */
function partsOf(plans: readonly PlannedUpload[]): readonly PlanPart[] {
  const filesOf = (ones: readonly PlannedUpload[]) => ones.map(({ source }) => source);
  return [
    { action: 'new', files: filesOf(newUploads(plans)) },
    { action: 'already there', files: filesOf(plans.filter(({ existing }) => existing)) },
  ];
}

/** Returns the rows, which arrive as files are finished, in the order of the files, with refused files last. */
function sortRows(rows: readonly Row[], { all, refused }: UploadSources): readonly Row[] {
  const places = new Map(
    [...all.map(({ typed }) => typed), ...refused.map(({ path }) => path)].map((typed, place) => [
      typed,
      place,
    ]),
  );
  const placeOf = ({ given }: Row): number => places.get(String(given)) ?? 0;
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

async function* withId(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (row.id !== undefined) yield row;
}
