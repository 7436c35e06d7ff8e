import { defineCommand } from '../../cli/command.ts';
import { confirmSuspiciousTexts } from '../../cli/confirm.ts';
import { option } from '../../cli/options.ts';
import { inputFailure, usageFailure } from '../../lib/errors.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { exactQuote } from '../../lib/text/exact-quote.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { updateOutput, updateRow } from '../../output/field-changes.ts';
import { changesOf, checkBotInput } from '../../resources/bots/changes.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import { readBotInput } from './bot-input.ts';
import { confirmChanges, noteChoices, sendConfirmed } from './confirm-changes.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption, writableOptions } from './options.ts';

export const update = defineCommand({
  name: 'update',
  summary: 'Change a bot',
  description:
    'Sends only the fields that differ. If none does, nothing is sent. Questions, actions and documents are ' +
    'replaced as a whole. A change unpublishes the bot, and the API cannot publish it again. botctl bots ' +
    'create --help lists the fields that --file can contain.',
  arguments: { bot: botArgument },
  options: {
    team: teamOption,
    name: option('--name <name>', 'new name', nonEmptyText),
    ...writableOptions,
  },
  examples: [
    { line: 'botctl bots update "Front desk" --temperature 0.3', does: 'Change one field' },
    {
      line: 'botctl bots update "Front desk" --file bot.yaml --allow unpublish',
      does: 'Update a bot from a file, even if it is published',
    },
  ],
  needs: 'api',
  effect: 'changes',
  allow: ['unpublish', 'duplicate'],
  output: updateOutput(botDetailFields),
  checkInput({ bot: _bot, team: _team, ...given }) {
    const values = Object.values(given);
    if (values.some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0))) return;
    throw usageFailure(
      ['No changes given.'],
      remark`Use --name, --instructions or --file, for example. All options: ${command('bots', 'update', '--help')}`,
    );
  },
  async prepare(session, { team, ...input }) {
    const written = await readBotInput(session.io, input);
    await confirmSuspiciousTexts(session, written.fileWords);
    if (Object.keys(written.values).length === 0)
      throw inputFailure([`${input.file === '-' ? 'stdin' : input.file} has no field to change.`]);
    const fields = await checkBotInput(written);
    const bot = await readBot(session, input.bot, team);
    const { askWhich, hasChosen } = noteChoices(session.askWhich);
    const ask = written.isTyped('document_ids') ? askWhich : undefined;
    const changes = await changesOf(session.api, bot, fields, ask);
    return { bot, changes, hasChosen: hasChosen() };
  },
  idOf: ({ bot }) => bot.id,
  async confirm(session, _input, { bot, changes }) {
    const question = await confirmChanges(session, bot, changes);
    if (!question || !session.io.assistant) return question;
    const sets = changes.list.map(
      ({ field, to }) => `${field} ${exactQuote(typeof to === 'string' ? to : JSON.stringify(to))}`,
    );
    return { ...question, statement: `${question.statement} It sets ${sets.join(', ')}.` };
  },
  async run(session, _input, { bot, changes, hasChosen }) {
    const { raw } = await sendConfirmed(session, bot, () => changes, hasChosen);
    return updateRow(session, raw, changes.list);
  },
});
