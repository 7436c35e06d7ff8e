import type { ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { isSameId } from '../lib/ids.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { own } from '../lib/own.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { command, joinRemarks, type Remark, type RemarkText, remark } from '../lib/text/remark.ts';
import { toListedRow } from './listed-row.ts';
import { type ListedNoun, listedNouns, rowsNamed } from './resolve.ts';
import type { ResourceContext } from './resource-context.ts';

/** The thing that a create should make, as it is looked for in a list. */
export interface Sought {
  readonly noun: ListedNoun;
  readonly name: string;
  /** The team that it is looked for in (bots and documents). */
  readonly teamId?: string | undefined;
  /** The members that the request sets. A list shows some of them: of a team's administrator it shows nothing. */
  readonly set: JsonObject;
  /** Those of that name that were listed before the call, so it hasn't made them. */
  readonly before: readonly ResourceRow[];
}

type LookupContext = Pick<ResourceContext, 'api' | 'clock' | 'signal' | 'reporter'>;

/** A lookup takes no longer: after one lost answer, others may be lost too. */
const maxLookupMs = 15_000;

/** Times of one service may be apart so much: they count seconds, or come from several machines. */
const timeToleranceMs = 2000;

/** This machine's clock may be wrong so much, if the service doesn't tell the time. */
const clockToleranceMs = 5 * 60_000;

/**
 * Creates something. If the answer is lost, looks for what the call may have made and says what it found:
 * as probably created, never as proof, since somebody else may have made it.
 * @throws Failure as `create`; `outcomeUnknown` carries the findings in its hint and as
 *   `details.probably_created`
 */
export async function createOrLookUp<T>(
  context: LookupContext,
  sought: Sought,
  create: () => Promise<T>,
): Promise<T> {
  const began = context.clock.now();
  try {
    return await create();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'outcomeUnknown') throw thrown;
    context.reporter.note(`The answer was lost; looking for the ${sought.noun}.`);
    throw await withFindings(thrown, context, sought, began);
  }
}

/** The members of a row by which a person recognises it. */
interface Finding {
  readonly id: string;
  readonly name: string;
  readonly created_at: string | null;
}

/**
 * Looks for what a create may have made: of its name and what it sets, and made since it began.
 * @param began by this machine's clock, in milliseconds since 1970
 * @throws Failure as `Api.pages`
 */
export async function findCreated(
  { api, signal }: Pick<LookupContext, 'api' | 'signal'>,
  { noun, name, teamId, set, before: there }: Sought,
  began: number,
): Promise<readonly ResourceRow[]> {
  const found: ResourceRow[] = [];
  const before = new Set(there.map(({ id }) => id));
  for await (const row of rowsNamed(api, listedNouns[noun].list, name, { teamId, signal })) {
    if (before.has(row.id) || row.name !== name || !agrees(row, set)) continue;
    const ahead = api.clockAhead();
    if (isSince(row, began + (ahead ?? 0), ahead !== undefined)) found.push(row);
  }
  return found;
}

async function withFindings(
  lost: Failure,
  { api, signal }: LookupContext,
  sought: Sought,
  began: number,
): Promise<Failure> {
  let found: readonly Finding[];
  const timeout = AbortSignal.timeout(maxLookupMs);
  try {
    const within = { api, signal: AbortSignal.any([signal, timeout]) };
    found = (await findCreated(within, sought, began)).map(finding);
  } catch (thrown) {
    signal.throwIfAborted();
    const why = timeout.aborted ? 'it took too long.' : thrown instanceof Error ? thrown.message : '';
    return failureWith(
      lost,
      joinRemarks([`Looking for the ${sought.noun} failed: ${why}`, lost.hint], ' '),
      undefined,
    );
  }
  const doubt =
    api.clockAhead() === undefined && found.length > 0
      ? 'The service tells no time, so it may also be from the five minutes before.'
      : undefined;
  return failureWith(lost, joinRemarks([sentences(sought, found), doubt], ' '), found);
}

function failureWith(
  lost: Failure,
  hint: RemarkText | undefined,
  found: readonly Finding[] | undefined,
): Failure {
  const said = isObject(lost.details) ? lost.details : {};
  return new Failure('outcomeUnknown', lost.message, {
    hint,
    status: lost.status,
    details: { ...(found && { probably_created: found }), ...said },
    cause: lost,
  });
}

function sentences({ noun, name }: Sought, found: readonly Finding[]): Remark {
  const { commandName } = listedNouns[noun];
  const [only, ...others] = found;
  const list = command(commandName, 'list', '--name', oneLine(name, 200));
  if (!only)
    return remark`No such ${noun} has appeared yet, but it still may. Look again before you repeat: ${list}`;
  if (others.length > 0) {
    return remark`${String(found.length)} such ${noun}s have appeared since, so it was probably created. Look before you repeat: ${list}`;
  }
  return remark`Such a ${noun} has appeared since, so it was probably created. Look before you repeat: ${command(commandName, 'get', only.id)}`;
}

/**
 * True if what a service shows says the same as what it was sent. A member that it doesn't show says nothing against it;
 * ids may come back in another case, numbers as texts, and texts without the blanks around them.
 */
export function agrees(shown: unknown, sent: unknown): boolean {
  if (shown === undefined || shown === null || sent === undefined) return true;
  if (Array.isArray(sent)) {
    return (
      !Array.isArray(shown) ||
      (shown.length === sent.length && sent.every((one, at) => agrees(shown[at], one)))
    );
  }
  if (isObject(sent)) {
    return !isObject(shown) || Object.entries(sent).every(([name, value]) => agrees(own(shown, name), value));
  }
  const [there, wanted] = [String(shown).trim(), String(sent).trim()];
  return isSameId(there, wanted);
}

/**
 * True if a row was created after a call began.
 * @param began in milliseconds, by the service's clock as far as that is known
 * @param isTold whether the service tells the time
 */
export function isSince(row: ResourceRow, began: number, isTold: boolean): boolean {
  const created = Date.parse(toListedRow(row).createdAt ?? '');
  return Number.isNaN(created) || created >= began - (isTold ? timeToleranceMs : clockToleranceMs);
}

function finding(row: ResourceRow): Finding {
  const { id, name = '', createdAt = null } = toListedRow(row);
  return { id, name, created_at: createdAt };
}
