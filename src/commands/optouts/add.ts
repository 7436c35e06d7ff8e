import { defineCommand } from '../../cli/command.ts';
import { argument, option, phone } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { someText } from '../../lib/parse.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Note that a number is not to be written to',
  description:
    'Campaigns leave the number out, and send asks before it writes to it. Both ways of writing a number of Brazil, Mexico ' +
    'or Argentina count. The list is kept for each service, on this machine or in the database.',
  arguments: { number: argument('the phone number, with its country code', phone) },
  options: { note: option('--note <text>', 'where that comes from', someText), ...storeOptions },
  examples: [
    { line: 'botctl optouts add "+55 11 98888-7777"', does: 'Note a number' },
    { line: 'botctl optouts add +5511988887777 --note "asked on the phone"', does: 'Note why' },
  ],
  needs: 'identity',
  effect: 'creates',
  output: { kind: 'record', fields: [...optOutFields, { name: 'added', heading: 'New', kind: 'flag' }] },
  async run(session, { number, note, database }) {
    const optOut = { number, added_at: new Date(session.clock.now()).toISOString(), note };
    const optOuts = await optOutsOf(session, { database }, true);
    const [added] = await optOuts.add([optOut]);
    if (added) session.terminal.done(`+${number} is not to be written to.`);
    else session.terminal.note(`+${number} was noted already.`);
    return { ...optOutRow(added ?? (await optOuts.find(number)) ?? optOut), added: added !== undefined };
  },
});
