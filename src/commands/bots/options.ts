import { argument, choice, eachOf, manyOptions, nameOf, onOff, option, path } from '../../cli/options.ts';
import { decimal, nonEmptyText, pair, text } from '../../lib/parse.ts';

/** The options that set what may be written to a bot. `bot-input.ts` reads their values. */
export const writableOptions = {
  file: option('--file <file>', 'read the fields from a YAML or JSON file; - reads stdin', path),
  instructions: option('--instructions <text>', 'instructions for the bot', text),
  instructionsFile: option(
    '--instructions-file <file>',
    'instructions from a text file; - reads stdin',
    path,
  ),
  role: option('--role <role>', 'role of the bot', choice('support', 'dynamic', 'sales')),
  description: option('--description <text>', 'description for people', text),
  temperature: option(
    '--temperature <number>',
    'how freely the bot answers, 0 to 2',
    decimal({ min: 0, max: 2 }),
  ),
  identificationName: option('--identification-name <name>', 'the name it introduces itself with', text),
  documents: manyOptions(
    '--document <document>',
    'document to attach, by name or id; replaces the list of the bot, and the list in --file',
    nameOf('document'),
  ),
  questions: manyOptions(
    '--question <question=answer>',
    'question and its answer; replaces the list of the bot, and the list in --file',
    pair,
  ),
  actions: manyOptions(
    '--action <json>',
    'HTTP action as JSON; replaces the list of the bot, and the list in --file',
    nonEmptyText,
  ),
  actionFiles: manyOptions('--action-file <file>', 'HTTP action from a file; - reads stdin', path),
  allowHuman: onOff(
    '--allow-human',
    'let a person take over the conversation',
    'leave every conversation to the bot',
  ),
  useAudioResponses: onOff('--use-audio-responses', 'answer with audio', 'answer with text'),
  allowUserAudioRequests: onOff(
    '--allow-user-audio-requests',
    'accept audio from users',
    'refuse audio from users',
  ),
  capturePayments: onOff('--capture-payments', 'recognise payments', 'do not recognise payments'),
  breakLines: onOff(
    '--break-lines',
    'split long answers into several messages',
    'send each answer as one message',
  ),
};

export const botArgument = argument('the bot, by name or id', nameOf('bot'));

/** One or more bots, which are processed in order. */
export const botsArgument = eachOf('the bot, by name or id', nameOf('bot'));

/** The team to search if bots of several teams have the name. */
export const teamOption = option(
  '--team <team>',
  'look for the bot only in this team, by name or id',
  nameOf('team'),
);
