import type { ResourceRow } from '../../client/api.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { own, textOf } from '../../lib/json-object.ts';
import { type Bot, toBot } from '../../resources/bots/bot.ts';
import { changesTo, checkUnpublished, checkUntouched, differing } from '../../resources/bots/changes.ts';
import { checkBot } from '../../resources/bots/check-bot.ts';
import { editableOf, isSameValue, isTexts } from '../../resources/bots/editable.ts';
import type { BotFields } from '../../resources/bots/model.ts';
import { readBotById } from '../../resources/bots/read-bot.ts';
import { secretsIn } from '../action-secrets.ts';
import { type Address, addressOf, type DeclaredField, type DesiredBot, revealed } from '../desired.ts';
import { recordOf, type SecretField, saltFor, withShown } from '../secret-records.ts';
import { documentsIn, keptFields, type ObjectEntry, objectAt, objectsIn } from '../state-file.ts';
import type { Doing, Kind } from './carry-out.ts';
import { nameKept } from './key-changed.ts';
import {
  actionFor,
  adoption,
  asNew,
  checkTeam,
  compared,
  type Difference,
  elsewhere,
  foundOf,
  idOf,
  isElsewhere,
  isReplaced,
  type Known,
  type ObjectPlan,
  rowFound,
} from './kind.ts';

export const bot: Kind<DesiredBot> = {
  plan: planBot,

  async create(doing, bot) {
    const teamId = doing.idOf(doing.known.tenant.address);
    const ids = documentIdsOf(doing, bot);
    const fields = { ...checked(bot, () => true), ...(ids && { document_ids: ids }) };
    const name = textOf(fields.name) ?? '';
    const { address } = bot;
    const secrets = await recordsOf(doing, secretFields(bot));
    const entry = { ...entryOf(bot, ids, () => true), ...(secrets && { secrets }) };
    const { state } = foundOf(doing.known, doing.known.tenant.address);
    const isInNewTeam = state === 'absent' || state === 'gone';
    const creating = { noun: 'bot', address, name, teamId, isInNewTeam, set: fields, entry } as const;
    const { id } = await doing.createOnce(creating, async () => {
      const body = { ...fields, team_id: teamId };
      return (await doing.context.api.call('createBot', { body })).data;
    });
    if (!secrets) return;
    const shown = await withShownIn(doing, id, secretFields(bot), secrets);
    await doing.state.keep(address, { id, ...entry, secrets: shown });
  },

  async adopt(doing, bot, { reason, id, differences, unverified = [] }) {
    const { known, state } = doing;
    const before = objectAt(state, bot.address);
    const row = rowFound(known, bot.address);
    if (reason === 'assumed' && before) {
      const assumed = secretFields(bot).filter(({ name }) => unverified.includes(name));
      const secrets = await recordsOf(doing, assumed, row);
      return state.keep(bot.address, { ...before, secrets: { ...before.secrets, ...secrets } });
    }
    const others = new Set(differences.map(({ field }) => field));
    const ids = others.has('documents') ? undefined : documentIdsOf(doing, bot);
    const same = secretFields(bot).filter(({ name }) => !others.has(name));
    const secrets = await recordsOf(doing, same, row);
    const entry = entryOf(bot, ids, (field) => !others.has(field));
    return state.keep(bot.address, { id, ...entry, ...(secrets && { secrets }) });
  },

  async update(doing, bot, fields) {
    const { context, known } = doing;
    const id = doing.idOf(bot.address);
    const ids = documentIdsOf(doing, bot);
    const latest = await readBotById(context.api, id);
    checkTeam(latest.raw, doing.idOf(known.tenant.address));
    const wanted = checked(bot, (field) => fields.includes(field));
    const all = { ...wanted, ...(fields.includes('documents') && ids && { document_ids: ids }) };
    const planned = rowFound(known, bot.address);
    if (planned) {
      const before = toBot(planned);
      checkUntouched(context, before, latest, changesTo(before, all));
      checkUnpublished(before, latest, doing.allows('unpublish'));
    }
    const changes = changesTo(latest, differing(latest, all));
    const { body, list } = changes;
    if (list.length > 0) await context.api.call('updateBot', { path: { id }, body });
    const { secret, secrets: records = {}, ...before } = objectAt(doing.state, bot.address) ?? {};
    const now = entryOf(bot, ids, () => true);
    // What the files leave out is still there; what they say openly by now is no secret any more.
    const hidden = [
      ...(secret?.filter((field) => !Object.hasOwn(bot.fields, field)) ?? []),
      ...(now.secret ?? []),
    ];
    const shown = editableOf(latest);
    const isAssumed = (field: string): boolean =>
      known.unverified === 'assume' && known.live.secrets.get(bot.address)?.get(field) === 'unverified';
    const recordable = secretFields(bot);
    const recorded = recordable.filter(
      ({ name, value }) =>
        fields.includes(name) || isAssumed(name) || isSameValue(name, own(shown, name), revealed(value)),
    );
    const sent = await recordsOf(doing, recorded);
    const made = sent && (await withShownIn(doing, id, recorded, sent));
    const secrets = Object.fromEntries(
      Object.entries({ ...records, ...made }).filter(
        ([field]) => hidden.includes(field) || recordable.some(({ name }) => name === field),
      ),
    );
    await doing.state.keep(bot.address, {
      ...before,
      id,
      ...now,
      ...(hidden.length > 0 && { secret: hidden }),
      ...(Object.keys(secrets).length > 0 && { secrets }),
    });
  },
};

/** Returns the fields that a service may mask: the secret ones, and actions with something like a key written openly in them. */
function secretFields({ fields }: DesiredBot): readonly SecretField[] {
  return Object.entries(fields).flatMap(([name, { value, isSecret }]) =>
    isSecret || (name === 'actions' && secretsIn(value).size > 0) ? [{ name, value }] : [],
  );
}

type Records = NonNullable<ObjectEntry['secrets']>;

/**
 * Returns the records of secret fields; undefined for none.
 * @param row the bot as the service shows it, if that is known already
 */
async function recordsOf(
  { state }: Doing,
  fields: readonly SecretField[],
  row?: ResourceRow,
): Promise<Records | undefined> {
  if (fields.length === 0) return undefined;
  const salt = saltFor(objectsIn(state));
  const shown = row && editableOf(toBot(row));
  const records = fields.map(async (field) => {
    const record = await recordOf(field, salt);
    return [field.name, shown ? await withShown(record, field, own(shown, field.name)) : record] as const;
  });
  return Object.fromEntries(await Promise.all(records));
}

/**
 * Returns records with what the service shows of a bot that was written to. It is read, since the answer to a write may show
 * what a read masks. Where that fails, the records stay as they are: the write has taken effect.
 */
async function withShownIn(
  { context }: Doing,
  id: string,
  fields: readonly SecretField[],
  records: Records,
): Promise<Records> {
  try {
    const shown = editableOf(await readBotById(context.api, id));
    const all = fields.map(async (field) => {
      const record = own(records, field.name);
      return record ? [[field.name, await withShown(record, field, own(shown, field.name))] as const] : [];
    });
    return { ...records, ...Object.fromEntries((await Promise.all(all)).flat()) };
  } catch (thrown) {
    if (thrown instanceof Failure) return records;
    throw thrown;
  }
}

/** Returns the fields of a bot as they are sent. */
function checked({ fields, address }: DesiredBot, isSent: (field: string) => boolean): BotFields {
  const given = Object.entries(fields).filter(([field]) => isSent(field));
  const values = given.map(([field, { value }]) => [field, revealed(value)] as const);
  const { bot, problems } = checkBot(Object.fromEntries(values));
  if (bot) return bot;
  throw inputFailure(problems.map(({ says }) => `${address}: ${says}`));
}

function entryOf(
  { fields, documents }: DesiredBot,
  ids: readonly string[] | undefined,
  isApplied: (field: string) => boolean,
): Pick<ObjectEntry, 'applied' | 'secret'> {
  const given = Object.entries(fields).filter(([field]) => isApplied(field));
  const attached = ids && documents && { value: ids, place: documents.place, isSecret: false };
  return keptFields([...given, ...(attached ? [['document_ids', attached] as const] : [])]);
}

/** Returns the ids of the documents that a bot is to have, which are there by now; undefined if the files leave them alone. */
function documentIdsOf(doing: Doing, bot: DesiredBot): string[] | undefined {
  const ids = documentAddresses(doing.known, bot)?.map((address) => doing.idOf(address));
  return ids && [...ids, ...withoutFile(doing.known, bot, ids).map(({ id }) => id)];
}

/** Plans a bot of a tenant. */
function planBot(known: Known, bot: DesiredBot): ObjectPlan {
  const { tenant, lock } = known;
  const found = foundOf(known, bot.address);
  const documents = documentsOf(known, bot);
  const fields = Object.entries(bot.fields);
  const plan = {
    address: bot.address,
    kind: 'bot',
    name: String(revealed(bot.fields.name.value)),
    needs: [tenant.address, ...(documents?.addresses ?? [])],
    impossible: [],
    risks: [],
    unverifiable: [],
  } as const;
  const changed = nameKept(known, plan);
  if (changed) return { ...plan, ...changed };
  if (found.state === 'absent' || found.state === 'gone') {
    const isGone = found.state === 'gone';
    const says =
      'The bot of the lock is not there any more; another one would be made, with another id, and without devices.';
    const attached: readonly Difference[] = documents
      ? [{ field: 'documents', from: undefined, to: documents.addresses, moved: 'files' }]
      : [];
    return {
      ...plan,
      ...{ action: 'create', reason: isGone ? 'gone' : 'new' },
      differences: [...asNew(fields).differences, ...attached],
      risks: isGone ? [{ risk: 'recreate', says }] : [],
    };
  }
  if (isElsewhere(found.row, idOf(known, tenant.address))) return { ...plan, ...elsewhere('bot', found.row) };
  const shown = toBot(found.row);
  const editable = editableOf(shown);
  const entry = objectAt(lock, bot.address);
  const own_ = documents?.field ? [['document_ids', documents.field] as const] : [];
  const result = compared(
    [...fields, ...own_],
    (field) => own(editable, field),
    entry,
    known.live.secrets.get(bot.address),
    known.unverified,
  );
  const { unverified } = result;
  const pending = documents && !documents.field ? [pendingDocuments(documents, editable.document_ids)] : [];
  const differences = [...result.differences, ...pending].map((difference) =>
    difference.field === 'document_ids' ? inWords(known, difference) : difference,
  );
  const isAlike = found.state === 'alike';
  const unverifiable = result.unverifiable.map((field) => (field === 'document_ids' ? 'documents' : field));
  const action = actionFor({ differences, unverifiable, unverified }, isAlike);
  return {
    ...plan,
    ...(action.reason === 'unverified' && known.unverified === 'assume'
      ? ({ action: 'adopt', reason: 'assumed' } as const)
      : action),
    id: shown.id,
    differences,
    unverifiable,
    unverified,
    risks: [
      ...adoption(isAlike, { differences, unverifiable }, 'bot'),
      ...(shown.published !== false && differences.length > 0 ? [unpublish(shown)] : []),
    ],
  };
}

function unpublish({ published }: Bot): ObjectPlan['risks'][number] {
  const says = published
    ? 'The bot is published, and would not be any more; the API has no way to publish it again.'
    : "The service doesn't show whether the bot is published; a change unpublishes it, and the API has no way to publish it again.";
  return { risk: 'unpublish', says };
}

/** The documents that a bot is to have. */
interface BotDocuments {
  readonly addresses: readonly string[];
  /** With those of files that are gone. */
  readonly all: readonly string[];
  /** Their ids as a field; undefined while some of them are not there. */
  readonly field?: DeclaredField;
}

function documentAddresses(known: Known, { documents }: DesiredBot): readonly Address[] | undefined {
  if (!documents) return undefined;
  const keys = new Set(documents.keys);
  return (
    known.tenant.documents
      // What else lies in a folder keeps no bot from its documents.
      .filter(({ key, address, isOneOfMany }) => {
        if (!keys.has(key)) return false;
        return !isOneOfMany || !isUnsendable(known, address) || rowFound(known, address) !== undefined;
      })
      .map(({ address }) => address)
  );
}

/** True of a file that can't be sent as it is. */
function isUnsendable({ live }: Known, address: Address): boolean {
  const planned = live.files.get(address)?.planned;
  return !planned || planned.change === 'refused';
}

/** The documents that a bot has of files that are gone from folders which it names: they stay until the lock forgets them. */
function withoutFile(
  known: Known,
  bot: DesiredBot,
  others: readonly string[],
): readonly { readonly id: string; readonly address: Address }[] {
  const { tenant, lock } = known;
  const keys = (bot.documents?.keys ?? []).map((key) => `${addressOf(tenant.key, 'documents', key)}/`);
  const declared = new Set(tenant.documents.map(({ address }) => address));
  const shown = new Set(shownDocuments(known, bot).map((id) => id.toLowerCase()));
  for (const id of others) shown.delete(id.toLowerCase());
  if (shown.size === 0) return [];
  return documentsIn(lock, tenant.key).flatMap(({ path: address, id }) => {
    const isOf = id !== undefined && shown.has(id.toLowerCase()) && !declared.has(address);
    return isOf && keys.some((key) => address.startsWith(key)) ? [{ id, address }] : [];
  });
}

/** Returns the ids of the documents that a bot has, as far as the service shows them. */
export function shownDocuments(known: Known, { address }: DesiredBot): readonly string[] {
  const row = rowFound(known, address);
  const ids = row && editableOf(toBot(row)).document_ids;
  return isTexts(ids) ? ids : [];
}

function documentsOf(known: Known, bot: DesiredBot): BotDocuments | undefined {
  const { documents } = bot;
  const addresses = documentAddresses(known, bot);
  if (!documents || !addresses) return undefined;
  const there = addresses.flatMap((address) => {
    const { state } = foundOf(known, address);
    const isThere = state === 'locked' || state === 'alike';
    const id = isThere && !isReplaced(known, address) ? idOf(known, address) : undefined;
    return id ?? [];
  });
  const kept = withoutFile(known, bot, there);
  const all = [...addresses, ...kept.map(({ address }) => address)];
  if (there.length < addresses.length) return { addresses, all };
  const value = [...there, ...kept.map(({ id }) => id)];
  return { addresses, all, field: { value, place: documents.place, isSecret: false } };
}

function pendingDocuments({ all }: BotDocuments, shown: unknown): Difference {
  return { field: 'document_ids', from: shown, to: all, moved: 'files' };
}

/** Returns what is said of documents by their ids, in the words of the files: addresses, or else names. */
function inWords(known: Known, { from, to, applied, moved }: Difference): Difference {
  const { lock, live, tenant } = known;
  const addresses = new Map<string, string>();
  for (const { path, id } of documentsIn(lock, tenant.key))
    if (id !== undefined) addresses.set(id.toLowerCase(), path);
  for (const { address } of tenant.documents) {
    const id = idOf(known, address);
    if (id === undefined) continue;
    // The address is that of the one which takes its place.
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
