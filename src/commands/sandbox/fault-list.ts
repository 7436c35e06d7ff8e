import { defineCommand } from '../../cli/command.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { faultFields } from './fields.ts';
import { callSandbox, dataOption } from './running.ts';

export const faultList = defineCommand({
  name: 'fault list',
  summary: 'List the faults of the sandbox',
  description:
    'In the order in which they apply. SEEN counts the requests that match the target, MET those that the fault changed.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox fault list', does: 'List the faults and how often they applied' }],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: faultFields,
    empty: {
      none: remark`No faults. Add one: ${command('sandbox', 'fault', 'add', 'listTeams', '--status', '429', '--times', '2')}`,
    },
  },
  run: (context, { data }) => callSandbox(context, data, '/fault/list', {}),
});
