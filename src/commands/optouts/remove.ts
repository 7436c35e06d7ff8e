import { defineCommand } from '../../cli/command.ts';
import { argument, phone } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { optOutFields, optOutRow, optOutsOf } from './fields.ts';

export const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a number from the opt-out list',
  description: 'Campaign rows that were skipped because of it stay skipped.',
  arguments: { number: argument('phone number with country code', phone) },
  options: storeOptions,
  examples: [
    { line: 'botctl optouts remove "+55 11 97777-6666"', does: 'Remove a number' },
    { line: 'botctl optouts remove +5511977776666 --yes', does: 'Remove it in a script' },
  ],
  needs: 'identity',
  effect: 'changes',
  output: { kind: 'record', fields: [...optOutFields, { name: 'removed', kind: 'flag' }] },
  async prepare(session, { number, database }) {
    const optOuts = await optOutsOf(session, { database });
    if ((await optOuts.find(number)) === undefined) throw notOptedOut(number);
    return optOuts;
  },
  async confirm(_session, { number }) {
    return {
      level: 'yes',
      statement: `This removes +${number} from the opt-out list: it can get messages again.`,
    };
  },
  async run(session, { number }, optOuts) {
    const removed = await optOuts.remove(number);
    if (!removed) throw notOptedOut(number);
    session.terminal.done(`Removed +${removed.number} from the opt-out list.`);
    return { ...optOutRow(removed), removed: true };
  },
});

function notOptedOut(number: string): Failure {
  return new Failure('notFound', `+${number} is not on the opt-out list.`, {
    hint: remark`See the list: ${command('optouts', 'list')}`,
  });
}
