import type { ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { collect } from '../lib/iterables.ts';
import { isObject, type JsonObject, own, textOf } from '../lib/json-object.ts';
import { mayBeStoredAs, tidied } from '../lib/text/compare.ts';
import { command, joinRemarks, type Remark, type RemarkText, remark } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { toListedRow } from './listed-row.ts';
import { belongs, type ListedNoun, listedNouns, pagesIn, rowsNamed } from './resolve.ts';
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

/** A time that is written without its zone may be wrong so much. */
const zoneToleranceMs = 26 * 60 * 60_000;

/** How likely it is that a row is the object of a create. */
export type Likeness =
  /** Everything that the service shows is as it was sent. */
  | 'same'
  /** The same, but for what services tidy in a name: see `tidied`. */
  | 'near'
  /** The service may have changed what it was sent, or shows too little to tell. */
  | 'maybe'
  | 'other';

/** A row with its likeness. */
export interface Graded {
  readonly row: ResourceRow;
  readonly likeness: Likeness;
}

/** The outcome of a create whose response was lost. */
export type Conclusion =
  | { readonly state: 'found'; readonly row: ResourceRow; readonly isExact: boolean }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly rows: readonly ResourceRow[] };

/**
 * Concludes the outcome of a create whose response was lost. It certainly had no effect only if no row could be its object: a
 * service may tidy a name, so the absence of that exact name proves nothing.
 * @param graded all rows of the list that may be new; those that are known to be something else left out, or `other`
 */
export function concluded(graded: readonly Graded[]): Conclusion {
  const of = (likeness: Likeness): readonly ResourceRow[] =>
    graded.filter((one) => one.likeness === likeness).map(({ row }) => row);
  const [same, near, maybe] = [of('same'), of('near'), of('maybe')];
  const [found] = same.length > 0 ? same : near;
  const isAlone = same.length === 1 || (same.length === 0 && near.length === 1 && maybe.length === 0);
  if (found && isAlone) return { state: 'found', row: found, isExact: same.length === 1 };
  const rows = [...same, ...near, ...maybe];
  return rows.length === 0 ? { state: 'absent' } : { state: 'unknown', rows };
}

/** Returns how much the name that a service shows looks like the one that it was sent. */
export function nameLikeness(shown: unknown, sent: string): Likeness {
  if (shown === sent) return 'same';
  if (typeof shown !== 'string' || shown.trim() === '') return 'maybe';
  if (tidied(shown) === tidied(sent)) return 'near';
  return mayBeStoredAs(sent, shown) ? 'maybe' : 'other';
}

/** The time in which a call may have taken effect, by the service's clock as far as that is known. */
export interface Period {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to?: number;
  /** Whether the service tells the time. */
  readonly isTold: boolean;
}

/**
 * Says whether a row was created in a period: certainly, as far as its time says; possibly, since it may be of another clock or
 * time zone; or not. A row without a time may be from any.
 */
export function createdIn(
  { created_at: shown }: JsonObject,
  { from, to = Infinity, isTold }: Period,
): 'certain' | 'possible' | 'no' {
  const created = Date.parse(textOf(shown) ?? '');
  if (Number.isNaN(created)) return 'certain';
  const isWithin = (before: number, after: number): boolean =>
    created >= from - before && created <= to + after;
  if (isWithin(isTold ? timeToleranceMs : clockToleranceMs, 0)) return 'certain';
  return isWithin(zoneToleranceMs, zoneToleranceMs) ? 'possible' : 'no';
}

/** Returns how likely it is that a row is the sought object, created in a period. */
export function likenessOf(
  row: ResourceRow,
  { name, set }: Pick<Sought, 'name' | 'set'>,
  period: Period,
): Likeness {
  const byName = nameLikeness(row.name, name);
  const byTime = createdIn(row, period);
  if (byName === 'other' || byTime === 'no') return 'other';
  const { name: _name, ...others } = set;
  return byTime === 'certain' && agrees(row, others) ? byName : 'maybe';
}

/**
 * Returns every row of a list, in one team if one is given. A list that a filter leaves shorter than its total is read without
 * the filter: what is missing there would pass for absent.
 * @throws Failure as `Api.pages`
 */
export async function everyRow(
  { api, signal }: Pick<LookupContext, 'api' | 'signal'>,
  noun: ListedNoun,
  teamId: string | undefined,
): Promise<readonly ResourceRow[]> {
  const { list } = listedNouns[noun];
  const rows: ResourceRow[] = [];
  let whole = 0;
  for await (const page of pagesIn(api, list, { teamId, signal })) {
    rows.push(...page.rows);
    whole = Math.max(whole, page.total ?? 0);
  }
  if (teamId === undefined || rows.length >= whole) return rows;
  const all: ResourceRow[] = [];
  for await (const page of pagesIn(api, list, { signal }))
    all.push(...page.rows.filter((row) => belongs(row, teamId)));
  return all;
}

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
 * Looks for what a create has probably made: of its name, as the service may have tidied it, of what it sets, and made since
 * it began.
 * @param began by this machine's clock, in milliseconds since 1970
 * @throws Failure as `Api.pages`
 */
async function probablyCreated(
  context: Pick<LookupContext, 'api' | 'signal'>,
  { noun, name, teamId, set, before: there }: Sought,
  began: number,
): Promise<readonly ResourceRow[]> {
  const { api, signal } = context;
  const before = new Set(there.map(({ id }) => id));
  const isIt = (row: ResourceRow): boolean => {
    const likeness = likenessOf(row, { name, set }, since(api, began));
    return !before.has(row.id) && (likeness === 'same' || likeness === 'near');
  };
  const named = await collect(rowsNamed(api, listedNouns[noun].list, name, { teamId, signal }));
  const found = named.filter(isIt);
  // A filter by name misses what the service has tidied.
  return found.length > 0 ? found : (await everyRow(context, noun, teamId)).filter(isIt);
}

/**
 * Returns the period since a call began.
 * @param began by this machine's clock, in milliseconds since 1970
 * @param lasting milliseconds in which it may take effect; without end if undefined
 */
export function since(api: LookupContext['api'], began: number, lasting?: number): Period {
  const ahead = api.clockAhead();
  const from = began + (ahead ?? 0);
  return { from, isTold: ahead !== undefined, ...(lasting !== undefined && { to: from + lasting }) };
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
    found = (await probablyCreated(within, sought, began)).map(finding);
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
 * ids may come back in another case, numbers as texts, and texts tidied.
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
  return tidied(String(shown)) === tidied(String(sent));
}

function finding(row: ResourceRow): Finding {
  const { id, name = '', createdAt = null } = toListedRow(row);
  return { id, name, created_at: createdAt };
}
