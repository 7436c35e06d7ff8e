import { defineCommand } from '../../cli/command.ts';
import { listOptions, searchOption } from '../../cli/list/list-options.ts';
import { checkListInput, listRows } from '../../cli/list/list-rows.ts';
import { choice, nameOf, option } from '../../cli/options.ts';
import type { documentTypes as contractTypes } from '../../contract/documents.ts';
import { ValueError } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { resolveTeamOption } from '../../resources/resolve.ts';
import { documentFields } from './fields.ts';

/**
 * A copy of the contract's list, because importing the contract loads its schemas. The type ensures that both are
 * equal.
 */
const documentTypes: typeof contractTypes = ['pdf', 'txt', 'docx', 'doc'];

/** Users who uploaded an .md file search for its type. */
const documentType = choice(...documentTypes);
const typeOption = {
  ...documentType,
  parse(raw: string) {
    if (/^(?:md|markdown)$/i.test(raw))
      throw new ValueError('must be txt for Markdown files, which are stored as txt');
    return documentType.parse(raw);
  },
};

export const list = defineCommand({
  name: 'list',
  summary: 'List documents',
  options: {
    team: option('--team <team>', 'only documents of this team, by name or id', nameOf('team')),
    name: searchOption('documents'),
    type: option('--type <type>', 'only documents of this type', typeOption),
    ...listOptions(documentFields),
  },
  examples: [
    { line: 'botctl docs list --team "Aurora Coffee"', does: "List a team's documents" },
    { line: 'botctl docs list price', does: 'Search by name' },
    { line: 'botctl docs list --type pdf --all -o json', does: 'List the PDF files of all teams, as JSON' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: documentFields,
    empty: {
      none: remark`No documents yet. Upload one: ${command('docs', 'upload', placeholder('FILE'))}`,
      noMatch: 'No document matches.',
    },
  },
  async run(session, { team, name, type, ...paging }) {
    checkListInput(paging);
    const teamId = await resolveTeamOption(session, team);
    return listRows(session, 'listDocuments', paging, { team_id: teamId, name, type });
  },
});
