import { defineCommand } from '../../cli/command.ts';
import { refusedInWords } from '../../desk/outbox-summary.ts';
import { Failure } from '../../lib/errors.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { deskOptions, namedDesk } from './named-desk.ts';

export const dismiss = defineCommand({
  name: 'dismiss',
  summary: 'Dismiss refused changes of this machine',
  description:
    'A change that waited for the database is refused if another machine has changed the device in the meantime, or if your ' +
    'user cannot write. It stays on this machine for 30 days, or until you dismiss it. The database is not used. ' +
    'botctl desk status shows the changes, with the commands that repeat them.',
  options: deskOptions,
  examples: [
    { line: 'botctl desk dismiss', does: 'Dismiss them, after a question' },
    { line: 'botctl desk dismiss --yes', does: 'Dismiss them in a script' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'record', fields: [{ name: 'dismissed', kind: 'number' }] },
  async prepare(context, { database }) {
    const { address } = await namedDesk(context, database);
    const { deskFiles } = await import('../../desk/desk-files.ts');
    const { outbox } = deskFiles(context.settings.paths.data, address.url, context.signal);
    // Changes that are refused while the question is open are not dismissed.
    return { outbox, ids: new Set(outbox.refused().map(({ id }) => id)) };
  },
  confirm: async (_context, _input, { ids: { size } }) =>
    size === 0
      ? undefined
      : {
          level: 'yes',
          statement: `${refusedInWords(size)}, and the desk does not have ${size === 1 ? 'it' : 'them'}.`,
          question: size === 1 ? 'Dismiss it?' : 'Dismiss them?',
        },
  async run({ terminal }, _input, { outbox, ids }) {
    const count = ids.size;
    if (count > 0 && !(await outbox.dismiss(ids)))
      throw new Failure('invalidInput', `${outbox.file} can't be written.`, {
        hint: 'Check its permissions, and that no other botctl is using it.',
      });
    terminal.done(
      count === 0 ? 'No change was refused.' : `Dismissed ${pluralize(count, 'refused change')}.`,
    );
    return { dismissed: count };
  },
});
