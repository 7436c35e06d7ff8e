import { type Command, defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { argumentList, nameOf } from '../../cli/options.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { documentIds, findDocuments } from '../../resources/bots/find-documents.ts';
import { readBot, readDocuments } from '../../resources/bots/read-bot.ts';
import { noteChoices } from './confirm-changes.ts';
import {
  choicesOf,
  confirmListChange,
  type ListChange,
  listOf,
  quoted,
  removal,
  sendListChange,
} from './list-fields.ts';
import { botArgument, teamOption } from './named.ts';

const documentList = {
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
} as const;

async function rowsOf({ api, signal }: Session, bot: Bot): Promise<readonly Row[]> {
  const documents = await readDocuments(api, listOf(bot, 'document_ids'), signal);
  return documents.map((document, index) => ({ number: index + 1, ...document.raw }));
}

/** Returns the documents of a bot, with what a person may name each by. */
async function namedDocuments({ api, signal }: Session, bot: Bot) {
  const shown = listOf(bot, 'document_ids');
  const documents = await readDocuments(api, shown, signal);
  return shown.map((id, index) => ({
    number: index + 1,
    label: documents[index]?.name ?? id,
    id,
    one: id,
  }));
}

const add = defineCommand({
  name: 'documents add',
  summary: 'Attach documents to a bot',
  description: 'The other documents stay. One that is attached already is not sent again.',
  arguments: { bot: botArgument, document: argumentList('a document, by name or id', nameOf('document')) },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots documents add "Night desk" menu.txt', does: 'Attach a document' }],
  needs: 'session',
  effect: 'changes',
  output: documentList,
  async choicesFor(session, name, { bot, team }) {
    if (name !== 'document' || bot === undefined) return undefined;
    const present = await readBot(session, bot, team);
    const { thingsToChoose } = await import('../../cli/questions.ts');
    return thingsToChoose(session, 'document', present.teamId);
  },
  async prepare(session, { bot: name, team, document: names }): Promise<ListChange<'document_ids'>> {
    const { api, signal } = session;
    const present = await readBot(session, name, team);
    const { askWhich, hasChosen } = noteChoices(session.askWhich);
    const ids = documentIds(await findDocuments(api, names, { teamId: present.teamId, askWhich, signal }));
    return {
      present,
      field: 'document_ids',
      hasChosen: hasChosen(),
      edit(there) {
        const attached = new Set(there.map((id) => id.toLowerCase()));
        return [...there, ...new Set(ids.filter((id) => !attached.has(id.toLowerCase())))];
      },
      did: (before) => {
        const attached = new Set(before.map((id) => id.toLowerCase()));
        const added = names.filter((_, index) => !attached.has(ids[index]?.toLowerCase() ?? ''));
        return `Added ${quoted('document', added)}`;
      },
    };
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(session, await sendListChange(session, change)),
});

const list = defineCommand({
  name: 'documents list',
  summary: 'List the documents that are attached to a bot',
  arguments: { bot: botArgument },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots documents list "Front desk"', does: 'List documents, numbered' }],
  needs: 'session',
  effect: 'reads',
  output: documentList,
  async run(session, { bot: name, team }) {
    return rowsOf(session, await readBot(session, name, team));
  },
});

const remove = defineCommand({
  name: 'documents remove',
  summary: 'Detach documents from a bot',
  description:
    'The documents themselves stay. Each is given by its name or id, or by its number as documents list shows it.',
  arguments: {
    bot: botArgument,
    document: argumentList('a document, by name, id or number', nameOf('document')),
  },
  options: { team: teamOption },
  examples: [{ line: 'botctl bots documents remove "Front desk" menu.txt --yes', does: 'Detach a document' }],
  needs: 'session',
  effect: 'changes',
  output: documentList,
  async choicesFor(session, name, { bot, team }) {
    if (name !== 'document' || bot === undefined) return undefined;
    return choicesOf(await namedDocuments(session, await readBot(session, bot, team)));
  },
  async prepare(session, { bot: name, team, document: words }) {
    const present = await readBot(session, name, team);
    return removal(session, present, 'document_ids', await namedDocuments(session, present), words);
  },
  confirm: confirmListChange,
  run: async (session, _input, change) => rowsOf(session, await sendListChange(session, change)),
});

/** The commands that change which documents a bot knows, and nothing else of it. */
export const documentCommands: readonly Command[] = [add, list, remove];
