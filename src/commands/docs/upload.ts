import { defineCommand, withFailure } from '../../cli/command.ts';
import { ifAbsentOption, namesakesQuestion } from '../../cli/namesakes.ts';
import {
  argumentList,
  checkedPath,
  choice,
  flag,
  nameOf,
  option,
  optionOr,
  requiredOption,
} from '../../cli/options.ts';
import { collect } from '../../lib/batches.ts';
import { duration, integer, someText } from '../../lib/parse.ts';
import { type CommandLine, command } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import { sendDocuments } from '../../resources/documents/upload-documents.ts';
import { type PlannedUpload, planUploads } from '../../resources/documents/upload-plan.ts';
import { checkSource, checkSourceInput, UploadSources } from '../../resources/documents/upload-sources.ts';
import { findTeam } from '../../resources/resolve.ts';
import { countOptions, fileOptions } from './count-options.ts';
import { uploadedDocumentFields } from './fields.ts';
import { lineOptions } from './upload-line.ts';

/** Files that are sent at the same time. */
const defaultConcurrency = 3;

/** Milliseconds that a service works on an upload at most, from when its answer was lost. */
const defaultSettleMs = 60_000;

export const upload = defineCommand({
  name: 'upload',
  summary: 'Upload documents',
  description:
    'Characters are counted in the text of a file, with every run of white space as one; a file whose text ' +
    'cannot be read is refused with the reason, and sent as it is with --chars. A folder stands for all files beneath ' +
    'it, as docs count finds them. Of several files each is looked into before the first is sent; where one is refused, ' +
    'or fails, the others are sent all the same, and the exit code is 10. The same line again does the rest. - reads ' +
    'stdin, and needs --name.\n\nA document cannot be replaced or deleted through the API. So one of the same ' +
    'name, size and characters in the team is not sent again: its outcome is "already there". Where the name ' +
    'alone is the same, a terminal asks first. Where an answer is lost, botctl looks until the document is there, or ' +
    'can no longer come, and then sends it again; what a run that was killed has left is settled by the next one.',
  arguments: {
    path: argumentList('files, folders, or patterns such as "docs/**/*.pdf"', checkedPath(checkSource)),
  },
  options: {
    team: requiredOption('--team <team>', 'team that the document belongs to, by name or id', nameOf('team')),
    name: option('--name <name>', "name of the document (the file's own where not given)", someText),
    chars: option(
      '--chars <number>',
      'its number of characters; the file is not looked into',
      integer({ min: 1 }),
    ),
    nameBy: optionOr(
      '--name-by <what>',
      'name documents by the name of the file, or by its path below the folder',
      'name',
      choice('name', 'path'),
    ),
    ...fileOptions,
    ...countOptions,
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
    ifAbsent: ifAbsentOption,
  },
  examples: [
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee"',
      does: 'Upload a text, its characters counted',
    },
    {
      line: 'botctl docs upload scan.pdf --team "Aurora Coffee" --chars 18250',
      does: 'Upload a PDF without text in it, as it is',
    },
    {
      line: 'botctl docs upload docs --include "*.pdf" --team "Aurora Coffee" -o id',
      does: 'Upload the PDF files of a folder; print their ids',
    },
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee" --if-absent -o id',
      does: 'Print the id of what is there under the name; upload the file if nothing is',
    },
    {
      line: 'pandoc menu.html -t plain | botctl docs upload - --name menu.txt --team "Aurora Coffee"',
      does: 'Upload what another program writes',
    },
  ],
  needs: 'session',
  effect: 'creates',
  heeds: ['duplicate'],
  output: { kind: 'list', fields: uploadedDocumentFields },
  checkInput: checkSourceInput,
  async prepare(session, { team, ifAbsent, ...input }) {
    const { api, askWhich } = session;
    const { id: teamId, name: teamName = team } = await findTeam(api, team, { askWhich });
    const typedTeam = teamName === team ? team : teamId;
    const options = lineOptions({ ...input, ifAbsent, team: typedTeam });
    const sources = await UploadSources.open(session, input, options);
    try {
      const duplicate = session.allows('duplicate');
      const plans = await planUploads(session, sources.all, teamId, { ifAbsent, duplicate });
      return { sources, plans, teamId, options };
    } catch (error) {
      sources.close();
      throw error;
    }
  },
  async confirm(session, _input, { plans }) {
    const again = plans.filter(({ there, namesakes }) => !there && namesakes.length > 0);
    const names = again.map(({ source }) => source.name);
    return namesakesQuestion(session, 'document', names);
  },
  async run(
    session,
    { path: typed, concurrency, settle, retryUnknown },
    { sources, plans, teamId, options },
  ) {
    const { isOne, refused } = sources;
    const lineFor = (left: readonly PlannedUpload[]): CommandLine => {
      const paths = left.map(({ source }) => source.typed);
      // What is there is found again, so that a folder's own line does the rest.
      if (!paths.every((path) => typed.includes(path)))
        return command('docs', 'upload', ...typed, ...options);
      const allowed = session.allows('duplicate') ? ['--allow', 'duplicate'] : [];
      return command('docs', 'upload', ...paths, ...options, ...allowed);
    };
    try {
      const { rows, failure } = sendDocuments(session, plans, {
        ...{ teamId, refused, isOne, lineFor },
        concurrency: concurrency ?? defaultConcurrency,
        settleMs: settle ?? defaultSettleMs,
        retriesUnknown: retryUnknown,
      });
      // What was piped in is one file, and is there until it is sent. A table would stand between the lines that say to a
      // person what was done.
      const isWhole = isOne || session.io.stdout.isTTY === true;
      // An id is printed to be used: what failed has none.
      const printed = session.options.output === 'id' ? withId(rows) : rows;
      return withFailure(isWhole ? inOrder(await collect(printed), sources) : printed, failure);
    } finally {
      sources.close();
    }
  },
});

/** Returns the rows, which came as the files were done with, in the order of the files, those that are refused last. */
function inOrder(rows: readonly Row[], { all, refused }: UploadSources): readonly Row[] {
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
