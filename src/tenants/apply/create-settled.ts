import type { ResourceRow } from '../../client/api.ts';
import { isSentAsLine, lineBefore } from '../../documents/sync/earlier-uploads.ts';
import { ShownSizes } from '../../documents/upload/shown-size.ts';
import { interruptedUpload } from '../../documents/upload/upload-intent.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, type Remark, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { Intent } from '../../once/intent-log.ts';
import { isConsistent, type Likeness, likenessOf, nameLikeness, periodSince } from '../../once/likeness.ts';
import { sendOnce } from '../../once/send-once.ts';
import { type DecidingSearch, type InterruptedCall, settleMs } from '../../once/settle.ts';
import { listingOf } from '../../resources/created-lookup.ts';
import { namesakesOfNew } from '../../resources/devices/create-once.ts';
import { listedNouns, rowsNamed } from '../../resources/resolve.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import { type Address, tenantKeyOf } from '../desired.ts';
import type { Creating } from '../kinds/kind-context.ts';
import { documentAt, knownIds, knowsId, objectAt, objectsIn } from '../state-file.ts';
import type { CreateIntent, IntentLogs } from './intent-logs.ts';
import type { StateWriter } from './state-writer.ts';

/** Ids in lower case. */
type Ids = Pick<ReadonlySet<string>, 'has'>;

/** Dependencies of calls that are sent once and recorded in the state file. */
export interface SettleContext {
  readonly context: ResourceContext;
  /** When calls of earlier runs can no longer take effect, in milliseconds since 1970 by this machine's clock. */
  readonly deadline: number;
  readonly logs: IntentLogs;
  readonly state: StateWriter;
}

/**
 * Creates a team or a bot exactly once, and records it. The intent is on the disk before the call, and stays there until the
 * state file has the object. If the response is lost, this looks for the object, and creates it again only if it does not
 * exist once the call can't take effect any more.
 * @param listed the names of the objects that the plan listed, by their ids in lower case: no create of this run made them
 * @throws Failure as `create`; `rejected` if an object of the name has appeared since the plan, `outcomeUnknown` if it is not
 *   known whether the object exists, and `network` if it certainly does not
 */
export async function createSettled(
  settling: SettleContext,
  listed: ReadonlyMap<string, string>,
  creating: Creating,
  create: () => Promise<ResourceRow>,
): Promise<ResourceRow> {
  const { context, logs, state } = settling;
  const { creates: log, sending } = logs;
  const { noun, address, name, teamId, set, entry } = creating;
  const replaced = objectAt(state, address)?.id;
  // All objects that may have the name. If this run is interrupted, the next one must not take one of them for the result of
  // this create.
  const before = [...listed].flatMap(([id, shown]) => (nameLikeness(shown, name) === 'other' ? [] : [id]));
  const open = Object.entries(set).filter(([member]) => !entry.secret?.includes(member));
  const details: CreateIntent = {
    ...{ noun, address, name, teamId, replaces: replaced, before, entry },
    set: Object.fromEntries(open),
  };
  sending.add(details);
  try {
    const { row, intent } = await sendOnce(context, {
      details,
      log,
      async send() {
        // Another checkout may have replaced the missing object before the plan was made.
        const planned: Ids = replaced === undefined ? listed : new Set();
        if (!creating.isInNewTeam) await checkAbsent(settling, details, planned);
        return create();
      },
      search: (of) => createSearch(settling, of, listed),
    });
    await state.set(address, { id: row.id, ...entry });
    log.end(intent);
    return row;
  } finally {
    sending.delete(details);
  }
}

/**
 * Checks right before a create that no object of its name exists: another apply of the same files may be running, with a state
 * file of its own.
 * @param planned the objects that the plan considered besides those of the state file, by their ids in lower case
 * @throws Failure `rejected` if an object of the name exists that the plan did not consider
 */
async function checkAbsent(
  { context: { api, signal }, logs: { statePath }, state }: SettleContext,
  { noun, address, name, teamId, replaces }: CreateIntent,
  planned: Ids,
): Promise<void> {
  for await (const row of rowsNamed(api, listedNouns[noun].list, name, { teamId, signal })) {
    const likeness = nameLikeness(row.name, name);
    if (likeness !== 'same' && likeness !== 'near') continue;
    const id = row.id.toLowerCase();
    if (planned.has(id) || knownIds(state).has(id)) continue;
    const [since, use] =
      replaces === undefined
        ? [
            'has appeared since the plan',
            remark`If it is the right one, use it: ${command('tenants', 'import', address, row.id, '--lock', statePath)}`,
          ]
        : [
            'has replaced the one that is gone',
            remark`If it is the right one, forget the old id. The next apply then adopts it: ${command('tenants', 'forget', address, '--lock', statePath)}`,
          ];
    const message = `A ${noun} named ${inSentence(name)} ${since}: ${row.id}. Nothing was sent.`;
    throw new Failure('rejected', message, {
      hint: joinRemarks(['Another apply may have created it: wait until it has ended.', use]),
    });
  }
}

/** A call of an earlier run that was interrupted, and the address of its object. */
export interface InterruptedAt extends InterruptedCall<ResourceRow> {
  readonly address: Address;
}

/**
 * Returns the interrupted creates of earlier runs, one for each address. Ends those whose objects are in the state file.
 * @param isConcerned returns whether an address is part of this run; the others are left to another run
 */
export function interruptedCreates(
  settling: SettleContext,
  isConcerned: (address: Address) => boolean,
): readonly InterruptedAt[] {
  const { creates } = settling.logs;
  const unsettled = new Map<Address, Intent<CreateIntent>>();
  for (const intent of creates.unresolved) {
    const { address, replaces } = intent.details;
    const id = objectAt(settling.state, address)?.id;
    if (id !== undefined && id !== replaces) creates.end(intent);
    else if (isConcerned(address)) unsettled.set(address, intent);
  }
  return [...unsettled.values()].map((intent): InterruptedAt => {
    const { address, name, entry, before = [] } = intent.details;
    const message = `It is not known whether ${name} was created: an earlier run was interrupted.`;
    return {
      address,
      search: createSearch(settling, intent, new Set(before)),
      lost: new Failure('outcomeUnknown', message),
      async end(row) {
        if (row) await settling.state.set(address, { id: row.id, ...entry });
        creates.end(intent);
      },
    };
  });
}

/**
 * Returns the interrupted uploads of earlier runs whose files are not sent in this run. If a file has the content again that
 * the state file records, its document is an earlier one of that file. If the files no longer declare the document, it stays
 * in the team, with a warning. The upload of a file that this run sends is settled right before that.
 */
export function interruptedUploads(
  settling: SettleContext,
  { address: team, documents }: DeclaredTenant,
): readonly InterruptedAt[] {
  const { context, state, logs } = settling;
  const once = {
    names: new Set(documents.map(({ name }) => name)),
    ...{ sizes: new ShownSizes(), retriesUnknown: false },
    known: () => knowsId(state),
  };
  return logs.unfinishedUploads(objectAt(state, team)?.id).flatMap((intent) => {
    const { name } = intent.details;
    const one = documents.find((document) => document.name === name);
    if (!one) {
      const end = (found: ResourceRow | undefined): void => {
        if (found)
          context.reporter.warn(
            remark`${team}: an interrupted run uploaded ${inSentence(name)}, and the files no longer declare it. It stays in the team, because the API can't delete documents: ${command('docs', 'get', found.id)}`,
          );
        logs.uploads.end(intent);
      };
      return [{ ...interruptedUpload(context, intent, once, end), address: team }];
    }
    const line = documentAt(state, one.address);
    if (!one.file || line?.id === undefined || line.sha256 !== one.file.sha256) return [];
    if (isSentAsLine(intent.details, line)) return [];
    const { address } = one;
    const end = async (found: ResourceRow | undefined): Promise<void> => {
      if (found) await state.set(address, lineBefore(address, documentAt(state, address) ?? line, found.id));
      logs.uploads.end(intent);
    };
    return [{ ...interruptedUpload(context, intent, once, end), address }];
  });
}

/**
 * Records devices whose creates were interrupted after the response: the device book has them.
 * @throws Failure as `updateState`
 */
export async function settleDevices({ context, state }: SettleContext): Promise<void> {
  for (const [address, { unknown_since, applied }] of objectsIn(state)) {
    const teamId = state.entries.get(tenantKeyOf(address))?.id;
    if (unknown_since === undefined || teamId === undefined) continue;
    const booked = await namesakesOfNew(context, { name: String(applied.name), teamId }, knownIds(state));
    const [device, ...others] = booked.devices.filter(({ seenAt }) => seenAt >= unknown_since);
    const isCertain = device && others.length + booked.intents.length === 0;
    if (isCertain) await state.set(address, { id: device.id, applied });
  }
}

/** Milliseconds between an intent and its call: the call waits if the service limits the rate. */
const maxBeginningMs = 2 * 60_000;

/**
 * Returns how to find the object of a create, which was created while the call could take effect. A newer object is left
 * to the plan, which asks before it adopts it.
 * @param others the objects, besides those of the state file, that certainly did not come from this create: ids in lower case
 */
function createSearch(
  { context, logs, state }: SettleContext,
  { at, details }: Intent<CreateIntent>,
  others: Ids,
): DecidingSearch<ResourceRow> {
  const { api } = context;
  const { noun, address, name, set } = details;
  return {
    ...listingOf(context, details),
    grader() {
      const known = knownIds(state);
      const creates = logs.createsBeside(details);
      const period = periodSince(api, at, settleMs + maxBeginningMs);
      return async (row) => {
        const id = row.id.toLowerCase();
        if (others.has(id) || known.has(id)) return 'other';
        const likeness = rivalLikeness(creates, row, likenessOf(row, { name, set }, period));
        if (likeness !== 'same' && likeness !== 'near') return likeness;
        const path = { id: row.id };
        // A list doesn't show every field.
        const { data } = await (noun === 'team'
          ? api.call('getTeam', { path })
          : api.call('getBot', { path }));
        return isConsistent(data, { ...set, name: undefined }) ? likeness : 'maybe';
      };
    },
    hint: (rows) => chooseHint(address, rows, logs),
  };
}

/** Returns how likely a create made a row, given the other creates that may have made it. */
function rivalLikeness(others: readonly CreateIntent[], { name }: ResourceRow, likeness: Likeness): Likeness {
  if (likeness === 'other') return likeness;
  const of = others.map((other) => nameLikeness(name, other.name));
  return of.includes('same') || of.includes('near') ? 'maybe' : likeness;
}

function chooseHint(address: Address, rows: readonly ResourceRow[], { statePath }: IntentLogs): Remark {
  const [first = ''] = rows.map(({ id }) => id);
  const ids = rows.map(({ id }) => id).join(', ');
  return remark`It may be ${ids}. Link the right one: ${command('tenants', 'import', address, first, '--lock', statePath)}\nIf it is none of them, let the next apply create it: ${command('tenants', 'forget', address, '--lock', statePath)}`;
}
