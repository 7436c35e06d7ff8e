import { defineCommand } from '../../cli/command.ts';
import { wholeListOptions } from '../../cli/list/list-options.ts';
import { chooseRows } from '../../cli/list/list-rows.ts';
import type { Fields } from '../../output/fields.ts';

const fields: Fields = [
  { name: 'at', kind: 'time', isLocal: true, isPast: true, importance: 8 },
  { name: 'tool', importance: 9 },
  { name: 'state', kind: 'state', importance: 9 },
  { name: 'input', importance: 8 },
  { name: 'client', importance: 3 },
  { name: 'profile', detail: true },
  { name: 'origin', detail: true },
  { name: 'id', kind: 'id', detail: true },
];

export const history = defineCommand({
  name: 'history',
  summary: 'List what assistants changed',
  description:
    'Newest first, of all assistants on this machine and of the last 90 days. State: "done"; "not_done"; "declined" by the user; ' +
    '"asked", without an answer; "not_asked", if the program cannot ask; "unknown", if it may have happened; "begun", if it runs. ' +
    'Long texts are cut. The name of a client is what the program calls itself.',
  options: wholeListOptions(fields),
  examples: [
    { line: 'botctl mcp history', does: 'See what assistants changed' },
    { line: 'botctl mcp history --where state=unknown', does: 'See what may have happened' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields,
    empty: { none: 'No assistant has changed anything from this machine.', noMatch: 'No write matches.' },
  },
  async run(context, choice) {
    const { WriteLog } = await import('../../mcp/writes.ts');
    const writes = new WriteLog(context.settings.paths.data, context.clock).list();
    const rows = writes.map(({ keys: _, input, ...write }) => ({ ...write, input: JSON.stringify(input) }));
    return chooseRows(context, rows, choice);
  },
});
