import type { Clock } from '../lib/clock.ts';
import { asFailure, type Failure, messageOf } from '../lib/errors.ts';
import type { Reporter } from '../lib/reporter.ts';
import { joinRemarks, type RemarkText } from '../lib/text/remark.ts';
import type { Likeness } from './likeness.ts';

/** Milliseconds after a lost response in which a call may still take effect. */
export const settleMs = 60_000;

/** Describes how to find the object of a call that may have taken effect. */
export interface Search<Row> {
  /** The kind of object: `team`. */
  readonly noun: string;
  /** The name of the object, for messages. */
  readonly name: string;
  /** Lists every row that may be the object. */
  list(): Promise<readonly Row[]>;
  /** Lists the rows filtered by name, which takes fewer requests; absent if the service has no such filter. */
  listNamed?(): Promise<readonly Row[]>;
  /**
   * Returns a function that grades how likely it is that a row is the object; `other` if the row is known to be another
   * object. Called once per lookup, after the rows were listed: a concurrent call may have recorded its object
   * meanwhile.
   */
  grader(): (row: Row) => Likeness | Promise<Likeness>;
}

/** The outcome of a call. */
export type Outcome<Row> =
  /** Exactly one row is the object. */
  | { readonly state: 'found'; readonly row: Row; readonly isExact: boolean }
  /** No row can be the object. */
  | { readonly state: 'absent' }
  /**
   * Each row may be the object, most likely first. If the lookup failed, `why` has the reason and there are no rows.
   */
  | { readonly state: 'unknown'; readonly rows: readonly Row[]; readonly why?: string };

interface SettleContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
}

/** A call whose outcome is unknown. */
export interface LostCall {
  /** The failure of the call. If a signal ends the lookup, it is thrown as the failure of that signal. */
  readonly lost: Failure;
  /** Milliseconds after which the call can't take effect any more. Zero or less: looks once, without waiting. */
  readonly wait: number;
}

/**
 * Determines the outcome of a call whose response was lost: looks, waits until the call can't take effect any more, and
 * looks again. The last lookup reads all rows: the name filter of a service may lag, and the service may store another
 * name.
 * @throws Failure of the signal
 */
export async function settle<Row>(
  context: SettleContext,
  search: Search<Row>,
  { lost, wait }: LostCall,
): Promise<Outcome<Row>> {
  const first = await lookOnce(context, search, lost);
  const hasFailed = first.state === 'unknown' && first.why !== undefined;
  if (first.state === 'found' || hasFailed || (wait <= 0 && !search.listNamed)) return first;
  await pause(context, search, { lost, wait });
  return look(context, search, lost, true);
}

/**
 * Looks for the object of a call without waiting. An object that isn't found may still appear.
 * @throws Failure of the signal
 */
async function lookOnce<Row>(
  context: Pick<SettleContext, 'signal'>,
  search: Search<Row>,
  lost: Failure,
): Promise<Outcome<Row>> {
  const outcome = await look(context, search, lost, false);
  // A row whose name is only similar has to be the only match in the whole list.
  const isWhole = outcome.state !== 'found' || outcome.isExact;
  return isWhole ? outcome : look(context, search, lost, true);
}

async function look<Row>(
  { signal }: Pick<SettleContext, 'signal'>,
  search: Search<Row>,
  lost: Failure,
  isWhole: boolean,
): Promise<Outcome<Row>> {
  try {
    const rows = isWhole || !search.listNamed ? await search.list() : await search.listNamed();
    const grade = search.grader();
    return concludeOutcome(await Promise.all(rows.map(async (row) => ({ row, likeness: await grade(row) }))));
  } catch (thrown) {
    if (signal.aborted) throw lost.afterSignal(asFailure(signal.reason));
    return { state: 'unknown', rows: [], why: messageOf(thrown) };
  }
}

/**
 * Derives the outcome of a call from the rows that may be its object. It certainly had no effect only if no row could
 * be its object: a service may normalize a name, so the absence of the exact name proves nothing.
 */
function concludeOutcome<Row>(
  graded: readonly { readonly row: Row; readonly likeness: Likeness }[],
): Outcome<Row> {
  const of = (likeness: Likeness): readonly Row[] =>
    graded.filter((one) => one.likeness === likeness).map(({ row }) => row);
  const [same, near, maybe] = [of('same'), of('near'), of('maybe')];
  const [found] = same.length > 0 ? same : near;
  const isAlone = same.length === 1 || (same.length === 0 && near.length === 1 && maybe.length === 0);
  if (found && isAlone) return { state: 'found', row: found, isExact: same.length === 1 };
  const rows = [...same, ...near, ...maybe];
  return rows.length === 0 ? { state: 'absent' } : { state: 'unknown', rows };
}

/** Waits until the object of a call can't appear any more. */
async function pause(
  { clock, signal, reporter }: SettleContext,
  { name }: Pick<Search<unknown>, 'name'>,
  { lost, wait }: LostCall,
): Promise<void> {
  if (wait <= 0) return;
  const text = `Waiting ${Math.ceil(wait / 1000)} s: ${name} may still appear`;
  const progress = reporter.progress(text);
  try {
    await clock.sleep(wait, signal);
  } catch (reason) {
    throw lost.afterSignal(asFailure(reason));
  } finally {
    progress.stop();
  }
}

/** A search whose outcome determines the next step. */
export interface DecidingSearch<Row> extends Search<Row> {
  /**
   * Returns a hint how the user can decide which row is the object, most likely row first; undefined if it was already
   * decided that none is.
   */
  hint(rows: readonly Row[]): RemarkText | undefined;
}

/**
 * Settles a call. Returns its object, or undefined if it certainly had no effect.
 * @throws Failure `lost` with a hint if the outcome stays unknown, and as `settle`
 */
export async function findSettled<Row>(
  context: SettleContext,
  search: DecidingSearch<Row>,
  call: LostCall,
): Promise<Row | undefined> {
  const outcome = await settle(context, search, call);
  if (outcome.state === 'found') return outcome.row;
  if (outcome.state === 'absent') return undefined;
  if (outcome.why !== undefined) throw lookupFailure(call.lost, search.noun, outcome.why);
  const hint = search.hint(outcome.rows);
  if (hint !== undefined) throw call.lost.withHint(hint);
  return undefined;
}

/** Returns the failure of a lost call whose object could not be looked up. */
export function lookupFailure(lost: Failure, noun: string, why: string): Failure {
  return lost.withHint(joinRemarks([`Looking for the ${noun} failed: ${why}`, lost.hint], ' '));
}

/** A call of an interrupted earlier run with unknown outcome. */
export interface InterruptedCall<Row> {
  readonly search: DecidingSearch<Row>;
  /** The failure if the outcome stays unknown. */
  readonly lost: Failure;
  /**
   * Records the outcome, and ends the intent.
   * @param row undefined if the call certainly had no effect
   */
  end(row: Row | undefined): Promise<void> | void;
}

/**
 * Looks for the objects of interrupted calls without waiting, and records each one found. Processes the calls one by
 * one, because an object recorded for one call can't belong to another.
 * @returns the calls whose objects were not found: they may still appear
 * @throws Failure of the signal, and as `end`
 */
export async function resolveFound<Row, Call extends InterruptedCall<Row>>(
  context: Pick<SettleContext, 'signal'>,
  calls: readonly Call[],
): Promise<readonly Call[]> {
  const others: Call[] = [];
  for (const call of calls) {
    const outcome = await lookOnce(context, call.search, call.lost);
    if (outcome.state === 'found') await call.end(outcome.row);
    else others.push(call);
  }
  return others;
}

/**
 * Determines the outcome of an interrupted call, and records it.
 * @param deadline time after which it can't take effect any more, in milliseconds since 1970 by this machine's clock:
 * the same one for all calls of earlier runs, so that a run waits once
 * @returns the object, or undefined if the call certainly had no effect
 * @throws Failure as `findSettled` and `end`
 */
export async function settleInterrupted<Row>(
  context: SettleContext,
  { search, lost, end }: InterruptedCall<Row>,
  deadline: number,
): Promise<Row | undefined> {
  const row = await findSettled(context, search, { lost, wait: deadline - context.clock.now() });
  await end(row);
  return row;
}
