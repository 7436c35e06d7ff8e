import { asFailure, Failure, failureCode, inputFailure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { changesBy, listOf } from '../../resources/bots/list-change.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';
import { findNamed, pagesIn } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { LedgerLine } from './ledger-text.ts';
import type { SyncPlan } from './plan-sync.ts';
import { linesAfter } from './planned-file.ts';
import { attachedIds } from './sync-plan.ts';

/** The documents that the bots should have. */
export interface AttachInput {
  /** The bots when the sync was planned. */
  readonly bots: readonly Bot[];
  /** Detach the documents of deleted files. */
  readonly detachRemoved: boolean;
  /** The paths of the chosen files: the ledger has others too. */
  readonly chosen: ReadonlySet<string>;
}

/** Returns the paths of the files in a sync. */
export function chosenFiles({ files, unread }: SyncPlan): ReadonlySet<string> {
  return new Set([...files.map(({ file }) => file.key), ...unread.map(({ path }) => path)]);
}

/**
 * Reads the bots for the documents, each once.
 * @throws Failure `invalidInput` for a bot of another team, `rejected` for one whose documents the service doesn't show, and
 *   as `findNamed`
 */
export async function readBots(
  { api, askWhich }: ResourceContext,
  names: readonly string[],
  teamId: string,
): Promise<readonly Bot[]> {
  const bots: Bot[] = [];
  for (const name of names) {
    const { id } = await findNamed(api, 'bot', name, { askWhich, teamId });
    if (bots.some((bot) => isSameId(bot.id, id))) continue;
    const bot = await readBotById(api, id);
    listOf(bot, 'document_ids');
    bots.push(bot);
  }
  const elsewhere = bots.filter((bot) => bot.teamId !== undefined && !isSameId(bot.teamId, teamId));
  if (elsewhere.length === 0) return bots;
  throw inputFailure(
    elsewhere.map(({ label }) => `Bot ${label} belongs to another team.`),
    'A bot can only use documents of its own team.',
  );
}

/** Returns the documents that a bot should have, or undefined if it already has them. */
export function wantedDocuments(
  bot: Bot,
  lines: Iterable<LedgerLine>,
  { detachRemoved, chosen }: AttachInput,
): readonly string[] | undefined {
  const ids = listOf(bot, 'document_ids');
  const wanted = attachedIds(ids, lines, detachRemoved, (path) => chosen.has(path));
  return changesBy(bot, 'document_ids', () => [...wanted]).list.length > 0 ? wanted : undefined;
}

/** The result for a bot. */
export interface AttachOutcome {
  readonly row: JsonObject;
  readonly failure?: Failure;
  /** True if it is or may be published, and unpublishing it was not allowed. */
  readonly waits?: boolean;
  /** The replaced documents that it still has, if it could not be updated. */
  readonly keeps?: readonly string[];
}

/**
 * Attaches the documents of the ledger to a bot. The bot is read right before its only change, so that documents that others
 * attached meanwhile stay, and read again after it.
 * @param bot the bot when the sync was planned; if it has all documents, it is not read again
 * @param isAllowed true if it may be unpublished
 */
export async function attach(
  { api, reporter }: ResourceContext,
  bot: Bot,
  lines: readonly LedgerLine[],
  attaching: AttachInput,
  isAllowed: boolean,
): Promise<AttachOutcome> {
  if (!wantedDocuments(bot, lines, attaching)) return { row: botRow(bot, 'unchanged') };
  try {
    const latest = await readBotById(api, bot.id);
    const wanted = wantedDocuments(latest, lines, attaching);
    if (!wanted) return { row: botRow(latest, 'unchanged') };
    const figures = difference(listOf(latest, 'document_ids'), wanted);
    if (latest.published !== false && !isAllowed) {
      const keeps = listOf(latest, 'document_ids');
      return { row: botRow(latest, 'waits', figures), waits: true, keeps };
    }
    const lost = await uncertainFailure(() =>
      api.call('updateBot', { path: { id: bot.id }, body: { document_ids: [...wanted] } }),
    );
    // Another user may have attached a document since; that stays. The bot also shows whether a call without a response took effect.
    const after = await readBotById(api, bot.id).catch((thrown: unknown) => {
      throw lost ?? thrown;
    });
    if (wantedDocuments(after, lines, attaching)) {
      if (lost) throw lost;
      const words = `The service accepted the change of ${latest.label}, but the bot has different documents than were sent.`;
      throw new Failure('rejected', words, { hint: 'Check the bot, then run the same command again.' });
    }
    const { attached, detached } = figures;
    const took = detached > 0 ? `, detached ${detached}` : '';
    reporter.done(
      `Bot ${latest.label}: attached ${pluralize(attached, 'document')}${took}. It is not published.`,
    );
    return { row: botRow(latest, 'attached', figures) };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.kind === 'unexpected') throw thrown;
    const why = { error: failure.message, code: failureCode(failure) };
    const keeps = listOf(bot, 'document_ids');
    return { row: { ...botRow(bot, failure.isUncertain ? 'unknown' : 'failed'), ...why }, failure, keeps };
  }
}

/** Returns the failure of a call that may have taken effect, or undefined if there was a response. */
async function uncertainFailure(call: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    const isLost = thrown instanceof Failure && (thrown.kind === 'network' || thrown.isUncertain);
    if (isLost && !thrown.isInterruption) return thrown;
    throw thrown;
  }
}

/** The maximum number of bots of a team that are read only to report replaced documents. */
const maxRead = 100;

const maxReadsAtOnce = 8;

/**
 * Yields a row for each other bot of the team that has a document which was replaced in this run. Bots are
 * read only if there is such a document.
 */
export async function* outdatedBots(
  { api, reporter, signal }: ResourceContext,
  { teamId, files, ledger }: SyncPlan,
  { bots }: AttachInput,
): AsyncGenerator<JsonObject> {
  const lines = [...ledger.lines.values()];
  const replaced = files.filter(({ file, line, displaced }) => {
    const now = ledger.lines.get(file.key)?.id;
    const before = [line?.id, displaced?.id].filter((id) => id !== undefined);
    return now !== undefined && before.some((id) => !isSameId(now, id));
  });
  if (replaced.length === 0) return;
  const ids: string[] = [];
  try {
    for await (const { rows } of pagesIn(api, 'listBots', { teamId, signal }))
      ids.push(...rows.map(({ id }) => id).filter((id) => !bots.some((bot) => isSameId(bot.id, id))));
    const outdated: Bot[] = [];
    for (let at = 0; at < Math.min(ids.length, maxRead); at += maxReadsAtOnce) {
      const some = ids.slice(at, Math.min(at + maxReadsAtOnce, maxRead));
      const read = await Promise.all(some.map((id) => readBotById(api, id)));
      const nothing = { bots, detachRemoved: false, chosen: new Set<string>() };
      outdated.push(...read.filter((bot) => wantedDocuments(bot, lines, nothing) !== undefined));
    }
    if (outdated.length > 0) {
      const labels = outdated.map(({ label }) => label).join(', ');
      const options = outdated.map(({ id }) => `--attach ${id}`).join(' ');
      reporter.note(
        `These bots still have an old version of a document: ${labels}. To update them, add: ${options}`,
      );
    }
    if (ids.length > maxRead) reporter.note(`Bots that were not checked: ${ids.length - maxRead}.`);
    for (const bot of outdated) yield botRow(bot, 'outdated');
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind === 'unexpected' || thrown.isInterruption) throw thrown;
    reporter.note(`Bots with an old version of a document could not be listed: ${thrown.message}`);
  }
}

/** The numbers of documents that are attached to and detached from a bot. */
interface Figures {
  readonly attached: number;
  readonly detached: number;
}

function difference(ids: readonly string[], wanted: readonly string[]): Figures {
  const forms = (some: readonly string[]) => new Set(some.map((id) => id.toLowerCase()));
  const [has, shall] = [forms(ids), forms(wanted)];
  return {
    attached: [...shall].filter((id) => !has.has(id)).length,
    detached: [...has].filter((id) => !shall.has(id)).length,
  };
}

function botRow({ id, name }: Bot, outcome: string, figures: Partial<Figures> = {}): JsonObject {
  return {
    ...{ path: null, name: name ?? null, change: 'bot', id: null, bot: id },
    ...{ attached: figures.attached ?? 0, detached: figures.detached ?? 0 },
    ...{ reason: null, error: null, code: null, outcome },
  };
}

/** Returns the rows of the bots for --check, and the number of bots that differ. */
export function checkBots(
  plan: SyncPlan,
  attaching: AttachInput,
): { readonly rows: readonly JsonObject[]; readonly differing: number } {
  const lines = linesAfter(plan.ledger.lines, plan);
  const rows = attaching.bots.map((bot) => {
    const wanted = wantedDocuments(bot, lines, attaching);
    if (!wanted) return botRow(bot, 'unchanged');
    return botRow(bot, 'would attach', difference(listOf(bot, 'document_ids'), wanted));
  });
  return { rows, differing: rows.filter(({ outcome }) => outcome !== 'unchanged').length };
}
