import type { Api } from '../../client/api.ts';
import { resolveTeam } from '../../client/names.ts';
import type { Confirmation, Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure, usageFailure } from '../../errors.ts';
import type { Paint } from '../../terminal/colour.ts';
import type { Problem } from './check.ts';
import { editableFields, editableOf, isSameValue, isTexts } from './editable.ts';
import { documentIds, type FoundDocuments, findDocuments, type LookIn } from './find-documents.ts';
import { type BotDetail, labelOf } from './read.ts';
import type { Written, WrittenBot } from './written.ts';

/** A field that an update sets. */
export interface Change {
  readonly field: string;
  /** What the service shows; undefined where it doesn't show the field. */
  readonly from: unknown;
  readonly to: unknown;
}

/** What an update sends, and what that changes. */
export interface Changes {
  readonly body: WrittenBot;
  readonly list: readonly Change[];
}

/**
 * What of the written differs from what the service shows. A field that it doesn't show is always among
 * it: nobody can tell whether it differs. Only what differs is checked, since what the service shows is
 * right by itself.
 * @throws Failure `usage` that lists everything wrong, and as `resolveDocument`
 */
export async function changesOf(api: Api, present: BotDetail, written: Written): Promise<Changes> {
  const { team_id: team, ...values } = written.values;
  await checkTeam(api, present, team);
  const teamId = typeof present.team_id === 'string' ? present.team_id : undefined;
  const body = await checkedBot(differing(present, values), written, [], {
    api,
    where: async () => ({ teamId }),
  });
  return changes(present, differing(present, body));
}

/** How the documents that a bot is given by name are looked up. */
interface DocumentLookup {
  readonly api: Api;
  /** Finds out where. */
  where(): Promise<LookIn>;
}

/**
 * Checks what was written of a bot.
 * @param others what else is wrong with it
 * @param lookup turns the names of documents into ids; they stay as they are without it
 * @throws Failure `usage` that lists everything wrong; as `documentIds` where that are documents alone
 */
export async function checkedBot(
  values: Row,
  written: Written,
  others: readonly string[] = [],
  lookup?: DocumentLookup,
): Promise<WrittenBot> {
  const { document_ids: names } = values;
  if (!lookup || !isTexts(names)) return checkedFields(values, written, others);
  const found = await findWhere(lookup, names);
  const messages = found.failures.map(({ message }) => message);
  const bot = await checkedFields(values, written, others).catch((thrown: unknown) => {
    if (!(thrown instanceof Failure) || thrown.kind !== 'usage' || messages.length === 0) throw thrown;
    throw usageFailure([thrown.message, ...messages], thrown.hint);
  });
  return { ...bot, document_ids: documentIds(found) };
}

async function findWhere({ api, where }: DocumentLookup, names: readonly string[]): Promise<FoundDocuments> {
  try {
    return await findDocuments(api, names, await where());
  } catch (thrown) {
    if (!(thrown instanceof Failure) || !['notFound', 'usage'].includes(thrown.kind)) throw thrown;
    return { ids: [], failures: [thrown] };
  }
}

async function checkedFields(values: Row, written: Written, others: readonly string[]): Promise<WrittenBot> {
  if (Object.keys(values).length + others.length === 0) return {};
  const { checkBot, sentenceOf } = await import('./check.ts');
  const { bot, problems } = checkBot(values);
  if (bot && others.length === 0) return bot;
  const tell = ({ path, says }: Problem): string => {
    const place = written.place(path);
    return `${place.label}${sentenceOf({ path: place.path, says })}`;
  };
  throw usageFailure(
    [...problems.map(tell), ...others],
    'The fields that there are, and what each takes: botctl bots create --help',
  );
}

/** What an update sends that sets these fields. */
export function changes(present: BotDetail, body: WrittenBot): Changes {
  const shown = editableOf(present);
  const written: Row = { ...body };
  const list = editableFields
    .filter((field) => Object.hasOwn(written, field))
    .map((field) => ({ field, from: shown[field], to: written[field] }));
  return { body, list };
}

/** Those fields that the service shows otherwise, or not at all. */
function differing<T extends Row>(present: BotDetail, values: T): Partial<T> {
  const shown = editableOf(present);
  return Object.fromEntries(
    Object.entries(values).filter(([field, value]) => !isSameValue(field, shown[field], value)),
  ) as Partial<T>;
}

async function checkTeam(api: Api, present: BotDetail, team: unknown): Promise<void> {
  if (team === undefined || team === null) return;
  const same = (id: unknown): boolean => String(present.team_id).toLowerCase() === String(id).toLowerCase();
  if (same(team) || same(await resolveTeam(api, String(team), { for: 'write' }))) return;
  throw usageFailure(
    [`${labelOf(present)} can't move to another team.`],
    'Leave team_id out of the file, or create the bot there: botctl bots create --team <team> --file <file>',
  );
}

/** What to ask before a published bot is changed; undefined where nothing has to be asked. */
export function unpublishing(present: BotDetail, { list }: Changes): Confirmation | undefined {
  if (present.published !== true || list.length === 0) return undefined;
  const hidden = list.filter(({ from }) => from === undefined).map(({ field }) => field);
  const always =
    hidden.length > 0
      ? ` The service doesn't show ${hidden.join(', ')}, so nobody can tell whether it changes.`
      : '';
  return {
    level: 'yes',
    question: `${labelOf(present)} is published. Changing it unpublishes it, and the API cannot publish it again.${always} Change it?`,
  };
}

/**
 * Sends the changes, or says that there are none. Gives the bot in its detail form.
 * @param present as it was read right before
 * @param done what that does, in words that "of bot X" completes
 */
export async function sendChanges(
  { api, terminal, signal }: Session,
  present: BotDetail,
  { body, list }: Changes,
  done?: string,
): Promise<BotDetail> {
  if (list.length === 0) {
    terminal.note(`Nothing to change: ${labelOf(present)} is like that already.`);
    return present;
  }
  const { data } = await api.call('updateBot', { path: { id: present.id }, body, signal });
  const names = list.map(({ field }) => field).join(', ');
  terminal.done(`${done ?? `Changed ${names}`} of bot ${labelOf(data)}. It is not published.`);
  // What an update answers has no questions, actions, documents and flags (api.md, Bots). Those that were not
  // sent are as they were.
  const isAllAnswered = Object.keys(body).every((field) => Object.hasOwn(data, field));
  if (isAllAnswered) return { ...present, ...data };
  return (await api.call('getBot', { path: { id: present.id }, signal })).data;
}

/** Warns where a change may unpublish a bot, and nobody can tell. */
export function warnIfHidden({ terminal }: Session, present: BotDetail, { list }: Changes): void {
  if (list.length === 0 || typeof present.published === 'boolean') return;
  terminal.warn(
    `The service doesn't show whether ${labelOf(present)} is published. If it is, this change unpublishes it.`,
  );
}

/** Refuses where the bot was published after a person could be asked about it. */
export function checkUnpublished(asked: BotDetail, present: BotDetail, yes: boolean): void {
  if (yes || present.published !== true || asked.published === true) return;
  throw new Failure('rejected', `${labelOf(present)} was published meanwhile. Nothing was sent.`, {
    hint: 'A change would unpublish it. Run the command again if you want that.',
  });
}

/** Draws changes as a unified diff of YAML. */
export async function drawChanges(
  list: readonly Change[],
  names: { readonly before: string; readonly after: string },
  paint: Paint,
): Promise<string> {
  const [{ toYaml }, { drawDiff }] = await Promise.all([
    import('../../terminal/yaml.ts'),
    import('../../terminal/diff.ts'),
  ]);
  const text = (side: 'from' | 'to'): string => {
    const shown = list.filter((change) => change[side] !== undefined);
    return shown.length === 0
      ? ''
      : toYaml(Object.fromEntries(shown.map((change) => [change.field, change[side]])));
  };
  return drawDiff(text('from'), text('to'), names, paint);
}
