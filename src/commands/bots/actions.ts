import { isDeepStrictEqual } from 'node:util';
import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, flag, manyOptions, path } from '../../cli/options.ts';
import { inputFailure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { exactQuote } from '../../lib/text/exact-quote.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { checkBotInput } from '../../resources/bots/changes.ts';
import { type ItemOf, listOf, replaceItem } from '../../resources/bots/list-change.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import { readBotInput } from './bot-input.ts';
import { type BotList, changing, type ListChange, listAndRemove, quoted } from './list-commands.ts';
import { botArgument, teamOption } from './options.ts';

const actions: BotList<'actions'> = {
  field: 'actions',
  output: {
    kind: 'list',
    fields: [
      { name: 'number', kind: 'number', importance: 6 },
      { name: 'id', kind: 'id', importance: 3 },
      { name: 'name', importance: 9 },
      { name: 'method', importance: 8 },
      { name: 'endpoint', importance: 7 },
      { name: 'description', importance: 4 },
      { name: 'headers', detail: true },
      { name: 'body', detail: true },
    ],
    empty: { none: remark`No actions. Add one: ${command('bots', 'actions', 'add', placeholder('BOT'))}` },
  },
  async itemsOf(_session, bot) {
    // The actions as the service returns them, with their ids.
    const shown: unknown = bot.raw.actions;
    return listOf(bot, 'actions').map((value, index) => {
      const raw: unknown = Array.isArray(shown) ? shown[index] : undefined;
      const row = isObject(raw) ? raw : {};
      const id = typeof row.id === 'string' ? row.id : undefined;
      return { label: value.name ?? '', id, value, row };
    });
  },
};

/** The shape of an action (specification, Action), for help. */
const actionShape = `  name: book
  endpoint: https://shop.example/book
  method: POST               # GET, POST, PUT or DELETE
  description: Book a table  # optional, like the fields below
  headers:                   # any names with values
    X-Shop: aurora
  body:                      # a list of values
    - key: guests
      value: 2               # text, a number, true or false
      type: number           # string, number or boolean`;

/** Returns a description of what an action calls and sends. */
function actionText({ method, endpoint = '', ...more }: ItemOf<'actions'>): string {
  return `${method} ${exactQuote(endpoint)} with ${exactQuote(JSON.stringify(more))}`;
}

const add = defineCommand({
  name: 'actions add',
  summary: 'Add an HTTP action to a bot',
  description: `The other actions stay. An action that the bot already has is not sent again. An action is JSON or YAML:\n\n${actionShape}`,
  arguments: { bot: botArgument },
  options: {
    actions: {
      ...manyOptions('--action <json>', 'the action, as JSON', nonEmptyText),
      requiredWithout: 'actionFiles',
    },
    actionFiles: manyOptions('--action-file <file>', 'the same from a file; - reads stdin', path),
    replace: flag('--replace', 'replace an action with the same name'),
    team: teamOption,
  },
  examples: [
    {
      line: `botctl bots actions add "Night desk" --action '{"name":"book","endpoint":"https://aurora.example","method":"POST"}'`,
      does: 'Add an action',
    },
  ],
  ...changing(actions),
  async prepare(
    session,
    { bot: name, team, actions: given, actionFiles, replace },
  ): Promise<ListChange<'actions'>> {
    const asked = { message: 'The action, as JSON:', option: '--action' };
    const isGiven = given.length + actionFiles.length > 0;
    const typed = isGiven ? given : [await session.prompts.text(asked)];
    const { actions: added = [] } = await checkBotInput(
      await readBotInput(session.io, { actions: typed, actionFiles }),
      [],
      command('bots', 'actions', 'add', '--help'),
    );
    const bot = await readBot(session, name, team);
    const withOne = (items: readonly ItemOf<'actions'>[], action: ItemOf<'actions'>) => {
      const same = items.filter((one) => one.name === action.name);
      if (same.length === 0) return [...items, action];
      if (replace) return replaceItem(items, action, (one) => one.name === action.name);
      if (same.some((one) => isDeepStrictEqual(one, action))) return items;
      throw inputFailure(
        [`${bot.label} already has a different action named ${action.name}.`],
        'Replace it with --replace, or choose another name.',
      );
    };
    const shown = added.map(actionText).join('; ');
    return {
      bot,
      statement: `This lets ${bot.label} call ${shown}.`,
      edit: (items) => added.reduce(withOne, items),
      did(before) {
        const names = added.map((one) => one.name ?? '');
        const isThere = before.some((one) => names.includes(one.name ?? ''));
        return `${isThere ? 'Set' : 'Added'} ${quoted('action', names)}`;
      },
    };
  },
});

/** The commands that change only the HTTP actions of a bot. */
export const actionCommands: readonly Command[] = [
  add,
  ...listAndRemove(actions, {
    list: {
      summary: 'List the HTTP actions of a bot',
      example: { line: 'botctl bots actions list "Front desk"', does: 'List actions, numbered' },
    },
    remove: {
      summary: 'Remove HTTP actions from a bot',
      description: 'Give each by name, by id, or by its number in actions list.',
      argument: { action: argumentList('an action, by name, id or number', nonEmptyText) },
      examples: [{ line: 'botctl bots actions remove "Night desk" 1', does: 'Remove the first action' }],
    },
  }),
];
