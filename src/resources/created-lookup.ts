import type { ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { collect } from '../lib/iterables.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { command, joinRemarks, type Remark, remark } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { likenessOf, periodSince } from '../once/likeness.ts';
import { lookupFailure, type Search, settle } from '../once/settle.ts';
import { type ListedRow, toListedRow } from './named.ts';
import { belongs, type ListedNoun, listedNouns, pagesIn, rowsNamed } from './resolve.ts';
import type { ResourceContext } from './resource-context.ts';

/** The object of a create, to find it in a list. */
export interface LookupTarget {
  readonly noun: ListedNoun;
  readonly name: string;
  /** The team to look in (bots and documents). */
  readonly teamId?: string | undefined;
  /** The members that the request sets. A list shows only some of them: of a team's administrator it shows nothing. */
  readonly set: JsonObject;
  /** The rows with that name that existed before the call, so the call did not create them. */
  readonly before: readonly ResourceRow[];
}

type ListContext = Pick<ResourceContext, 'api' | 'signal'>;
type LookupContext = ListContext & Pick<ResourceContext, 'clock' | 'reporter'>;

/** Limit for a lookup: after one lost response, others may be lost too. */
const maxLookupMs = 15_000;

/** Returns how to list the objects of a noun that may have a name, in one team if given. */
export function listingOf(
  context: ListContext,
  { noun, name, teamId }: Pick<LookupTarget, 'noun' | 'name' | 'teamId'>,
): Required<Pick<Search<ResourceRow>, 'noun' | 'name' | 'list' | 'listNamed'>> {
  const { api, signal } = context;
  return {
    noun,
    name,
    list: () => everyRow(context, noun, teamId),
    listNamed: () => collect(rowsNamed(api, listedNouns[noun].list, name, { teamId, signal })),
  };
}

/**
 * Returns every row of a list, in one team if given. If a filter makes a list shorter than its total, the list is read without
 * the filter: a row missing there would count as absent.
 * @throws Failure as `Api.pages`
 */
export async function everyRow(
  { api, signal }: ListContext,
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
 * Creates an object. If the response is lost, looks once for an object that the call may have created, and reports it as
 * probably created: another process may have created it.
 * @throws Failure as `create`; `outcomeUnknown` has the findings in its hint and as `details.probably_created`
 */
export async function createOrLookUp<T>(
  context: LookupContext,
  sought: LookupTarget,
  create: () => Promise<T>,
): Promise<T> {
  const { api } = context;
  const before = new Set(sought.before.map(({ id }) => id));
  const search = (signal: AbortSignal, began: number): Search<ResourceRow> => ({
    ...listingOf({ api, signal }, sought),
    grader: () => (row) => {
      const likeness = before.has(row.id) ? 'other' : likenessOf(row, sought, periodSince(api, began));
      // Only an object that is probably the result is reported.
      return likeness === 'maybe' ? 'other' : likeness;
    },
  });
  return callOrLookUp(context, search, create, (lost, rows) => {
    const found = rows.map(toListedRow);
    const doubt =
      api.clockAhead() === undefined && found.length > 0
        ? 'The service sends no time, so it may be up to five minutes older.'
        : undefined;
    return new Failure('outcomeUnknown', lost.message, {
      hint: joinRemarks([sentences(sought, found), doubt], ' '),
      status: lost.status,
      details: {
        probably_created: found.map(({ id, name = '', createdAt: created_at = null }) => ({
          id,
          name,
          created_at,
        })),
        ...(isObject(lost.details) && lost.details),
      },
      cause: lost,
    });
  });
}

/**
 * Makes a call. If its response is lost, looks once for its object, and fails anyway.
 * @param search returns how to look for the object, until a signal is aborted
 * @param explain returns the failure, given the rows that are probably the object
 * @throws Failure as `call`, and as `explain`
 */
export async function callOrLookUp<T, Row>(
  context: Pick<LookupContext, 'clock' | 'signal' | 'reporter'>,
  search: (signal: AbortSignal, began: number) => Search<Row>,
  call: () => Promise<T>,
  explain: (lost: Failure, rows: readonly Row[]) => Failure,
): Promise<T> {
  const began = context.clock.now();
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'outcomeUnknown') throw thrown;
    const timeout = AbortSignal.timeout(maxLookupMs);
    const sought = search(AbortSignal.any([context.signal, timeout]), began);
    context.reporter.note(`The response was lost. Looking for the ${sought.noun}.`);
    const outcome = await settle(context, sought, { lost: thrown, wait: 0 });
    if (outcome.state === 'unknown' && outcome.why !== undefined)
      throw lookupFailure(thrown, sought.noun, timeout.aborted ? 'it took too long.' : outcome.why);
    if (outcome.state === 'found') throw explain(thrown, [outcome.row]);
    throw explain(thrown, outcome.state === 'absent' ? [] : outcome.rows);
  }
}

function sentences({ noun, name }: LookupTarget, found: readonly ListedRow[]): Remark {
  const { commandName } = listedNouns[noun];
  const [only, ...others] = found;
  const list = command(commandName, 'list', '--name', oneLine(name, 200));
  if (!only)
    return remark`No such ${noun} has appeared yet, but it still may. Check again before you repeat the command: ${list}`;
  if (others.length > 0) {
    return remark`${String(found.length)} such ${noun}s have appeared since, so it was probably created. Check before you repeat the command: ${list}`;
  }
  return remark`Such a ${noun} has appeared since, so it was probably created. Check before you repeat the command: ${command(commandName, 'get', only.id)}`;
}
