import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { ownMember } from '../../lib/json-object.ts';
import { resolveId } from '../../resources/resolve.ts';
import { teamDetailFields } from './fields.ts';

export const overview = defineCommand({
  name: 'overview',
  summary: 'Show the quotas and contents of a team',
  description:
    'Shows the quotas, the bots, the documents, and the devices with their state. Devices come from the device book, ' +
    'since the API cannot list them. Usage is shown for bots, documents and characters only.',
  arguments: { team: argument('the team, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl teams overview "Aurora Coffee"', does: 'Show everything about a customer' },
    { line: 'botctl teams overview "Aurora Coffee" -o json', does: 'Print it as JSON' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'record',
    fields: [
      ...teamDetailFields.filter(({ name }) => name !== 'settings' && !name.startsWith('quotas.')),
      { name: 'quotas' },
      { name: 'used' },
      { name: 'bots' },
      { name: 'documents' },
      { name: 'devices' },
    ],
    drawOne: async (row, context) => (await import('./draw-overview.ts')).drawOverview(row, context),
  },
  async run(session, { team }) {
    const { api, askWhich } = session;
    const id = await resolveId(api, 'team', team, { askWhich });
    const [{ teamDevices }, { contentsOf }] = await Promise.all([
      import('../../resources/teams/team-devices.ts'),
      import('../../resources/teams/usage.ts'),
    ]);
    const [{ data }, { bots, documents, used }, devices] = await Promise.all([
      api.call('getTeam', { path: { id } }),
      contentsOf(api, id),
      teamDevices(session, id),
    ]);
    return {
      ...data,
      used,
      bots: bots.map((bot) => picked(bot, ['id', 'name', 'role', 'published'])),
      documents: documents.map((document) => picked(document, ['id', 'name', 'type', 'chars'])),
      devices,
    };
  },
});

function picked(row: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, ownMember(row, name) ?? null]));
}
