import { type Command, defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { argumentList, nameOf } from '../../input/options.ts';
import { documentIds, findDocuments } from './find-documents.ts';
import { botArgument, teamOption } from './named.ts';
import { changePart, choicesOf, confirmPart, named, type PartChange, partOf, removal } from './parts.ts';
import { type BotDetail, readBot, readDocuments } from './read.ts';

const documentList = {
  kind: 'list',
  fields: [
    { name: 'number', kind: 'number', importance: 6 },
    { name: 'id', kind: 'id', importance: 7, namedBy: 'name' },
    { name: 'name', importance: 9 },
    { name: 'type', importance: 5 },
    { name: 'chars', kind: 'number', importance: 4 },
  ],
  empty: { none: 'No documents. Attach one: botctl bots documents add BOT DOCUMENT' },
} as const;

async function rowsOf({ api, signal }: Session, bot: BotDetail): Promise<readonly Row[]> {
  const documents = await readDocuments(api, partOf(bot, 'document_ids'), signal);
  return documents.map((document, index) => ({ number: index + 1, ...document }));
}

/** The documents of a bot, as a person may point at them. */
async function pointedDocuments({ api, signal }: Session, bot: BotDetail) {
  const shown = partOf(bot, 'document_ids');
  const documents = await readDocuments(api, shown, signal);
  return shown.map((id, index) => ({
    number: index + 1,
    label: String(documents[index]?.name ?? id),
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
    const present = await readBot(session.api, bot, { for: 'write', team });
    const { thingsToChoose } = await import('../../input/questions.ts');
    return thingsToChoose(session, 'document', teamOf(present));
  },
  async prepare({ api, signal }, { bot: name, team, document: names }): Promise<PartChange<'document_ids'>> {
    const present = await readBot(api, name, { for: 'write', team });
    const ids = documentIds(await findDocuments(api, names, { teamId: teamOf(present), signal }));
    return {
      present,
      part: 'document_ids',
      revise(there) {
        const attached = new Set(there.map((id) => id.toLowerCase()));
        return [...there, ...new Set(ids.filter((id) => !attached.has(id.toLowerCase())))];
      },
      did: (before) => {
        const attached = new Set(before.map((id) => id.toLowerCase()));
        const added = names.filter((_, index) => !attached.has(ids[index]?.toLowerCase() ?? ''));
        return `Added ${named('document', added)}`;
      },
    };
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(session, await changePart(session, change)),
});

function teamOf({ team_id }: BotDetail): string | undefined {
  return typeof team_id === 'string' ? team_id : undefined;
}

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
    return rowsOf(session, await readBot(session.api, name, { for: 'read', team }));
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
    return choicesOf(
      await pointedDocuments(session, await readBot(session.api, bot, { for: 'write', team })),
    );
  },
  async prepare(session, { bot: name, team, document: words }) {
    const present = await readBot(session.api, name, { for: 'write', team });
    return removal(present, 'document_ids', await pointedDocuments(session, present), words);
  },
  confirm: confirmPart,
  run: async (session, _input, change) => rowsOf(session, await changePart(session, change)),
});

/** The commands that change which documents a bot knows, and nothing else of it. */
export const documentCommands: readonly Command[] = [add, list, remove];
