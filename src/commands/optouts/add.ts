import { defineCommand } from '../../cli/command.ts';
import { argument, option, phone } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add a number to the opt-out list',
  description:
    'Campaigns skip the number, and send asks before it messages it. A number of Brazil, Mexico or Argentina matches with ' +
    'and without its extra mobile digit. The list is per service, on this machine or in the database.',
  arguments: { number: argument('phone number with country code', phone) },
  options: { note: option('--note <text>', 'reason or source', nonEmptyText), ...storeOptions },
  examples: [
    { line: 'botctl optouts add "+55 11 98888-7777"', does: 'Add a number' },
    {
      line: 'botctl optouts add +5511988887777 --note "asked on the phone"',
      does: 'Add a number with a reason',
    },
  ],
  needs: 'identity',
  effect: 'creates',
  output: { kind: 'record', fields: [...optOutFields, { name: 'added', heading: 'New', kind: 'flag' }] },
  async run(session, { number, note, database }) {
    const optOut = { number, added_at: new Date(session.clock.now()).toISOString(), note };
    const optOuts = await optOutsOf(session, { database }, true);
    const [added] = await optOuts.add([optOut]);
    if (added) session.terminal.done(`Added +${number} to the opt-out list.`);
    else session.terminal.note(`+${number} is already on the opt-out list.`);
    return { ...optOutRow(added ?? (await optOuts.find(number)) ?? optOut), added: added !== undefined };
  },
});
