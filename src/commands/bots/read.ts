import type { Api, Reply } from '../../client/api.ts';
import { resolveBot, resolveTeam } from '../../client/names.ts';
import type { Row } from '../../command.ts';
import { Failure } from '../../errors.ts';

/** A bot in its detail form. */
export type BotDetail = Reply<'getBot'>['data'];

/** What a bot is called in a sentence: its name or, where the service doesn't show one, its id. */
export function labelOf({ name, id }: { readonly name?: unknown; readonly id: string }): string {
  return typeof name === 'string' && name !== '' ? name : id;
}

/**
 * Reads a bot by name or id.
 * @throws Failure `notFound`, or `usage` where several bots have the name
 */
export async function readBot(
  api: Api,
  bot: string,
  options: { readonly for: 'read' | 'write'; readonly team: string | undefined },
): Promise<BotDetail> {
  const teamId =
    options.team === undefined ? undefined : await resolveTeam(api, options.team, { for: options.for });
  const id = await resolveBot(api, bot, { for: options.for, teamId });
  const { data } = await api.call('getBot', { path: { id } });
  return data;
}

/**
 * The documents of a bot, read one by one: a bot shows only their ids. One that isn't there any more has its
 * id alone.
 * @throws Failure as `Api.call`, but for `notFound`
 */
export async function readDocuments(
  api: Api,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const documents: Row[] = [];
  for (let at = 0; at < ids.length; at += documentsAtOnce) {
    const some = ids.slice(at, at + documentsAtOnce);
    documents.push(...(await Promise.all(some.map((id) => readDocument(api, id, signal)))));
  }
  return documents;
}

const documentsAtOnce = 8;

async function readDocument(api: Api, id: string, signal: AbortSignal): Promise<Row> {
  try {
    return (await api.call('getDocument', { path: { id }, signal })).data;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.kind === 'notFound') return { id };
    throw thrown;
  }
}
