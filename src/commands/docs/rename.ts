import { resolveDocument, resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { argument, nameOf, option, someText } from '../../input/options.ts';
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
  output: { kind: 'record', fields: renamedDocumentFields },
  async run({ api, terminal, signal }, { document, name, team }) {
    const teamId = team === undefined ? undefined : await resolveTeam(api, team, { for: 'write', signal });
    const id = await resolveDocument(api, document, { for: 'write', teamId, signal });
    const { data: present } = await api.call('getDocument', { path: { id }, signal });
    if (present.name === name) {
      terminal.note(`Nothing to change: the document is called ${name} already.`);
      return { ...present, changes: [] };
    }
    const { data, meta } = await api.call('updateDocument', { path: { id }, body: { name }, signal });
    terminal.done(`Renamed ${present.name ?? id} to ${data.name ?? name}.`);
    return { ...data, changes: meta?.changes };
  },
});
