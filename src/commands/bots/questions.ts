import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, flag, requiredOption } from '../../cli/options.ts';
import { inputFailure } from '../../lib/errors.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { listOf, replaceItem } from '../../resources/bots/list-change.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import { type BotList, changing, type ListChange, listAndRemove, quoted } from './list-commands.ts';
import { botArgument, teamOption } from './options.ts';

const questions: BotList<'questions'> = {
  field: 'questions',
  output: {
    kind: 'list',
    fields: [
      { name: 'number', kind: 'number', importance: 7 },
      { name: 'question', importance: 9 },
      { name: 'answer', importance: 8 },
    ],
    empty: {
      none: remark`No questions. Add one: ${command('bots', 'questions', 'add', placeholder('BOT'))}`,
    },
  },
  itemsOf: async (_session, bot) =>
    listOf(bot, 'questions').map((value) => ({
      label: value.question ?? '',
      value,
      row: { question: value.question, answer: value.answer },
    })),
};

const add = defineCommand({
  name: 'questions add',
  summary: 'Add a question and its answer to a bot',
  description: 'The other questions stay. A question that the bot already has is not sent again.',
  arguments: { bot: botArgument },
  options: {
    question: requiredOption('--question <text>', 'the question', nonEmptyText),
    answer: requiredOption('--answer <text>', 'its answer', nonEmptyText),
    replace: flag('--replace', 'replace the answer of an existing question'),
    team: teamOption,
  },
  examples: [
    {
      line: 'botctl bots questions add "Night desk" --question "Is there wifi?" --answer "Yes, for guests."',
      does: 'Add a question',
    },
  ],
  ...changing(questions),
  async prepare(session, { bot: name, team, question, answer, replace }): Promise<ListChange<'questions'>> {
    const bot = await readBot(session, name, team);
    const isIt = (one: { readonly question?: string | undefined }): boolean => one.question === question;
    return {
      bot,
      edit(items) {
        const same = items.filter(isIt);
        if (same.length === 0) return [...items, { question, answer }];
        if (replace) return replaceItem(items, { question, answer }, isIt);
        if (same.some((one) => one.answer === answer)) return items;
        throw inputFailure(
          [`${bot.label} already answers "${question}": ${same.map((one) => one.answer).join('; ')}`],
          'Replace the answer with --replace.',
        );
      },
      did: (before) =>
        (before.some(isIt) ? 'Changed the answer to ' : 'Added ') + quoted('question', [question]),
    };
  },
});

/** The commands that change only the questions and answers of a bot. */
export const questionCommands: readonly Command[] = [
  add,
  ...listAndRemove(questions, {
    list: {
      summary: 'List the questions of a bot',
      example: { line: 'botctl bots questions list "Front desk"', does: 'List questions, numbered' },
    },
    remove: {
      summary: 'Remove questions from a bot',
      description: 'Give each by its exact text, or by its number in questions list.',
      argument: { question: argumentList('a question, by its text or number', nonEmptyText) },
      examples: [
        { line: 'botctl bots questions remove "Night desk" 1', does: 'Remove the first question' },
        {
          line: 'botctl bots questions remove "Night desk" "Is there wifi?" --allow unpublish',
          does: 'Remove a question by its text, even from a published bot',
        },
      ],
    },
  }),
];
