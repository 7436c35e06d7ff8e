import type { Api } from '../../client/api.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import { asText, type JsonObject, ownMember } from '../../lib/json-object.ts';
import type { AskWhich } from '../../lib/match-name.ts';
import { sentenceOf } from '../../lib/problem.ts';
import { type CommandLine, command, joinRemarks, placeholder, remark } from '../../lib/text/remark.ts';
import { resolveId } from '../resolve.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type Bot, toBot } from './bot.ts';
import { editableFields, editableOf, isSameValue } from './editable.ts';
import { documentIds, findDocuments } from './find-documents.ts';
import type { BotFields, BotInput } from './model.ts';
import { readBotById } from './read-bot.ts';

/** A field that an update sets. */
export interface Change {
  readonly field: string;
  /** The value that the service shows, or undefined if it doesn't show the field. */
  readonly from: unknown;
  readonly to: unknown;
}

/** The body of an update, and the fields that it changes. */
export interface Changes {
  readonly body: BotFields;
  readonly list: readonly Change[];
}

/**
 * Checks the fields of a bot as a person wrote them, without calling the service. Returns the valid fields.
 * @param otherProblems further problems of the input
 * @param help shows the allowed fields
 * @throws Failure `invalidInput` that lists every problem
 */
export async function checkBotInput(
  input: BotInput,
  otherProblems: readonly string[] = [],
  help: CommandLine = command('bots', 'create', '--help'),
): Promise<BotFields> {
  const { checkBot } = await import('./check-bot.ts');
  const { bot, problems } = checkBot(input.values);
  if (bot && otherProblems.length === 0) return bot;
  const id = asText(input.values.id) ?? '';
  const sentences = problems.map(({ path, message }) => {
    const place = input.place(path);
    return `${place.label}${sentenceOf({ path: place.path, message })}`;
  });
  throw inputFailure(
    [...sentences, ...otherProblems],
    joinRemarks([
      // The file is a bot in the form of the service.
      isId(id) && remark`For a file that can be sent back: ${command('bots', 'get', id, '--editable')}`,
      remark`The fields and their values: ${help}`,
    ]),
  );
}

/**
 * Returns the fields that differ from what the service shows. A field that it doesn't show is always included,
 * since it may differ.
 * @param fields checked; its team and documents may still be names
 * @param askWhich asks which document a name means; undefined for names from a file
 * @throws Failure `invalidInput` for another team, and as `findDocuments` and `documentIds`
 */
export async function changesOf(
  api: Api,
  bot: Bot,
  fields: BotFields,
  askWhich: AskWhich | undefined,
): Promise<Changes> {
  const { team_id: team, document_ids: names, ...values } = fields;
  await checkTeam(api, bot, team);
  // A value that the service already shows needs no lookup.
  const isShown = isSameValue('document_ids', editableOf(bot).document_ids, names);
  const ids =
    names && !isShown
      ? documentIds(await findDocuments(api, names, { teamId: bot.teamId, askWhich }))
      : undefined;
  return changesTo(bot, changedFields(bot, { ...values, ...(ids && { document_ids: ids }) }));
}

export function changesTo(bot: Bot, body: BotFields): Changes {
  const shown = editableOf(bot);
  const written: JsonObject = { ...body };
  const list = editableFields
    .filter((field) => Object.hasOwn(written, field))
    .map((field) => ({ field, from: shown[field], to: written[field] }));
  return { body, list };
}

/** Returns the fields that the service shows with another value, or not at all. */
export function changedFields<T extends JsonObject>(bot: Bot, values: T): Partial<T> {
  const shown = editableOf(bot);
  return Object.fromEntries(
    Object.entries(values).filter(([field, value]) => !isSameValue(field, ownMember(shown, field), value)),
  ) as Partial<T>;
}

async function checkTeam(api: Api, bot: Bot, team: string | undefined): Promise<void> {
  if (team === undefined) return;
  if (isSameId(bot.teamId, team)) return;
  if (isSameId(bot.teamId, await resolveId(api, 'team', team, { askWhich: undefined }))) return;
  throw inputFailure(
    [`${bot.label} can't move to another team.`],
    remark`Leave team_id out of the file, or create the bot there: ${command('bots', 'create', '--team', placeholder('<team>'), '--file', placeholder('<file>'))}`,
  );
}

/**
 * Sends the changes, or reports that there are none. Returns the updated bot.
 * @param bot as it was read just before
 * @param done the words for the changes, which "of bot X" completes
 */
export async function sendChanges(
  { api, reporter, signal }: ResourceContext,
  bot: Bot,
  { body, list }: Changes,
  done?: string,
): Promise<Bot> {
  if (list.length === 0) {
    reporter.note(`Nothing to change: ${bot.label} already matches.`);
    return bot;
  }
  const { data } = await api.call('updateBot', { path: { id: bot.id }, body });
  const names = list.map(({ field }) => field.replace('document_ids', 'documents').replaceAll('_', ' '));
  reporter.done(`${done ?? `Changed ${names.join(', ')}`} of bot ${toBot(data).label}. It is not published.`);
  // The response to an update has no questions, actions, documents and flags (specification, Bots). Those that were not
  // sent are unchanged.
  const isAllAnswered = Object.keys(body).every((field) => Object.hasOwn(data, field));
  if (isAllAnswered) return toBot({ ...bot.raw, ...data });
  // An interrupted command makes no further call: the values that were sent are the current ones.
  return signal.aborted ? toBot({ ...bot.raw, ...body, ...data }) : readBotById(api, bot.id);
}

/**
 * Checks that a bot was not published since the user was asked about it.
 * @param asked the bot when the user was asked
 * @param isAllowed true if unpublishing was allowed in advance
 * @throws Failure `rejected`
 */
export function checkUnpublished(asked: Bot, latest: Bot, isAllowed: boolean): void {
  if (isAllowed || latest.published === false || asked.published !== false) return;
  const was = latest.published ? 'was' : 'may have been';
  throw new Failure('rejected', `${latest.label} ${was} published in the meantime. Nothing was sent.`, {
    hint: 'A change would unpublish it. Run the command again if you want that.',
  });
}

/**
 * Reports the changes of another user to a bot since it was read.
 * @throws Failure `rejected` if the update would overwrite them
 */
export function checkUntouched(
  { reporter }: Pick<ResourceContext, 'reporter'>,
  bot: Bot,
  fresh: Bot,
  { list }: Changes,
): void {
  const [before, now] = [editableOf(bot), editableOf(fresh)];
  const touched = Object.keys({ ...before, ...now }).filter(
    (field) => !isSameValue(field, ownMember(before, field), ownMember(now, field)),
  );
  const lost = list.filter(
    ({ field, to }) => touched.includes(field) && !isSameValue(field, to, ownMember(now, field)),
  );
  if (lost.length > 0) {
    const fields = lost.map(({ field }) => field).join(', ');
    throw new Failure(
      'rejected',
      `Another user changed ${fields} of ${fresh.label} in the meantime. Nothing was sent.`,
    );
  }
  if (touched.length > 0) {
    reporter.note(`Another user changed ${touched.join(', ')} in the meantime. That change stays.`);
  } else if (bot.raw.updated_at !== fresh.raw.updated_at) {
    reporter.note(`${fresh.label} was changed in the meantime, but no editable field.`);
  }
}
