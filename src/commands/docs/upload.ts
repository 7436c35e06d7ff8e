import { defineCommand, withFailure } from '../../cli/command.ts';
import { argumentList, checkedPath, nameOf, option, requiredOption } from '../../cli/options.ts';
import { integer, someText } from '../../lib/parse.ts';
import { noteNamesakes, sendDocuments } from '../../resources/documents/upload-documents.ts';
import { checkSource, checkSourceInput, UploadSources } from '../../resources/documents/upload-sources.ts';
import { findTeam } from '../../resources/resolve.ts';
import { documentFields } from './fields.ts';

export const upload = defineCommand({
  name: 'upload',
  summary: 'Upload documents',
  description:
    'Characters are counted after decoding, with every run of white space as one. Only text is counted so far: ' +
    'a PDF or Word file needs --chars, and then it is sent as it is. Of several files each is looked into ' +
    'before the first is sent; where one then fails, the rest is not sent, and the exit code is 10. - reads ' +
    'stdin, and needs --name.',
  arguments: { file: argumentList('path of the file', checkedPath(checkSource)) },
  options: {
    team: requiredOption('--team <team>', 'team that the document belongs to, by name or id', nameOf('team')),
    name: option('--name <name>', "name of the document (the file's own where not given)", someText),
    chars: option(
      '--chars <number>',
      'its number of characters; the file is not looked into',
      integer({ min: 0 }),
    ),
  },
  examples: [
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee"',
      does: 'Upload a text, its characters counted',
    },
    { line: 'botctl docs upload menu.pdf --team "Aurora Coffee" --chars 18250', does: 'Upload a PDF' },
    {
      line: 'botctl docs upload *.txt --team "Aurora Coffee" -o id',
      does: 'Upload several; print their ids',
    },
    {
      line: 'pandoc menu.html -t plain | botctl docs upload - --name menu.txt --team "Aurora Coffee"',
      does: 'Upload what another program writes',
    },
  ],
  needs: 'session',
  effect: 'creates',
  output: { kind: 'record', fields: documentFields, several: true },
  checkInput: checkSourceInput,
  async prepare(session, { file, name, chars, team }) {
    const sources = await UploadSources.open(session, { file, name, chars });
    try {
      const { api, askWhich } = session;
      const { id: teamId, name: teamName = team } = await findTeam(api, team, { askWhich });
      await noteNamesakes(session, sources.all, teamId);
      return { sources, teamId, typedTeam: teamName === team ? team : teamId };
    } catch (error) {
      sources.close();
      throw error;
    }
  },
  async run(session, _input, { sources, teamId, typedTeam }) {
    try {
      const { rows, failure } = await sendDocuments(session, sources.all, teamId, typedTeam);
      const [only] = rows;
      return withFailure(only && sources.all.length === 1 ? only : rows, failure);
    } finally {
      sources.close();
    }
  },
});
