import { Failure, inputFailure } from '../../lib/errors.ts';
import { asText, ownMember } from '../../lib/json-object.ts';
import { type Bot, toBot } from '../../resources/bots/bot.ts';
import { changedFields, changesTo, checkUnpublished, checkUntouched } from '../../resources/bots/changes.ts';
import { checkBot } from '../../resources/bots/check-bot.ts';
import { editableOf, isSameValue, isTexts } from '../../resources/bots/editable.ts';
import type { BotFields } from '../../resources/bots/model.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';
import { secretsIn } from '../action-secrets.ts';
import {
  type Address,
  addressOf,
  type DeclaredField,
  type DesiredBot,
  fieldText,
  revealValue,
} from '../desired.ts';
import { recordOf, type SecretField, saltFor, withShown } from '../secret-records.ts';
import { documentsIn, type ObjectEntry, objectAt, objectsIn, recordedFields } from '../state-file.ts';
import { nameUnchanged } from './key-changed.ts';
import {
  checkTeam,
  compareFields,
  type Difference,
  elsewherePlan,
  emptyPlan,
  foundRow,
  idOf,
  isElsewhere,
  isReplaced,
  type Known,
  type ObjectPlan,
  planExisting,
  planNew,
} from './kind.ts';
import type { DeclaredObject, KindContext } from './kind-context.ts';

/** Returns the handler of a bot. */
export function bot(declared: DesiredBot): DeclaredObject {
  const { address } = declared;
  return {
    address,
    plan: (known) => planBot(known, declared),

    async create(kindContext) {
      const { address: team } = kindContext.known.tenant;
      const teamId = kindContext.idOf(team);
      const ids = documentIdsOf(kindContext, declared);
      const fields = { ...sendableFields(declared, () => true), ...(ids && { document_ids: ids }) };
      const secrets = secretFields(declared);
      const entry = entryOf(declared, ids, () => true, await recordsOf(kindContext, secrets));
      const name = asText(fields.name) ?? '';
      const isInNewTeam = !foundRow(kindContext.known, team);
      const creating = { noun: 'bot', address, name, teamId, isInNewTeam, set: fields, entry } as const;
      const { id } = await kindContext.createOnce(creating, async () => {
        const body = { ...fields, team_id: teamId };
        return (await kindContext.context.api.call('createBot', { body })).data;
      });
      if (secrets.length === 0) return;
      const records = await recordsOf(kindContext, secrets, await readShown(kindContext, id));
      await kindContext.state.set(address, { id, ...entry, secrets: records });
    },

    async adopt(kindContext, { reason, id, differences, unverified }) {
      const { known, state } = kindContext;
      const before = objectAt(state, address);
      const row = foundRow(known, address);
      const shown = row && editableOf(toBot(row));
      const secrets = secretFields(declared);
      if (reason === 'assumed' && before) {
        const assumed = secrets.filter(({ name }) => unverified.includes(name));
        const records = await recordsOf(kindContext, assumed, shown);
        return state.set(address, { ...before, secrets: { ...before.secrets, ...records } });
      }
      const others = new Set(differences.map(({ field }) => field));
      const ids = others.has('documents') ? undefined : documentIdsOf(kindContext, declared);
      const same = secrets.filter(({ name }) => !others.has(name));
      const isSame = (field: string): boolean => !others.has(field);
      const entry = entryOf(declared, ids, isSame, await recordsOf(kindContext, same, shown));
      return state.set(address, { id, ...entry });
    },

    async update(kindContext, fields) {
      const { context, known, state } = kindContext;
      const id = kindContext.idOf(address);
      const ids = documentIdsOf(kindContext, declared);
      const latest = await readBotById(context.api, id);
      checkTeam(latest.raw, kindContext.idOf(known.tenant.address));
      const wanted = sendableFields(declared, (field) => fields.includes(field));
      const all = { ...wanted, ...(fields.includes('documents') && ids && { document_ids: ids }) };
      const planned = foundRow(known, address);
      if (planned) {
        const before = toBot(planned);
        checkUntouched(context, before, latest, changesTo(before, all));
        checkUnpublished(before, latest, kindContext.isAllowed('unpublish'));
      }
      const { body, list } = changesTo(latest, changedFields(latest, all));
      if (list.length > 0) await context.api.call('updateBot', { path: { id }, body });
      const shown = editableOf(latest);
      const isAssumed = (field: string): boolean =>
        known.unverified === 'assume' && known.live.secrets.get(address)?.get(field) === 'unverified';
      const sent = secretFields(declared).filter(
        ({ name, value }) =>
          fields.includes(name) ||
          isAssumed(name) ||
          isSameValue(name, ownMember(shown, name), revealValue(value)),
      );
      const records =
        sent.length > 0 ? await recordsOf(kindContext, sent, await readShown(kindContext, id)) : {};
      const entry = entryOf(declared, ids, () => true, records, objectAt(state, address));
      await state.set(address, { ...entry, id });
    },
  };
}

/** Returns the fields that a service may mask: the secret ones, and actions that contain something like a key in plain text. */
function secretFields({ fields }: DesiredBot): readonly SecretField[] {
  return Object.entries(fields).flatMap(([name, { value, isSecret }]) =>
    isSecret || (name === 'actions' && secretsIn(value).size > 0) ? [{ name, value }] : [],
  );
}

type Records = NonNullable<ObjectEntry['secrets']>;

/**
 * Returns the records of secret fields.
 * @param shown the fields of the bot as the service shows them, if known
 */
async function recordsOf(
  { state }: KindContext,
  fields: readonly SecretField[],
  shown?: BotFields,
): Promise<Records> {
  const salt = saltFor(objectsIn(state));
  const records = fields.map(async (field) => {
    const record = await recordOf(field, salt);
    return [
      field.name,
      shown ? await withShown(record, field, ownMember(shown, field.name)) : record,
    ] as const;
  });
  return Object.fromEntries(await Promise.all(records));
}

/**
 * Reads a bot after a write, since the response to a write may show values that a read masks. Returns undefined if the read fails:
 * the write has taken effect.
 */
async function readShown({ context }: KindContext, id: string): Promise<BotFields | undefined> {
  try {
    return editableOf(await readBotById(context.api, id));
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}

/** Returns the fields of a bot to send. */
function sendableFields({ fields, address }: DesiredBot, isSent: (field: string) => boolean): BotFields {
  const given = Object.entries(fields).filter(([field]) => isSent(field));
  const values = given.map(([field, { value }]) => [field, revealValue(value)] as const);
  const { bot, problems } = checkBot(Object.fromEntries(values));
  if (bot) return bot;
  throw inputFailure(problems.map(({ message }) => `${address}: ${message}`));
}

/**
 * Returns the entry of a bot after some declared fields were applied.
 * @param records of secret fields that were sent, or are already applied
 * @param before the current entry: fields that the files omit stay in it
 */
function entryOf(
  bot: DesiredBot,
  ids: readonly string[] | undefined,
  isApplied: (field: string) => boolean,
  records: Records,
  before?: ObjectEntry,
): ObjectEntry {
  const { secret: hiddenBefore = [], secrets: recordsBefore, ...rest } = before ?? {};
  const given = Object.entries(bot.fields).filter(([field]) => isApplied(field));
  const attached = ids && bot.documents ? [idsField(ids, bot.documents)] : [];
  const { applied, secret = [] } = recordedFields([...given, ...attached]);
  // A value that the files now contain in plain text is no longer secret.
  const hidden = [...hiddenBefore.filter((field) => !Object.hasOwn(bot.fields, field)), ...secret];
  const recordable = new Set([...hidden, ...secretFields(bot).map(({ name }) => name)]);
  const kept = Object.entries({ ...recordsBefore, ...records }).filter(([field]) => recordable.has(field));
  return {
    ...{ ...rest, applied },
    ...(hidden.length > 0 && { secret: hidden }),
    ...(kept.length > 0 && { secrets: Object.fromEntries(kept) }),
  };
}

type Documents = NonNullable<DesiredBot['documents']>;

/** Returns the documents of a bot as a field. */
function idsField(value: readonly string[], { place }: Documents): readonly [string, DeclaredField] {
  return ['document_ids', { value, place, isSecret: false }];
}

/** Returns the ids of the documents that a bot should have, which exist by then; undefined if the files don't manage them. */
function documentIdsOf(kindContext: KindContext, bot: DesiredBot): string[] | undefined {
  const ids = documentAddresses(kindContext.known, bot)?.map((address) => kindContext.idOf(address));
  return ids && [...ids, ...documentsWithoutFile(kindContext.known, bot, ids).map(({ id }) => id)];
}

function planBot(known: Known, bot: DesiredBot): ObjectPlan {
  const { tenant } = known;
  const { address } = bot;
  const documents = documentsOf(known, bot);
  const needs = [tenant.address, ...(documents?.addresses ?? [])];
  const plan = emptyPlan('bot', address, fieldText(bot.fields.name), needs);
  const changed = nameUnchanged(known, plan);
  if (changed) return { ...plan, ...changed };
  const fields = Object.entries(bot.fields);
  const row = foundRow(known, address);
  if (!row) {
    const newPlan = planNew(known, plan, fields, 'with a different id and without devices');
    if (!documents) return newPlan;
    const attached = {
      field: 'documents',
      from: undefined,
      to: documents.addresses,
      moved: 'files',
    } as const;
    return { ...newPlan, differences: [...newPlan.differences, attached] };
  }
  if (isElsewhere(row, idOf(known, tenant.address))) return elsewherePlan(plan, row);
  const shown = toBot(row);
  const editable = editableOf(shown);
  const attached = documents?.field ? [documents.field] : [];
  const result = compareFields(known, address, [...fields, ...attached], (field) =>
    ownMember(editable, field),
  );
  const pending = documents && !documents.field ? [pendingDocuments(documents, editable.document_ids)] : [];
  const differences = [...result.differences, ...pending].map((difference) =>
    difference.field === 'document_ids' ? describeDocuments(known, difference) : difference,
  );
  const unverifiable = result.unverifiable.map((field) => (field === 'document_ids' ? 'documents' : field));
  const there = planExisting(known, plan, row, { ...result, differences, unverifiable });
  const isAssumed = there.reason === 'unverified' && known.unverified === 'assume';
  const isUnpublished = shown.published !== false && differences.length > 0;
  return {
    ...there,
    ...(isAssumed && ({ action: 'adopt', reason: 'assumed' } as const)),
    risks: [...there.risks, ...(isUnpublished ? [unpublish(shown)] : [])],
  };
}

function unpublish({ published }: Bot): ObjectPlan['risks'][number] {
  const says = published
    ? 'This unpublishes the bot, and the API has no way to publish it again.'
    : 'The service does not show whether the bot is published. A change unpublishes it, and the API has no way to publish it again.';
  return { risk: 'unpublish', says };
}

/** The documents that a bot should have. */
interface BotDocuments {
  readonly addresses: readonly string[];
  /** Includes those whose files were deleted. */
  readonly all: readonly string[];
  /** Their ids as a field; undefined while some of them do not exist. */
  readonly field?: readonly [string, DeclaredField];
}

function documentAddresses(known: Known, { documents }: DesiredBot): readonly Address[] | undefined {
  if (!documents) return undefined;
  const keys = new Set(documents.keys);
  return (
    known.tenant.documents
      // Other files in a folder do not block the documents of a bot.
      .filter(({ key, address, isOneOfMany }) => {
        if (!keys.has(key)) return false;
        return !isOneOfMany || !isUnsendable(known, address) || foundRow(known, address) !== undefined;
      })
      .map(({ address }) => address)
  );
}

/** Returns whether a file can't be sent as it is. */
function isUnsendable({ live }: Known, address: Address): boolean {
  const planned = live.files.get(address)?.planned;
  return !planned || planned.change === 'refused';
}

/** The documents of a bot whose files were deleted from folders that it names: they stay until the state file drops them. */
function documentsWithoutFile(
  known: Known,
  bot: DesiredBot,
  others: readonly string[],
): readonly { readonly id: string; readonly address: Address }[] {
  const { tenant, state } = known;
  const keys = (bot.documents?.keys ?? []).map((key) => `${addressOf(tenant.key, 'documents', key)}/`);
  const declared = new Set(tenant.documents.map(({ address }) => address));
  const shown = new Set(shownDocuments(known, bot).map((id) => id.toLowerCase()));
  for (const id of others) shown.delete(id.toLowerCase());
  if (shown.size === 0) return [];
  return documentsIn(state, tenant.key).flatMap(({ path: address, id }) => {
    const isOf = id !== undefined && shown.has(id.toLowerCase()) && !declared.has(address);
    return isOf && keys.some((key) => address.startsWith(key)) ? [{ id, address }] : [];
  });
}

/** Returns the ids of the documents that a bot has, as far as the service shows them. */
export function shownDocuments(known: Known, { address }: DesiredBot): readonly string[] {
  const row = foundRow(known, address);
  const ids = row && editableOf(toBot(row)).document_ids;
  return isTexts(ids) ? ids : [];
}

function documentsOf(known: Known, bot: DesiredBot): BotDocuments | undefined {
  const { documents } = bot;
  const addresses = documentAddresses(known, bot);
  if (!documents || !addresses) return undefined;
  const there = addresses.flatMap((address) => {
    const isStaying = foundRow(known, address) && !isReplaced(known, address);
    return (isStaying && idOf(known, address)) || [];
  });
  const kept = documentsWithoutFile(known, bot, there);
  const all = [...addresses, ...kept.map(({ address }) => address)];
  if (there.length < addresses.length) return { addresses, all };
  return { addresses, all, field: idsField([...there, ...kept.map(({ id }) => id)], documents) };
}

function pendingDocuments({ all }: BotDocuments, shown: unknown): Difference {
  return { field: 'document_ids', from: shown, to: all, moved: 'files' };
}

/** Replaces the ids of documents in a difference by addresses, or else names. */
function describeDocuments(known: Known, { from, to, applied, moved }: Difference): Difference {
  const { state, live, tenant } = known;
  const addresses = new Map<string, string>();
  for (const { path, id } of documentsIn(state, tenant.key))
    if (id !== undefined) addresses.set(id.toLowerCase(), path);
  for (const { address } of tenant.documents) {
    const id = idOf(known, address);
    if (id === undefined) continue;
    // The address belongs to the document that replaces it.
    if (isReplaced(known, address)) addresses.delete(id.toLowerCase());
    else addresses.set(id.toLowerCase(), address);
  }
  const word = (id: string): string =>
    addresses.get(id.toLowerCase()) ?? live.names.get(id.toLowerCase()) ?? id;
  const words = (value: unknown): unknown => (isTexts(value) ? value.map(word).sort() : value);
  return {
    field: 'documents',
    from: words(from),
    to: words(to),
    moved,
    ...(applied !== undefined && { applied: words(applied) }),
  };
}
