import { type Command, defineCommand, type Row } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { argumentList, flag, requiredOption, someText } from '../../input/options.ts';
import { botArgument, teamOption } from './named.ts';
import {
  changePart,
  choicesOf,
  confirmPart,
  named,
  type PartChange,
  partOf,
  removal,
  replaced,
} from './parts.ts';
import { type BotDetail, labelOf, readBot } from './read.ts';

const questionList = {
  kind: 'list',
  fields: [
    { name: 'number', kind: 'number', importance: 7 },
    { name: 'question', importance: 9 },
    { name: 'answer', importance: 8 },
  ],
  empty: { none: 'No questions. Add one: botctl bots questions add BOT' },
} as const;

function rowsOf(bot: BotDetail): readonly Row[] {
  return partOf(bot, 'questions').map(({ question, answer }, index) => ({
    number: index + 1,
    question,
    answer,
  }));
}

/** The questions of a bot, as a person may point at them. */
function pointedQuestions(bot: BotDetail) {
  return partOf(bot, 'questions').map((one, index) => ({
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
  async prepare({ api }, { bot: name, team, question, answer, replace }): Promise<PartChange<'questions'>> {
    const present = await readBot(api, name, { for: 'write', team });
    return {
      present,
      part: 'questions',
      revise(questions) {
        const there = questions.filter((one) => one.question === question);
        if (there.length === 0) return [...questions, { question, answer }];
        if (replace) {
          return replaced(questions, { question, answer }, (one) => one.question === question);
        }
        if (there.some((one) => one.answer === answer)) return questions;
        throw usageFailure(
          [`${labelOf(present)} answers "${question}" already: ${there.map((one) => one.answer).join('; ')}`],
          'Add --replace to give it the new answer.',
        );
      },
      did: (before) =>
        before.some((one) => one.question === question)
          ? `Changed the answer to ${named('question', [question])}`
          : `Added ${named('question', [question])}`,
    };
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(await changePart(session, change)),
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
  async run({ api }, { bot: name, team }) {
    return rowsOf(await readBot(api, name, { for: 'read', team }));
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
  async choicesFor({ api }, name, { bot, team }) {
    if (name !== 'question' || bot === undefined) return undefined;
    return choicesOf(pointedQuestions(await readBot(api, bot, { for: 'write', team })));
  },
  async prepare({ api }, { bot: name, team, question: words }) {
    const present = await readBot(api, name, { for: 'write', team });
    return removal(present, 'questions', pointedQuestions(present), words);
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(await changePart(session, change)),
});

/** The commands that change what a bot has been taught to answer, and nothing else of it. */
export const questionCommands: readonly Command[] = [add, list, remove];
