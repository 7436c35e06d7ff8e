import { isSameId } from '../../lib/ids.ts';
import { own } from '../../lib/own.ts';
import { toBot } from '../../resources/bots/bot.ts';
import { editableOf, isTexts } from '../../resources/bots/editable.ts';
import { type DeclaredField, type DesiredBot, revealed } from '../desired.ts';
import { asNew, compared, type Difference, foundOf, idOf, type Known, type ObjectPlan } from './kind.ts';
import { adoption } from './team.ts';

/** Plans a bot of a tenant. */
export function planBot(known: Known, bot: DesiredBot): ObjectPlan {
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
  if (found.state === 'absent' || found.state === 'gone') {
    const isGone = found.state === 'gone';
    const says =
      'The bot of the lock is not there any more; another one would be made, with another id, and without devices.';
    const attached: readonly Difference[] = documents
      ? [{ field: 'documents', from: undefined, to: documents.addresses, moved: 'files' }]
      : [];
    return {
      ...plan,
      action: isGone ? 'recreate' : 'create',
      differences: [...asNew(fields).differences, ...attached],
      risks: isGone ? [{ risk: 'recreate', says }] : [],
    };
  }
  const shown = toBot(found.row);
  const editable = editableOf(shown);
  const entry = lock.entries.get(bot.address);
  const own_ = documents?.field ? [['document_ids', documents.field] as const] : [];
  const result = compared([...fields, ...own_], (field) => own(editable, field), entry);
  const pending = documents && !documents.field ? [pendingDocuments(documents, editable.document_ids)] : [];
  const differences = [...result.differences, ...pending].map((difference) =>
    difference.field === 'document_ids' ? inWords(known, difference) : difference,
  );
  const isAlike = found.state === 'alike';
  const isElsewhere = shown.teamId !== undefined && !isSameId(shown.teamId, idOf(known, tenant.address));
  const unverifiable = result.unverifiable.map((field) => (field === 'document_ids' ? 'documents' : field));
  return {
    ...plan,
    action: isAlike ? 'adopt' : differences.length > 0 ? 'update' : 'none',
    id: shown.id,
    differences,
    unverifiable,
    impossible: isElsewhere
      ? ["It is a bot of another team, and a bot can't move: declare it under another key to get a new one."]
      : [],
    risks: [
      ...adoption(isAlike, { differences, unverifiable }, 'bot'),
      ...(shown.published && differences.length > 0 ? [unpublish] : []),
    ],
  };
}

const unpublish = {
  risk: 'unpublish',
  says: 'The bot is published, and would not be any more; the API has no way to publish it again.',
} as const;

/** The documents that a bot is to have. */
interface BotDocuments {
  readonly addresses: readonly string[];
  /** Their ids as a field; undefined while some of them are not there. */
  readonly field?: DeclaredField;
}

function documentsOf(known: Known, { documents }: DesiredBot): BotDocuments | undefined {
  if (!documents) return undefined;
  const keys = new Set(documents.keys);
  const addresses = known.tenant.documents
    // What else lies in a folder keeps no bot from its documents.
    .filter(({ key, file, isOneOfMany }) => keys.has(key) && !(isOneOfMany && file?.problem !== undefined))
    .map(({ address }) => address);
  const there = addresses.flatMap((address) => {
    const { state } = foundOf(known, address);
    const id = state === 'locked' || state === 'alike' ? idOf(known, address) : undefined;
    return id ?? [];
  });
  if (there.length < addresses.length) return { addresses };
  return { addresses, field: { value: there, place: documents.place, isSecret: false } };
}

function pendingDocuments({ addresses }: BotDocuments, shown: unknown): Difference {
  return { field: 'document_ids', from: shown, to: addresses, moved: 'files' };
}

/** Returns what is said of documents by their ids, in the words of the files: addresses, or else names. */
function inWords({ lock, live, tenant }: Known, { from, to, applied, moved }: Difference): Difference {
  const addresses = new Map<string, string>();
  for (const { address } of tenant.documents) {
    const found = live.found.get(address);
    const id =
      found?.state === 'locked' || found?.state === 'alike' ? found.row.id : lock.entries.get(address)?.id;
    if (id !== undefined) addresses.set(id.toLowerCase(), address);
  }
  const word = (id: string): string =>
    addresses.get(id.toLowerCase()) ?? live.documentNames.get(id.toLowerCase()) ?? id;
  const words = (value: unknown): unknown => (isTexts(value) ? value.map(word).sort() : value);
  return {
    field: 'documents',
    from: words(from),
    to: words(to),
    moved,
    ...(applied !== undefined && { applied: words(applied) }),
  };
}
