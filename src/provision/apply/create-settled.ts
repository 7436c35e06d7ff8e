import type { Intent } from '../../batch/journal.ts';
import type { ResourceRow } from '../../client/api.ts';
import { asFailure, Failure, messageOf } from '../../lib/errors.ts';
import { command, joinRemarks, type Remark, remark } from '../../lib/text/remark.ts';
import { agrees, findCreated } from '../../resources/created-lookup.ts';
import { pauseToSettle } from '../../resources/documents/send-once.ts';
import { makeOnce } from '../../resources/make-once.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { bookedAs } from '../booked-devices.ts';
import type { Address } from '../desired.ts';
import type { Creating, Doing } from '../kinds/carry-out.ts';
import type { CreateIntent, Journals } from './journals.ts';
import type { LockKeeper } from './lock-keeper.ts';

/** What is needed to find out what became of what was cut off, and to keep it. */
export type Settling = Pick<Doing, 'entryOf' | 'lockedIds' | 'settleMs' | 'keep'> & {
  readonly context: ResourceContext;
};

/**
 * Creates a team or a bot so that it is there once, and gets into the lock. The intent is on the disk before the call, and until
 * the lock has it; after a lost answer what it may have made is looked for, and if there is none once the call can't take effect
 * any more, it is made again.
 * @throws Failure as `create`; `outcomeUnknown` where nobody can tell, and `network` where it is certainly not there
 */
export async function createSettled(
  settling: Settling & Pick<Doing, 'keepSoon'>,
  { creates: journal }: Journals,
  creating: Creating,
  create: () => Promise<ResourceRow>,
): Promise<ResourceRow> {
  const { context, keep, keepSoon, entryOf } = settling;
  const { address, name, entry } = creating;
  const replaced = entryOf(address)?.id;
  const details = intended(creating, replaced);
  const { row, intent } = await makeOnce(context, {
    ...{ name, details, journal, make: create },
    settle: (of, lost) => lookFor(settling, of, lost),
  });
  const made = { id: row.id, ...entry };
  const end = (): void => journal.end(intent);
  if (replaced === undefined && journal.isKept) keepSoon(address, made, end);
  else await keep(address, made).then(end);
  return row;
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

/**
 * Finds out what became of the creates that earlier runs were cut off at, and writes what there is into the lock.
 * @param isConcerned says whether an address is of this run; others are left to another
 * @returns what nobody can tell, by its address
 * @throws Failure of a signal
 */
export async function settleLeft(
  settling: Settling,
  { creates }: Journals,
  isConcerned: (address: Address) => boolean,
): Promise<ReadonlyMap<Address, Failure>> {
  const unsettled = new Map<Address, Failure>();
  const left = creates.left.filter(({ details }) => {
    const { address, replaces } = details;
    const id = settling.entryOf(address)?.id;
    const isKnown = id !== undefined && id !== replaces;
    return !isKnown && isConcerned(address);
  });
  for (const intent of creates.left) {
    const id = settling.entryOf(intent.details.address)?.id;
    if (id !== undefined && id !== intent.details.replaces) creates.end(intent);
  }
  const isTwin = ({ details }: Intent<CreateIntent>): boolean => {
    const { noun, name, teamId, address } = details;
    return left.some(
      ({ details: other }) =>
        other.address !== address && other.noun === noun && other.name === name && other.teamId === teamId,
    );
  };
  const settle = async (intent: Intent<CreateIntent>): Promise<void> => {
    const { address, name, entry } = intent.details;
    const message = `It is not known whether ${name} was created by an earlier run, which was cut off.`;
    const lost = new Failure('outcomeUnknown', message);
    settling.context.reporter.note(`An earlier run was cut off at ${address}; looking for it.`);
    try {
      const row = await lookFor(settling, intent, lost);
      if (row && isTwin(intent)) throw lost.withHint(whichOne(address, [row]));
      if (row) await settling.keep(address, { id: row.id, ...entry });
      creates.end(intent);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !thrown.isUncertain || thrown.isInterruption) throw thrown;
      unsettled.set(address, thrown);
    }
  };
  const settled = await Promise.allSettled(left.map(settle));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return unsettled;
}

/**
 * Writes the devices into the lock whose creates were cut off after their answers: the device book has them.
 * @throws Failure as `updateLock`
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

/**
 * Looks at once, and again when the call can't take effect any more. Returns what it has made, or undefined if it has
 * certainly made nothing.
 */
async function lookFor(
  { context, settleMs, lockedIds }: Settling,
  { at, details }: Intent<CreateIntent>,
  lost: Failure,
): Promise<ResourceRow | undefined> {
  const { name, address } = details;
  for (const isLast of [false, true]) {
    if (isLast) await pauseToSettle(context, settleMs, name, lost);
    const found = await candidates(context, details, at, settleMs).catch((thrown: unknown) => {
      if (context.signal.aborted) throw lost.afterSignal(asFailure(context.signal.reason));
      throw lost.withHint(joinRemarks([`Looking for it failed: ${messageOf(thrown)}`, lost.hint], ' '));
    });
    const known = lockedIds();
    const free = found.filter(({ id }) => !known.has(id.toLowerCase()));
    if (free.length > 1) throw lost.withHint(whichOne(address, free));
    if (free[0]) return free[0];
  }
  return undefined;
}

/** Milliseconds that a call may be begun after its intent: it waits for its turn where the service limits its rate. */
const maxBeginningMs = 2 * 60_000;

/**
 * Returns what a create may have made: of what it sets in every member that is shown, and made while it could take effect.
 * What somebody made later is left to the plan, which asks before it takes it.
 */
async function candidates(
  context: ResourceContext,
  { noun, name, teamId, set }: CreateIntent,
  at: number,
  settleMs: number,
): Promise<readonly ResourceRow[]> {
  const { api } = context;
  const found = await findCreated(context, { noun, name, teamId, set, before: [] }, at);
  const latest = at + settleMs + maxBeginningMs + (api.clockAhead() ?? 0);
  const inTime = found.filter(({ created_at }) => !(Date.parse(String(created_at)) > latest));
  const whole = inTime.map(async (row) => {
    const path = { id: row.id };
    // A list doesn't show everything.
    const { data } = await (noun === 'team' ? api.call('getTeam', { path }) : api.call('getBot', { path }));
    return agrees(data, set) ? [row] : [];
  });
  return (await Promise.all(whole)).flat();
}

function whichOne(address: Address, rows: readonly ResourceRow[]): Remark {
  const [first = ''] = rows.map(({ id }) => id);
  const ids = rows.map(({ id }) => id).join(', ');
  return remark`It may be ${ids}. Say which one it is: ${command('tenants', 'import', address, first)}`;
}
