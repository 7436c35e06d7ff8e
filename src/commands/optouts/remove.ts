import { defineCommand } from '../../cli/command.ts';
import { argument, phone } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const remove = defineCommand({
  name: 'remove',
  summary: 'Take a number off the list of those that are not to be written to',
  description: 'Rows of campaigns that were skipped because of it stay skipped.',
  arguments: { number: argument('the phone number, with its country code', phone) },
  options: storeOptions,
  examples: [
    { line: 'botctl optouts remove "+55 11 97777-6666"', does: 'Take a number off after a question' },
    { line: 'botctl optouts remove +5511977776666 --yes', does: 'Take it off in a script' },
  ],
  needs: 'identity',
  effect: 'changes',
  output: { kind: 'record', fields: [...optOutFields, { name: 'removed', kind: 'flag' }] },
  async prepare(session, { number, database }) {
    const optOuts = await optOutsOf(session, { database });
    if ((await optOuts.find(number)) === undefined) throw notNoted(number);
    return optOuts;
  },
  async confirm(_session, { number }) {
    return { level: 'yes', statement: `+${number} can be written to again then.` };
  },
  async run(session, { number }, optOuts) {
    const removed = await optOuts.remove(number);
    if (!removed) throw notNoted(number);
    session.terminal.done(`+${removed.number} can be written to again.`);
    return { ...optOutRow(removed), removed: true };
  },
});

function notNoted(number: string): Failure {
  return new Failure('notFound', `+${number} is not among the numbers that are not to be written to.`, {
    hint: remark`See them: ${command('optouts', 'list')}`,
  });
}
