import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, flag, requiredOption } from '../../cli/options.ts';
import { inputFailure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { listOf, replaced } from '../../resources/bots/list-change.ts';
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
  summary: 'Teach a bot one answer more',
  description: 'The other questions stay. One that the bot has already is not sent again.',
  arguments: { bot: botArgument },
  options: {
    question: requiredOption('--question <text>', 'what people ask', someText),
    answer: requiredOption('--answer <text>', 'what the bot answers', someText),
    replace: flag('--replace', 'give a question that is there this answer instead'),
    team: teamOption,
  },
  examples: [
    {
      line: 'botctl bots questions add "Night desk" --question "Is there wifi?" --answer "Yes, for guests."',
      does: 'Teach an answer',
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
        if (replace) return replaced(items, { question, answer }, isIt);
        if (same.some((one) => one.answer === answer)) return items;
        throw inputFailure(
          [`${bot.label} answers "${question}" already: ${same.map((one) => one.answer).join('; ')}`],
          'Add --replace to give it the new answer.',
        );
      },
      did: (before) =>
        (before.some(isIt) ? 'Changed the answer to ' : 'Added ') + quoted('question', [question]),
    };
  },
});

/** The commands that change what a bot has been taught to answer, and nothing else of it. */
export const questionCommands: readonly Command[] = [
  add,
  ...listAndRemove(questions, {
    list: {
      summary: 'List what a bot has been taught to answer',
      example: { line: 'botctl bots questions list "Front desk"', does: 'List questions, numbered' },
    },
    remove: {
      summary: 'Take questions away from a bot',
      description: 'Each is given by its exact text, or by its number as questions list shows it.',
      argument: { question: argumentList('a question, by its text or number', someText) },
      examples: [
        { line: 'botctl bots questions remove "Night desk" 1', does: 'Take the first question away' },
        {
          line: 'botctl bots questions remove "Night desk" "Is there wifi?" --allow unpublish',
          does: 'Take one away by its text; a published bot is not asked about',
        },
      ],
    },
  }),
];
