import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf, option } from '../../cli/options.ts';
import { someText } from '../../lib/parse.ts';
import { changedOrWhole, updated } from '../../output/changed.ts';
import { renameDocument } from '../../resources/documents/document.ts';
import { resolveDocument, resolveTeamOption } from '../../resources/resolve.ts';
import { renamedDocumentFields } from './fields.ts';

export const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a document',
  description: 'Only the name can change; the file cannot.',
  arguments: {
    document: argument('the document, by name or id', nameOf('document')),
    name: argument('its new name', someText),
  },
  options: { team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')) },
  examples: [{ line: 'botctl docs rename menu.txt "Summer menu.txt"', does: 'Rename a document' }],
  needs: 'session',
  effect: 'changes',
  output: updated(renamedDocumentFields),
  async run(session, { document, name, team }) {
    const { api, askWhich } = session;
    const teamId = await resolveTeamOption(session, team);
    const id = await resolveDocument(api, document, { askWhich, teamId });
    const { document: renamed, before } = await renameDocument(session, id, name);
    const changed = before === name ? [] : [{ field: 'name', from: before, to: name }];
    return changedOrWhole(session, renamed, changed);
  },
});
