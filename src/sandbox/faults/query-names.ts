import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { inputFailure } from '../../lib/errors.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import { refuseIssues } from '../http/check.ts';
import type { Refusal } from '../service.ts';

/** Another name for something. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** The parameters that each list of pages takes, by the contract's names. */
const lists = {
  listTeams: Object.keys(endpoints.listTeams.query.shape),
  listBots: Object.keys(endpoints.listBots.query.shape),
  listDocuments: Object.keys(endpoints.listDocuments.query.shape),
} as const;

const parameters: ReadonlySet<string> = new Set(Object.values(lists).flat());

/** True for a call that lists pages. */
export function isList(operation: EndpointName | undefined): operation is keyof typeof lists {
  return operation !== undefined && Object.hasOwn(lists, operation);
}

/** Returns earlier renamings with later ones, each name once, the latest as it was given last. */
export function mergedRenamings(
  earlier: readonly Renaming[],
  later: readonly Renaming[],
): readonly Renaming[] {
  const names = new Map<string, string>();
  for (const { from, to } of [...earlier, ...later]) {
    names.delete(from);
    names.set(from, to);
  }
  return [...names].map(([from, to]) => ({ from, to }));
}

/** @throws Failure `invalidInput` for a name that no list takes, and if two parameters would have the same name */
export function checkQueryNames(renaming: readonly Renaming[]): void {
  const names = new Map([...parameters].map((name) => [name, name]));
  for (const { from, to } of renaming) {
    if (!parameters.has(from)) {
      const hint = didYouMean(mostSimilar(from, parameters)) ?? `Lists take ${[...parameters].join(', ')}.`;
      throw inputFailure([`No list takes a parameter ${from}.`], hint);
    }
    names.set(from, to);
  }
  const other = [...names].find(([from, to]) => [...names].some(([o, t]) => t === to && o !== from));
  if (other) throw inputFailure([`Two parameters of lists would be called ${other[1]}.`]);
}

/** A query by the contract's names, and the names in it that nobody knows. */
export interface KnownQuery {
  readonly query: URLSearchParams;
  readonly unknown: readonly string[];
}

/** Reads the query of a list whose parameters go by other names; that of another call stays as it is. */
export function knownQuery(
  asked: URLSearchParams,
  operation: EndpointName | undefined,
  renaming: readonly Renaming[],
): KnownQuery {
  if (!isList(operation)) return { query: asked, unknown: [] };
  const theirs = new Map(renaming.map(({ from, to }) => [from, to]));
  const ours = new Map(lists[operation].map((name) => [theirs.get(name) ?? name, name]));
  const query = new URLSearchParams();
  const unknown: string[] = [];
  for (const [name, value] of asked) {
    const own = ours.get(name);
    if (own === undefined) unknown.push(name);
    else query.append(own, value);
  }
  return { query, unknown };
}

/** Returns the refusal of a query with names that nobody knows. */
export function refuseNames(names: readonly string[]): Refusal {
  return refuseIssues(
    names.map((path) => ({ path, message: 'is not known here' })),
    'query',
  );
}
