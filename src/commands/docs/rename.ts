import { defineCommand } from '../../cli/command.ts';
import { renameQuestion } from '../../cli/namesake-questions.ts';
import { argument, nameOf, option } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { updateOutput, updateRow } from '../../output/field-changes.ts';
import { renameDocument, toDocument } from '../../resources/document.ts';
import { resolveId, resolveTeamOption } from '../../resources/resolve.ts';
import { renamedDocumentFields } from './fields.ts';

export const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a document',
  description:
    'The API cannot change the file of a document. If the team already has a document with that name, you are asked; ' +
    'a script prints a note and continues.',
  arguments: {
    document: argument('the document, by name or id', nameOf('document')),
    name: argument('its new name', nonEmptyText),
  },
  options: { team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')) },
  examples: [{ line: 'botctl docs rename menu.txt "Summer menu.txt"', does: 'Rename a document' }],
  needs: 'api',
  effect: 'changes',
  allow: ['duplicate'],
  output: updateOutput(renamedDocumentFields),
  async prepare(session, { document, team }) {
    const { api, askWhich } = session;
    const teamId = await resolveTeamOption(session, team);
    const id = await resolveId(api, 'document', document, { askWhich, teamId });
    return toDocument((await api.call('getDocument', { path: { id } })).data);
  },
  idOf: ({ id }) => id,
  async confirm(session, { name }, { id, name: before, teamId }) {
    return before === name ? undefined : renameQuestion(session, { noun: 'document', name, teamId }, id);
  },
  async run(session, { name }, before) {
    const renamed = await renameDocument(session, before, name);
    const changed = before.name === name ? [] : [{ field: 'name', from: before.name, to: name }];
    return updateRow(session, renamed, changed);
  },
});
