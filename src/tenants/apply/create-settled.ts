import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, type Remark, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Intent } from '../../once/intent-log.ts';
import { agrees, type Likeness, likenessOf, nameLikeness, since } from '../../once/likeness.ts';
import { sendOnce } from '../../once/send-once.ts';
import type { DecidingSearch, InterruptedCall } from '../../once/settle.ts';
import { listingOf } from '../../resources/created-lookup.ts';
import { namesakesOfNew } from '../../resources/devices/create-once.ts';
import { listedNouns, rowsNamed } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { Address } from '../desired.ts';
import type { Creating, Doing } from '../kinds/carry-out.ts';
import { objectsIn } from '../state-file.ts';
import type { CreateIntent, IntentLogs } from './intent-logs.ts';
import type { StateWriter } from './state-writer.ts';

/** Dependencies of looking for the objects of interrupted calls, and of recording them in the lock. */
export type Settling = Pick<Doing, 'entryOf' | 'lineOf' | 'lockedIds' | 'settleMs' | 'keep'> & {
  readonly context: ResourceContext;
};

/**
 * Creates a team or a bot exactly once, and records it in the lock. The intent is on the disk before the call, and stays there
 * until the lock has the object. If the response is lost, this looks for the object, and creates it again only if it does not
 * exist once the call can't take effect any more.
 * @param wasListed returns whether the plan has listed an object, by its id: no create of this run has made that
 * @throws Failure as `create`; `rejected` if an object of the name has appeared since the plan, `outcomeUnknown` if it is not
 *   known whether the object exists, and `network` if it certainly does not
 */
export async function createSettled(
  settling: Settling & Pick<Doing, 'keepSoon'>,
  journals: IntentLogs,
  wasListed: (id: string) => boolean,
  creating: Creating,
  create: () => Promise<ResourceRow>,
): Promise<ResourceRow> {
  const { context, keep, keepSoon, entryOf } = settling;
  const { creates: journal, sending } = journals;
  const { address, entry } = creating;
  const replaced = entryOf(address)?.id;
  const details = intended(creating, replaced);
  const isLocked = (id: string): boolean => settling.lockedIds().has(id.toLowerCase());
  const isOther = (id: string): boolean => wasListed(id) || isLocked(id);
  sending.add(details);
  try {
    const { row, intent } = await sendOnce(context, {
      ...{ details, journal, settleMs: settling.settleMs },
      async send() {
        // Another checkout may have replaced what is gone before the plan was made.
        const isPlanned = replaced === undefined ? isOther : isLocked;
        if (!creating.isInNewTeam) await checkNotThere(context, journals, details, isPlanned);
        return create();
      },
      search: (of) => searchFor(settling, journals, of, isOther),
    });
    const made = { id: row.id, ...entry };
    const end = (): void => journal.end(intent);
    if (replaced === undefined && journal.isKept) keepSoon(address, made, end);
    else await keep(address, made).then(end);
    return row;
  } finally {
    sending.delete(details);
  }
}

/**
 * Checks right before a create that no object of its name exists: another apply of the same files may be running, with a state
 * file of its own.
 * @param isPlanned returns whether the plan has taken an object into account, by its id
 * @throws Failure `rejected` if an object of the name exists that the plan has not taken into account
 */
async function checkNotThere(
  { api, signal }: ResourceContext,
  { lock }: IntentLogs,
  { noun, address, name, teamId, replaces }: CreateIntent,
  isPlanned: (id: string) => boolean,
): Promise<void> {
  for await (const row of rowsNamed(api, listedNouns[noun].list, name, { teamId, signal })) {
    const likeness = nameLikeness(row.name, name);
    if (isPlanned(row.id) || (likeness !== 'same' && likeness !== 'near')) continue;
    const [since, use] =
      replaces === undefined
        ? [
            'has appeared since the plan',
            remark`If it is the right one, use it: ${command('tenants', 'import', address, row.id, '--lock', lock)}`,
          ]
        : [
            'is there in place of the one that is gone',
            remark`If it is the right one, forget the old id, and the next apply adopts it: ${command('tenants', 'forget', address, '--lock', lock)}`,
          ];
    const message = `A ${noun} named ${inSentence(name)} ${since}: ${row.id}. Nothing was sent.`;
    throw new Failure('rejected', message, {
      hint: joinRemarks(['Another apply may have created it: wait until that has ended.', use]),
    });
  }
}

/** What the journal keeps of a create: nothing of it is secret. */
function intended(
  { noun, address, name, teamId, set, entry: { created, applied, secret = [], secrets } }: Creating,
  replaces: string | undefined,
): CreateIntent {
  const open = Object.entries(set).filter(([member]) => !secret.includes(member));
  return {
    ...{ noun, address, name, set: Object.fromEntries(open) },
    ...(teamId !== undefined && { teamId }),
    ...(replaces !== undefined && { replaces }),
    entry: {
      applied: { ...applied },
      ...(created !== undefined && { created }),
      ...(secret.length > 0 && { secret: [...secret] }),
      ...(secrets && { secrets: { ...secrets } }),
    },
  };
}

/** A call of an earlier run that was interrupted, and the address of its object. */
export interface InterruptedAt extends InterruptedCall<ResourceRow> {
  readonly address: Address;
}

/** An interrupted create of an earlier run. */
export interface InterruptedCreate extends InterruptedAt {
  readonly intent: Intent<CreateIntent>;
}

/**
 * Returns the interrupted creates of earlier runs, one for each address. Ends those whose objects are in the state file.
 * @param isConcerned returns whether an address is part of this run; the others are left to another run
 */
export function interruptedCreates(
  settling: Settling,
  journals: IntentLogs,
  isConcerned: (address: Address) => boolean,
): readonly InterruptedCreate[] {
  const left = new Map<Address, Intent<CreateIntent>>();
  for (const intent of journals.creates.left) {
    const { address, replaces } = intent.details;
    const id = settling.entryOf(address)?.id;
    if (id !== undefined && id !== replaces) journals.creates.end(intent);
    else if (isConcerned(address)) left.set(address, intent);
  }
  return [...left.values()].map((intent) => interruptedCreate(settling, journals, intent));
}

/** Returns how to find out the outcome of an interrupted create of an earlier run, and to record its object in the lock. */
export function interruptedCreate(
  settling: Settling,
  journals: IntentLogs,
  intent: Intent<CreateIntent>,
): InterruptedCreate {
  const { address, name, entry } = intent.details;
  const isLocked = (id: string): boolean => settling.lockedIds().has(id.toLowerCase());
  return {
    ...{ address, intent },
    search: searchFor(settling, journals, intent, isLocked),
    lost: new Failure(
      'outcomeUnknown',
      `It is not known whether ${name} was created by an earlier run, which was cut off.`,
    ),
    async end(row) {
      if (row) await settling.keep(address, { id: row.id, ...entry });
      journals.creates.end(intent);
    },
  };
}

/**
 * Writes the devices into the lock whose creates were cut off after their answers: the device book has them.
 * @throws Failure as `updateState`
 */
export async function settleDevices(
  { context, keep, lockedIds }: Settling,
  lock: StateWriter,
): Promise<void> {
  for (const [address, { unknown_since, applied }] of objectsIn(lock)) {
    const teamId = lock.entries.get(address.split('/')[0] ?? '')?.id;
    if (unknown_since === undefined || teamId === undefined) continue;
    const booked = namesakesOfNew(context, { name: String(applied.name), teamId }, lockedIds());
    const [device, ...others] = booked.devices.filter(({ seenAt }) => seenAt >= unknown_since);
    const isCertain = device && others.length + booked.intents.length === 0;
    if (isCertain) await keep(address, { id: device.id, applied });
  }
}

/** Milliseconds that a call may be begun after its intent: it waits for its turn where the service limits its rate. */
const maxBeginningMs = 2 * 60_000;

/**
 * Returns how to find the object of a create, which was made while the call could take effect. An object of a later time is left
 * to the plan, which asks before it adopts that.
 * @param isOther returns true if an object is certainly not the one of the create, by its id
 */
function searchFor(
  { context, settleMs }: Pick<Settling, 'context' | 'settleMs'>,
  journals: IntentLogs,
  { at, details }: Intent<CreateIntent>,
  isOther: (id: string) => boolean,
): DecidingSearch<ResourceRow> {
  const { api } = context;
  const { noun, address, name, set } = details;
  return {
    ...listingOf(context, details),
    async grade(row) {
      if (isOther(row.id)) return 'other';
      const period = since(api, at, settleMs + maxBeginningMs);
      const likeness = beside(journals.createsBeside(details), row, likenessOf(row, { name, set }, period));
      if (likeness !== 'same' && likeness !== 'near') return likeness;
      const path = { id: row.id };
      // A list doesn't show everything.
      const { data } = await (noun === 'team' ? api.call('getTeam', { path }) : api.call('getBot', { path }));
      return agrees(data, { ...set, name: undefined }) ? likeness : 'maybe';
    },
    hint: (rows) => whichOne(address, rows, journals),
  };
}

/** Returns how much a row looks like what a create has made, given the other creates that may have made it. */
function beside(others: readonly CreateIntent[], { name }: ResourceRow, likeness: Likeness): Likeness {
  if (likeness === 'other') return likeness;
  const of = others.map((other) => nameLikeness(name, other.name));
  return of.includes('same') || of.includes('near') ? 'maybe' : likeness;
}

function whichOne(address: Address, rows: readonly ResourceRow[], { lock }: IntentLogs): Remark {
  const [first = ''] = rows.map(({ id }) => id);
  const ids = rows.map(({ id }) => id).join(', ');
  return remark`It may be ${ids}. Say which one it is: ${command('tenants', 'import', address, first, '--lock', lock)}\nIf it is none of them, let it be made again: ${command('tenants', 'forget', address, '--lock', lock)}`;
}
