import { type Command, defineCommand } from '../../cli/command.ts';
import { argumentList, nameOf } from '../../cli/options.ts';
import { isSameId } from '../../lib/ids.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { documentIds, findDocuments } from '../../resources/bots/find-documents.ts';
import { listOf } from '../../resources/bots/list-change.ts';
import { readBot, readDocuments } from '../../resources/bots/read-bot.ts';
import { noteChoices } from './confirm-changes.ts';
import { type BotList, changing, type ListChange, listAndRemove, quoted } from './list-commands.ts';
import { botArgument, teamOption } from './options.ts';

const documents: BotList<'document_ids'> = {
  field: 'document_ids',
  output: {
    kind: 'list',
    fields: [
      { name: 'number', kind: 'number', importance: 6 },
      { name: 'id', kind: 'id', importance: 7, namedBy: 'name' },
      { name: 'name', importance: 9 },
      { name: 'type', importance: 5 },
      { name: 'chars', kind: 'number', importance: 4 },
    ],
    empty: {
      none: remark`No documents. Attach one: ${command('bots', 'documents', 'add', placeholder('BOT'), placeholder('DOCUMENT'))}`,
    },
  },
  async itemsOf({ api }, bot) {
    const ids = listOf(bot, 'document_ids');
    const read = await readDocuments(api, ids);
    return read.map(({ name, raw }, index) => {
      const id = ids[index] ?? raw.id;
      return { label: name ?? id, id, value: id, row: raw };
    });
  },
};

const add = defineCommand({
  name: 'documents add',
  summary: 'Attach documents to a bot',
  description: 'The other documents stay. A document that is already attached is not sent again.',
  arguments: { bot: botArgument, document: argumentList('a document, by name or id', nameOf('document')) },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots documents add "Night desk" menu.txt', does: 'Attach a document' }],
  ...changing(documents),
  async choicesFor(session, name, { bot: botName, team }) {
    if (name !== 'document' || botName === undefined) return undefined;
    const bot = await readBot(session, botName, team);
    const { thingsToChoose } = await import('../../cli/questions.ts');
    return thingsToChoose(session, 'document', bot.teamId);
  },
  async prepare(session, { bot: name, team, document: names }): Promise<ListChange<'document_ids'>> {
    const { api } = session;
    const bot = await readBot(session, name, team);
    const { askWhich, hasChosen } = noteChoices(session.askWhich);
    const ids = documentIds(await findDocuments(api, names, { teamId: bot.teamId, askWhich }));
    const isIn = (attached: readonly string[], id = ''): boolean =>
      attached.some((other) => isSameId(other, id));
    return {
      bot,
      hasChosen: hasChosen(),
      edit: (attached) => [...attached, ...new Set(ids.filter((id) => !isIn(attached, id)))],
      did(before) {
        const added = names.filter((_, index) => !isIn(before, ids[index]));
        return `Added ${quoted('document', added)}`;
      },
    };
  },
});

/** The commands that change only the documents of a bot. */
export const documentCommands: readonly Command[] = [
  add,
  ...listAndRemove(documents, {
    list: {
      summary: 'List the documents that are attached to a bot',
      example: { line: 'botctl bots documents list "Front desk"', does: 'List documents, numbered' },
    },
    remove: {
      summary: 'Detach documents from a bot',
      description:
        'The documents themselves stay. Give each by name, by id, or by its number in documents list.',
      argument: { document: argumentList('a document, by name, id or number', nameOf('document')) },
      examples: [{ line: 'botctl bots documents remove "Front desk" menu.txt', does: 'Detach a document' }],
    },
  }),
];
