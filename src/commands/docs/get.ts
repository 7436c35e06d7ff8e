import { defineCommand } from '../../cli/command.ts';
import { eachOf, nameOf, option } from '../../cli/options.ts';
import { resolveId, resolveTeamOption } from '../../resources/resolve.ts';
import { documentFields } from './fields.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a document',
  arguments: { document: eachOf('the document, by name or id', nameOf('document')) },
  options: { team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl docs get menu.txt --team "Aurora Coffee"', does: 'Show a document by its name' },
    { line: 'botctl docs get menu.txt --fields id,chars', does: 'Show two of its fields' },
  ],
  needs: 'api',
  effect: 'reads',
  output: { kind: 'record', fields: documentFields },
  async run(session, { document, team }) {
    const { api, askWhich } = session;
    const teamId = await resolveTeamOption(session, team);
    const id = await resolveId(api, 'document', document, { askWhich, teamId });
    const { data } = await api.call('getDocument', { path: { id } });
    return data;
  },
});
