import type { Api } from '../../client/api.ts';
import { allowFailure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { collect } from '../../lib/iterables.ts';
import { toListedRow } from '../named.ts';
import { listedNouns, pagesIn } from '../resolve.ts';
import type { Bot } from './bot.ts';
import { editableOf, isTexts } from './editable.ts';

/** The names of a bot's documents, and the words for them in a file. */
export interface DocumentNames {
  /** Returns the name of a document, or undefined if unknown. */
  nameOf(id: string): string | undefined;
  /** Returns the name if no other document of the team has it, so that the file also fits another team; otherwise the id. */
  wordFor(id: string): string;
}

const nothingKnown: DocumentNames = { nameOf: () => undefined, wordFor: (id) => id };

/**
 * Reads the names of a bot's documents from the list of its team. If the service doesn't list them, their ids are
 * used.
 * @throws Failure only for an interruption
 */
export async function readDocumentNames(api: Api, bot: Bot): Promise<DocumentNames> {
  const { document_ids: ids } = editableOf(bot);
  const { teamId } = bot;
  if (!isTexts(ids) || ids.length === 0 || teamId === undefined) return nothingKnown;
  const pages = await allowFailure(collect(pagesIn(api, listedNouns.document.list, { teamId })));
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { id, name } of (pages ?? []).flatMap(({ rows }) => rows.map(toListedRow))) {
    if (name === undefined) continue;
    names.set(id.toLowerCase(), name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const nameOf = (id: string): string | undefined => names.get(id.toLowerCase());
  return {
    nameOf,
    wordFor(id) {
      const name = nameOf(id);
      const isWord = name !== undefined && name.trim() !== '' && !isId(name) && counts.get(name) === 1;
      return isWord ? name : id;
    },
  };
}
