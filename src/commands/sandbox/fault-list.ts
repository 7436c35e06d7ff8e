import { defineCommand } from '../../cli/command.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { faultFields } from './fields.ts';
import { callSandbox, dataOption } from './running.ts';

export const faultList = defineCommand({
  name: 'fault list',
  summary: 'List the faults of the running sandbox, in the order in which they are asked',
  description:
    'SEEN are the requests of its target that a fault was asked about, MET those that it applied to.',
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox fault list', does: 'See which faults there are, and which were met' }],
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
