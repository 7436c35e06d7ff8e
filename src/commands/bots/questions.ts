import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, flag, requiredOption } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import {
  choicesOf,
  confirmListChange,
  type ListChange,
  listOf,
  quoted,
  removal,
  replaced,
  sendListChange,
} from './list-fields.ts';
import { botArgument, teamOption } from './named.ts';

const questionList = {
  kind: 'list',
  fields: [
    { name: 'number', kind: 'number', importance: 7 },
    { name: 'question', importance: 9 },
    { name: 'answer', importance: 8 },
  ],
  empty: { none: remark`No questions. Add one: ${command('bots', 'questions', 'add', placeholder('BOT'))}` },
} as const;

function rowsOf(bot: Bot): readonly Row[] {
  return listOf(bot, 'questions').map(({ question, answer }, index) => ({
    number: index + 1,
    question,
    answer,
  }));
}

/** Returns the questions of a bot, with what a person may name each by. */
function namedQuestions(bot: Bot) {
  return listOf(bot, 'questions').map((one, index) => ({
    number: index + 1,
    label: one.question ?? '',
    one,
  }));
}

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
  needs: 'session',
  effect: 'changes',
  output: questionList,
  async prepare(session, { bot: name, team, question, answer, replace }): Promise<ListChange<'questions'>> {
    const present = await readBot(session, name, team);
    return {
      present,
      field: 'questions',
      hasChosen: false,
      edit(questions) {
        const there = questions.filter((one) => one.question === question);
        if (there.length === 0) return [...questions, { question, answer }];
        if (replace) {
          return replaced(questions, { question, answer }, (one) => one.question === question);
        }
        if (there.some((one) => one.answer === answer)) return questions;
        throw usageFailure(
          [`${present.label} answers "${question}" already: ${there.map((one) => one.answer).join('; ')}`],
          'Add --replace to give it the new answer.',
        );
      },
      did: (before) =>
        before.some((one) => one.question === question)
          ? `Changed the answer to ${quoted('question', [question])}`
          : `Added ${quoted('question', [question])}`,
    };
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(await sendListChange(session, change)),
});

const list = defineCommand({
  name: 'questions list',
  summary: 'List what a bot has been taught to answer',
  arguments: { bot: botArgument },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots questions list "Front desk"', does: 'List questions, numbered' }],
  needs: 'session',
  effect: 'reads',
  output: questionList,
  async run(session, { bot: name, team }) {
    return rowsOf(await readBot(session, name, team));
  },
});

const remove = defineCommand({
  name: 'questions remove',
  summary: 'Take questions away from a bot',
  description: 'Each is given by its exact text, or by its number as questions list shows it.',
  arguments: { bot: botArgument, question: argumentList('a question, by its text or number', someText) },
  options: { team: teamOption },
  examples: [
    { line: 'botctl bots questions remove "Night desk" 1', does: 'Take the first question away' },
    {
      line: 'botctl bots questions remove "Night desk" "Is there wifi?" --yes',
      does: 'Take one away by its text; a published bot is not asked about',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: questionList,
  async choicesFor(session, name, { bot, team }) {
    if (name !== 'question' || bot === undefined) return undefined;
    return choicesOf(namedQuestions(await readBot(session, bot, team)));
  },
  async prepare(session, { bot: name, team, question: words }) {
    const present = await readBot(session, name, team);
    return removal(session, present, 'questions', namedQuestions(present), words);
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(await sendListChange(session, change)),
});

/** The commands that change what a bot has been taught to answer, and nothing else of it. */
export const questionCommands: readonly Command[] = [add, list, remove];
