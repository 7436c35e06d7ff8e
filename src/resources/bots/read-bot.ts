import type { Api } from '../../client/api.ts';
import { allowFailure } from '../../lib/errors.ts';
import { inChunks } from '../../lib/iterables.ts';
import { type Document, toDocument } from '../document.ts';
import { resolveId, resolveTeamOption } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type Bot, toBot } from './bot.ts';

/** Concurrent reads of documents. */
const maxReadsAtOnce = 8;

/**
 * Reads a bot by name or id.
 * @param team the team to look in, by name or id
 * @throws Failure as `resolveId`, and as `Api.call`
 */
export async function readBot(
  context: Pick<ResourceContext, 'api' | 'askWhich'>,
  bot: string,
  team: string | undefined,
): Promise<Bot> {
  const { api, askWhich } = context;
  const teamId = await resolveTeamOption(context, team);
  return readBotById(api, await resolveId(api, 'bot', bot, { askWhich, teamId }));
}

/**
 * Reads a bot.
 * @throws Failure as `Api.call`
 */
export async function readBotById(api: Api, id: string): Promise<Bot> {
  return toBot((await api.call('getBot', { path: { id } })).data);
}

/**
 * Returns the documents of a bot, read one by one: a bot shows only their ids. A deleted document has
 * only its id.
 * @throws Failure as `Api.call`, except `notFound`
 */
export async function readDocuments(api: Api, ids: readonly string[]): Promise<readonly Document[]> {
  const documents: Document[] = [];
  for (const some of inChunks(ids, maxReadsAtOnce))
    documents.push(...(await Promise.all(some.map((id) => readDocument(api, id)))));
  return documents;
}

async function readDocument(api: Api, id: string): Promise<Document> {
  const read = await allowFailure(api.call('getDocument', { path: { id } }), ['notFound']);
  return toDocument(read?.data ?? { id });
}
