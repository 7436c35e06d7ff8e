import type { Intent } from '../../batch/journal.ts';
import type { ResourceRow } from '../../client/api.ts';
import { asFailure, Failure, messageOf } from '../../lib/errors.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { findCreated } from '../../resources/created-lookup.ts';
import { maxSendings, pauseToSettle } from '../../resources/documents/send-once.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { bookedAs } from '../booked-devices.ts';
import type { Creating, Doing } from '../kinds/carry-out.ts';
import type { CreateIntent, Journals } from './journals.ts';
import type { LockKeeper } from './lock-keeper.ts';

type Settling = Pick<Doing, 'lockedIds' | 'settleMs' | 'keep'> & {
  readonly context: ResourceContext;
};

/**
 * Creates a team or a bot so that it is there once, and stands in the lock. The intent is on the disk before the call; after
 * a lost answer what it may have made is looked for, and if there is none once the call can't take effect any more, it is
 * made again.
 * @throws Failure as `create`; `outcomeUnknown` where nobody can tell, and `network` where it is certainly not there
 */
export async function createSettled(
  settling: Settling,
  { creates: journal }: Journals,
  { set, ...details }: Creating,
  create: () => Promise<ResourceRow>,
): Promise<ResourceRow> {
  const { context, keep } = settling;
  const { address, name, entry } = details;
  for (let sendings = 1; ; sendings += 1) {
    const intent: Intent<CreateIntent> = journal.begin(
      { ...details, entry: intended(entry) },
      context.clock.now(),
    );
    let row: ResourceRow | undefined;
    try {
      row = await create();
    } catch (thrown) {
      const isLost = thrown instanceof Failure && thrown.isUncertain;
      if (!isLost) journal.end(intent);
      // A signal ends the line; the next run finds the intent.
      if (!isLost || thrown.isInterruption) throw thrown;
      context.reporter.note('The answer was lost; looking for it.');
      row = await lookFor(settling, intent, set, thrown);
      if (!row && sendings === maxSendings) {
        journal.end(intent);
        throw notMade(thrown, name);
      }
    }
    if (row) await keep(address, { id: row.id, ...entry });
    journal.end(intent);
    if (row) return row;
    context.reporter.note('It is not there; making it again.');
  }
}

/** What the journal keeps of an entry. */
function intended({ created, applied, secret }: Creating['entry']): CreateIntent['entry'] {
  return {
    applied: { ...applied },
    ...(created !== undefined && { created }),
    ...(secret && { secret: [...secret] }),
  };
}

/**
 * Finds out what became of the creates that earlier runs were cut off at, and writes what there is into the lock.
 * @throws Failure `outcomeUnknown`, or that of a signal
 */
export async function settleLeft(settling: Settling, { creates }: Journals, lock: LockKeeper): Promise<void> {
  const settle = async (intent: Intent<CreateIntent>): Promise<void> => {
    const { address, name, entry } = intent.details;
    if (lock.entries.get(address)?.id === undefined) {
      const message = `It is not known whether ${name} was created by an earlier run, which was cut off.`;
      settling.context.reporter.note(`An earlier run was cut off at ${address}; looking for it.`);
      const row = await lookFor(settling, intent, {}, new Failure('outcomeUnknown', message));
      if (row) await settling.keep(address, { id: row.id, ...entry });
    }
    creates.end(intent);
  };
  const settled = await Promise.allSettled(creates.left.map(settle));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
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
  set: Creating['set'],
  lost: Failure,
): Promise<ResourceRow | undefined> {
  const { noun, name, teamId, address } = details;
  for (const isLast of [false, true]) {
    if (isLast) await pauseToSettle(context, settleMs, name, lost);
    const found = await findCreated(context, { noun, name, teamId, set, before: [] }, at).catch(
      (thrown: unknown) => {
        if (context.signal.aborted) throw lost.afterSignal(asFailure(context.signal.reason));
        throw lost.withHint(joinRemarks([`Looking for it failed: ${messageOf(thrown)}`, lost.hint], ' '));
      },
    );
    const known = lockedIds();
    const [row, ...others] = found.filter(({ id }) => !known.has(id.toLowerCase()));
    if (row && others.length > 0) {
      const which = command('tenants', 'import', address, row.id);
      throw lost.withHint(remark`Several of that name have appeared since. Say which one it is: ${which}`);
    }
    if (row) return row;
  }
  return undefined;
}

function notMade(lost: Failure, name: string): Failure {
  const message = `${name} was sent ${maxSendings} times, and is not there. The last time: ${lost.message}`;
  return new Failure('network', message, {
    hint: 'It is certain that none was made. Try again later.',
    status: lost.status,
    cause: lost,
  });
}
