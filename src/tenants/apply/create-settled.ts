import type { ResourceRow } from '../../client/api.ts';
import { pauseToSettle } from '../../documents/upload/send-once.ts';
import { asFailure, Failure, messageOf } from '../../lib/errors.ts';
import { collect } from '../../lib/iterables.ts';
import { command, joinRemarks, type Remark, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Intent } from '../../once/intent-log.ts';
import {
  agrees,
  type Conclusion,
  concluded,
  everyRow,
  type Graded,
  type Likeness,
  likenessOf,
  nameLikeness,
  since,
} from '../../resources/created-lookup.ts';
import { makeOnce } from '../../resources/make-once.ts';
import { listedNouns, rowsNamed } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { bookedAs } from '../booked-devices.ts';
import type { Address } from '../desired.ts';
import type { Creating, Doing } from '../kinds/carry-out.ts';
import type { CreateIntent, Journals } from './journals.ts';
import type { LockKeeper } from './state-writer.ts';

/** Dependencies of looking for the objects of interrupted calls, and of recording them in the lock. */
export type Settling = Pick<Doing, 'entryOf' | 'lockedIds' | 'settleMs' | 'keep'> & {
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
  journals: Journals,
  wasListed: (id: string) => boolean,
  creating: Creating,
  create: () => Promise<ResourceRow>,
): Promise<ResourceRow> {
  const { context, keep, keepSoon, entryOf } = settling;
  const { creates: journal, sending } = journals;
  const { address, name, entry } = creating;
  const replaced = entryOf(address)?.id;
  const details = intended(creating, replaced);
  const isLocked = (id: string): boolean => settling.lockedIds().has(id.toLowerCase());
  const isOther = (id: string): boolean => wasListed(id) || isLocked(id);
  sending.add(details);
  try {
    const { row, intent } = await makeOnce(context, {
      ...{ name, details, journal },
      async make() {
        // Another checkout may have replaced what is gone before the plan was made.
        const isPlanned = replaced === undefined ? isOther : isLocked;
        if (!creating.isInNewTeam) await checkNotThere(context, journals, details, isPlanned);
        return create();
      },
      settle: (of, lost) =>
        lookUntilSettled({ ...settling, isOther }, journals, of, { lost, wait: settling.settleMs }),
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
  { lock }: Journals,
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

/** The interrupted creates of earlier runs whose outcome is still unknown, by their addresses. */
export type LeftCreates = ReadonlyMap<Address, Intent<CreateIntent>>;

/**
 * Looks for the objects of interrupted creates of earlier runs, and records those that exist in the lock. This does not wait: an
 * object that does not exist yet may still appear.
 * @param isConcerned returns whether an address is part of this run; the others are left to another run
 * @returns the creates whose objects were not found
 * @throws Failure of a signal, and as `keep`
 */
export async function findLeft(
  settling: Settling,
  journals: Journals,
  isConcerned: (address: Address) => boolean,
): Promise<LeftCreates> {
  const left = new Map<Address, Intent<CreateIntent>>();
  for (const intent of journals.creates.left) {
    const { address, replaces } = intent.details;
    const id = settling.entryOf(address)?.id;
    if (id !== undefined && id !== replaces) journals.creates.end(intent);
    else if (isConcerned(address)) left.set(address, intent);
  }
  const found = await Promise.all(
    [...left].map(async ([address, intent]) => {
      settling.context.reporter.note(`An earlier run was cut off at ${address}; looking for it.`);
      const looked = look(leftSettling(settling), journals, intent, { lost: cutOff(intent), isLast: false });
      const conclusion = await looked.catch(unlessEnded);
      return conclusion?.state === 'found' ? { intent, row: conclusion.row } : undefined;
    }),
  );
  for (const one of found) {
    if (!one) continue;
    await keepLeft(settling, journals, one.intent, one.row);
    left.delete(one.intent.details.address);
  }
  return left;
}

/**
 * Finds out the outcome of an interrupted create of an earlier run, once that can't take effect any more.
 * @param until when that is, in milliseconds since 1970 by this machine's clock
 * @returns true if the object exists; it is in the lock then
 * @throws Failure `outcomeUnknown` if the outcome stays unknown, that of a signal, and as `keep`
 */
export async function settleLeft(
  settling: Settling,
  journals: Journals,
  intent: Intent<CreateIntent>,
  until: number,
): Promise<boolean> {
  const looking = leftSettling(settling);
  const wait = until - settling.context.clock.now();
  const row = await lookUntilSettled(looking, journals, intent, { lost: cutOff(intent), wait });
  if (row) await keepLeft(settling, journals, intent, row);
  else journals.creates.end(intent);
  return row !== undefined;
}

/** Ignores a failed look-up, which is repeated later. @throws a failure that ends the run */
function unlessEnded(thrown: unknown): undefined {
  if (!(thrown instanceof Failure) || !thrown.isUncertain || thrown.isInterruption) throw thrown;
}

function cutOff({ details: { name } }: Intent<CreateIntent>): Failure {
  const message = `It is not known whether ${name} was created by an earlier run, which was cut off.`;
  return new Failure('outcomeUnknown', message);
}

function leftSettling(settling: Settling): Looking {
  return { ...settling, isOther: (id) => settling.lockedIds().has(id.toLowerCase()) };
}

async function keepLeft(
  { keep }: Settling,
  { creates }: Journals,
  intent: Intent<CreateIntent>,
  { id }: ResourceRow,
): Promise<void> {
  const { address, entry } = intent.details;
  await keep(address, { id, ...entry });
  creates.end(intent);
}

/**
 * Writes the devices into the lock whose creates were cut off after their answers: the device book has them.
 * @throws Failure as `updateState`
 */
export async function settleDevices(
  { context, keep, lockedIds }: Settling,
  { entries }: LockKeeper,
): Promise<void> {
  for (const [address, { unknown_since, applied }] of entries) {
    const teamId = entries.get(address.split('/')[0] ?? '')?.id;
    if (unknown_since === undefined || teamId === undefined) continue;
    const booked = bookedAs(context, { name: String(applied.name), teamId }, lockedIds());
    const [device, ...others] = booked.devices.filter(({ seenAt }) => seenAt >= unknown_since);
    const isCertain = device && others.length + booked.intents.length === 0;
    if (isCertain) await keep(address, { id: device.id, applied });
  }
}

/** Dependencies of a look-up. */
interface Looking extends Pick<Settling, 'context' | 'settleMs'> {
  /** Returns true if an object is certainly not the one of the create, by its id. */
  isOther(id: string): boolean;
}

/**
 * Looks at once, and again when the call can't take effect any more. Returns the object of the call, or undefined if there
 * certainly is none.
 */
async function lookUntilSettled(
  looking: Looking,
  journals: Journals,
  intent: Intent<CreateIntent>,
  { lost, wait }: { readonly lost: Failure; readonly wait: number },
): Promise<ResourceRow | undefined> {
  const { address, name } = intent.details;
  for (const isLast of [false, true]) {
    if (isLast) await pauseToSettle(looking.context, wait, name, lost);
    const conclusion = await look(looking, journals, intent, { lost, isLast });
    if (conclusion.state === 'found') return conclusion.row;
    if (isLast && conclusion.state === 'unknown')
      throw lost.withHint(whichOne(address, conclusion.rows, journals));
  }
  return undefined;
}

/** Milliseconds that a call may be begun after its intent: it waits for its turn where the service limits its rate. */
const maxBeginningMs = 2 * 60_000;

/**
 * Looks for the object of a create, which was made while the call could take effect. An object of a later time is left to the
 * plan, which asks before it adopts that. The whole list is read only at the last look, and if the best match has only nearly the
 * name: then it has to be the only match.
 */
async function look(
  looking: Looking,
  journals: Journals,
  intent: Intent<CreateIntent>,
  { lost, isLast }: { readonly lost: Failure; readonly isLast: boolean },
): Promise<Conclusion> {
  const { context, settleMs, isOther } = looking;
  const { at, details } = intent;
  const { noun, name, teamId, set } = details;
  const { api, signal } = context;
  try {
    const rows = isLast
      ? await everyRow(context, noun, teamId)
      : await collect(rowsNamed(api, listedNouns[noun].list, name, { teamId, signal }));
    const period = since(api, at, settleMs + maxBeginningMs);
    const others = journals.createsBeside(details);
    const graded = rows
      .filter(({ id }) => !isOther(id))
      .map(async (row): Promise<Graded> => {
        const likeness = beside(others, row, likenessOf(row, { name, set }, period));
        if (likeness !== 'same' && likeness !== 'near') return { row, likeness };
        const path = { id: row.id };
        // A list doesn't show everything.
        const { data } = await (noun === 'team'
          ? api.call('getTeam', { path })
          : api.call('getBot', { path }));
        return { row, likeness: agrees(data, { ...set, name: undefined }) ? likeness : 'maybe' };
      });
    const conclusion = concluded(await Promise.all(graded));
    const isWhole = isLast || conclusion.state !== 'found' || conclusion.isExact;
    return isWhole ? conclusion : await look(looking, journals, intent, { lost, isLast: true });
  } catch (thrown) {
    if (signal.aborted) throw lost.afterSignal(asFailure(signal.reason));
    throw lost.withHint(joinRemarks([`Looking for it failed: ${messageOf(thrown)}`, lost.hint], ' '));
  }
}

/** Returns how much a row looks like what a create has made, given the other creates that may have made it. */
function beside(others: readonly CreateIntent[], { name }: ResourceRow, likeness: Likeness): Likeness {
  if (likeness === 'other') return likeness;
  const of = others.map((other) => nameLikeness(name, other.name));
  return of.includes('same') || of.includes('near') ? 'maybe' : likeness;
}

function whichOne(address: Address, rows: readonly ResourceRow[], { lock }: Journals): Remark {
  const [first = ''] = rows.map(({ id }) => id);
  const ids = rows.map(({ id }) => id).join(', ');
  return remark`It may be ${ids}. Say which one it is: ${command('tenants', 'import', address, first, '--lock', lock)}\nIf it is none of them, let it be made again: ${command('tenants', 'forget', address, '--lock', lock)}`;
}
