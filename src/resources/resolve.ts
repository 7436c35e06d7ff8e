import type { Api, Page, PagedEndpoint, ResourceRow } from '../client/api.ts';
import { allowFailure, Failure } from '../lib/errors.ts';
import { isId, isSameId } from '../lib/ids.ts';
import { collect, groupBy } from '../lib/iterables.ts';
import { asText } from '../lib/json-object.ts';
import { type AskWhich, type Candidate, chooseMatch, findMatches, type Wording } from '../lib/match-name.ts';
import { isSafeSearchText, normalizeForComparison, normalizeSpaces } from '../lib/text/compare.ts';
import { type CommandLine, command, type RemarkText, remark } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { firstAccepted } from './first-accepted.ts';
import { type ListedRow, toListedRow } from './named.ts';
import { toTeam } from './teams/team.ts';

/** Options for looking up a name. */
export interface ResolveOptions {
  /** Asks the user if a name is not exact; undefined for a name that was not typed, for example in a file. */
  readonly askWhich: AskWhich | undefined;
  /** Only look in this team (bots and documents). */
  readonly teamId?: string | undefined;
}

/** An object that was found by name or id. */
export interface Found {
  readonly id: string;
  /** Undefined if an id was given: it is not looked up. */
  readonly name: string | undefined;
}

/** A noun whose names are looked up. */
interface Noun extends Wording {
  readonly list: PagedEndpoint;
  /** The command for the noun: `docs`. */
  readonly commandName: string;
}

/** The nouns that the API can list. */
export const listedNouns = {
  team: nounOf('listTeams', 'team', 'teams'),
  bot: nounOf('listBots', 'bot', 'bots'),
  document: nounOf('listDocuments', 'document', 'docs'),
} as const satisfies Readonly<Record<string, Noun>>;

export type ListedNoun = keyof typeof listedNouns;

function nounOf(list: PagedEndpoint, noun: string, commandName: string): Noun {
  const showCommand = (id: string): CommandLine => command(commandName, 'get', id);
  return { list, noun, commandName, showCommand, hint: seeList(commandName) };
}

function seeList(commandName: string, ...options: readonly string[]): RemarkText {
  return remark`Run: ${command(commandName, 'list', ...options)}`;
}

/**
 * Finds a team, bot or document given by id or name. An id is used without calling the service.
 * @param lookup an existing lookup, for several names
 * @throws Failure `notFound` with suggestions, `ambiguous` if several have the name, as `askWhich`, or as `Api.pages`
 */
export async function findNamed(
  api: Api,
  listedNoun: ListedNoun,
  text: string,
  options: ResolveOptions,
  lookup: NameLookup = nameLookup(api, listedNouns[listedNoun].list, options),
): Promise<Found> {
  const noun = listedNouns[listedNoun];
  if (isId(text)) return { id: text.toLowerCase(), name: undefined };
  const named = (await lookup.named(text)).filter(({ name }) => name === text);
  // Similar names are searched in all rows: the service may fold case and accents differently.
  const all = named.length > 0 ? named : await lookup.all();
  // A service may have ids that are not UUIDs.
  const byId = named.length > 0 ? undefined : all.find((row) => row.id === text);
  if (byId) return { id: byId.id, name: asText(byId.name) };
  const { isExact, candidates: found } = findMatches(all.map(toNamedRow), text);
  const otherWay = areApartByTeam(found) ? 'add --team' : undefined;
  const wording = isExact ? { ...noun, otherWay } : inItsTeam(noun, await lookup.teamName());
  const distinct = await withMarks(api, found);
  const { id, name } = await chooseMatch({ isExact, candidates: distinct }, text, wording, options.askWhich);
  return { id, name };
}

/**
 * Returns the id of a team, bot or document given by id or name.
 * @throws Failure as `findNamed`
 */
export async function resolveId(...given: Parameters<typeof findNamed>): Promise<string> {
  return (await findNamed(...given)).id;
}

/**
 * Returns the id of the team in an option, given by id or name, or undefined if the option is missing.
 * @throws Failure as `findNamed`
 */
export async function resolveTeamOption(
  { api, askWhich }: { readonly api: Api; readonly askWhich: AskWhich | undefined },
  text: string | undefined,
): Promise<string | undefined> {
  return text === undefined ? undefined : resolveId(api, 'team', text, { askWhich });
}

/**
 * Returns the only object with exactly this name, or undefined if no object has it, nor a name that a service may have derived from
 * it; a name in the form of an id is a name here.
 * @param lookup an existing lookup, for several names
 * @throws Failure `ambiguous` if several have it, or none does and one has a name that differs only in blanks, case or the
 * composition of accents; and as `findNamed`
 */
export async function findExact(
  api: Api,
  noun: ListedNoun,
  name: string,
  options: ResolveOptions,
  lookup: NameLookup = nameLookup(api, listedNouns[noun].list, options),
): Promise<ResourceRow | undefined> {
  const wording = listedNouns[noun];
  const has = (row: ResourceRow): boolean => row.name === name;
  const named = (await lookup.named(name)).filter(has);
  // The service may miss the exact name in its own search, and may have changed the name that it was sent.
  const all = named.length > 0 ? named : await lookup.all();
  const rows = all.filter(has);
  const [only, ...others] = rows;
  if (!only) {
    const near = all.find(
      (row) =>
        typeof row.name === 'string' && normalizeForComparison(row.name) === normalizeForComparison(name),
    );
    if (near) throw mayBeNamed(wording, name, near);
  }
  if (others.length === 0) return only;
  const candidates = await withMarks(api, rows.map(toNamedRow));
  const { id } = await chooseMatch({ isExact: true, candidates }, name, wording, options.askWhich);
  return rows.find((row) => row.id === id);
}

function mayBeNamed({ noun, showCommand }: Noun, name: string, near: ResourceRow): Failure {
  const there = JSON.stringify(near.name);
  const message = `There is no ${noun} named ${JSON.stringify(name)}, but one named ${there}. It may be the same, because services may change blanks, case and accents of names.`;
  return new Failure('ambiguous', `${message} Nothing was created.`, {
    hint: remark`If it is the one you mean, use its exact name: ${there}. To create another one, leave out --if-absent.`,
    next: [showCommand(near.id)],
  });
}

/** Returns whether each namesake is in a different team, so that naming the team would suffice. */
function areApartByTeam(found: readonly NamedRow[]): boolean {
  const teams = new Set(found.flatMap(({ teamId }) => teamId ?? []));
  return teams.size === found.length && haveTwins(found);
}

function haveTwins(found: readonly NamedRow[]): boolean {
  return new Set(found.map(({ name }) => name)).size < found.length;
}

/** Returns the wording of a noun, with its team if the lookup is limited to one. */
function inItsTeam(noun: Noun, team: string | undefined): Noun {
  if (team === undefined) return noun;
  const name = oneLine(team, 200);
  return { ...noun, place: `in team ${name}`, hint: seeList(noun.commandName, '--team', name) };
}

/** A candidate row, with the details that distinguish it from its namesakes. */
interface NamedRow extends ListedRow {
  readonly name: string;
}

function toNamedRow(row: ResourceRow): NamedRow {
  const listed = toListedRow(row);
  return { ...listed, name: listed.name ?? '' };
}

/** The maximum number of teams that are read for their names, if several rows are listed. */
const maxTeamsRead = 10;

/** Returns namesakes with their teams and, if those are equal, their creation times. */
async function withMarks(api: Api, found: readonly NamedRow[]): Promise<readonly Candidate[]> {
  if (!haveTwins(found)) return found;
  const ids = [...new Set(found.flatMap(({ teamId }) => teamId ?? []))].slice(0, maxTeamsRead);
  const named = await Promise.all(ids.map(async (id) => [id, await nameOfTeam(api, id)] as const));
  const teams = new Map(named);
  return found.map(({ id, name, teamId, createdAt }) => {
    const isAlone = found.every((other) => other.id === id || other.name !== name || other.teamId !== teamId);
    const marks = [
      teamId !== undefined && `in team ${teams.get(teamId) ?? teamId}`,
      createdAt !== undefined && !isAlone && `created ${createdAt}`,
    ].filter((mark) => mark !== false);
    return { id, name, marks };
  });
}

/** Returns the name of a team, or its id if the team can't be read: the name is only a detail. */
async function nameOfTeam(api: Api, id: string): Promise<string> {
  const team = await allowFailure(api.call('getTeam', { path: { id } }));
  return (team && toTeam(team.data).name) ?? id;
}

/** The rows to search. */
interface LookIn extends Pick<ResolveOptions, 'teamId'> {
  /** Ends the lookup before the API's own signal does. */
  readonly signal?: AbortSignal | undefined;
}

/** Looks up names in one list. */
export interface NameLookup {
  /** Returns the rows that may have a name. */
  named(name: string): Promise<readonly ResourceRow[]>;
  /** Returns every row; read once. */
  all(): Promise<readonly ResourceRow[]>;
  /** Returns the name, or else the id, of the team of the lookup, or undefined for all teams. */
  teamName(): Promise<string | undefined>;
}

function nameLookup(api: Api, list: PagedEndpoint, { teamId }: LookIn): NameLookup {
  let all: Promise<readonly ResourceRow[]> | undefined;
  let teamName: Promise<string | undefined> | undefined;
  const every = () => (all ??= collect(rowsOf(pagesIn(api, list, { teamId }))));
  return {
    named: (name) => (isSafeSearchText(name) ? collect(rowsNamed(api, list, name, { teamId })) : every()),
    all: every,
    teamName: () =>
      (teamName ??= teamId === undefined ? Promise.resolve(undefined) : nameOfTeam(api, teamId)),
  };
}

/** Looks up documents. */
export interface DocumentLookup extends NameLookup {
  /** Every document, if the whole list was read. */
  readonly every?: readonly ResourceRow[];
}

/**
 * Returns a lookup of documents by name: for several names it reads the whole list once, unless that takes more
 * requests than one for each name.
 * @param pages the number of pages up to which the whole list is read anyway
 * @throws Failure as `Api.pages`
 */
export async function documentLookup(
  api: Api,
  names: readonly string[],
  options: LookIn,
  pages = 0,
): Promise<DocumentLookup> {
  const { list } = listedNouns.document;
  const lookup = nameLookup(api, list, options);
  const different = new Set(names.filter((name) => !isId(name))).size;
  if (different < 2 && pages === 0) return lookup;
  const rows: ResourceRow[] = [];
  for await (const page of pagesIn(api, list, options)) {
    if ((page.totalPages ?? page.page + 1) > Math.max(different + 1, pages)) return lookup;
    for (const row of page.rows) rows.push(row);
  }
  // The service may have changed a name; callers compare it.
  const byName = groupBy(rows, ({ name }) => normalizeForComparison(String(name)));
  return {
    ...lookup,
    named: async (name) => byName.get(normalizeForComparison(name)) ?? [],
    all: async () => rows,
    every: rows,
  };
}

/** The filters of a lookup. */
interface LookupQuery {
  readonly name?: string;
  readonly team_id?: string;
}

/**
 * Yields the rows that the service's own filter finds for a name, or all rows if it refuses the filter or might treat
 * the name as a pattern. The caller compares the names: services match parts of names, or ignore the filter.
 * A name with blanks or accents that a service may have changed is looked up in both forms.
 * @throws Failure as `Api.pages`
 */
export async function* rowsNamed(
  api: Api,
  list: PagedEndpoint,
  name: string,
  options: LookIn,
): AsyncGenerator<ResourceRow> {
  const seen = new Set<string>();
  for (const form of new Set([name, normalizeSpaces(name)])) {
    const byName = isSafeSearchText(form) ? [{ name: form, ...inTeam(options) }] : [];
    for await (const row of rowsOf(pagesBy(api, list, [...byName, ...queriesIn(options)], options))) {
      if (!seen.has(row.id)) yield row;
      seen.add(row.id);
    }
    // Those would be all rows already.
    if (byName.length === 0) return;
  }
}

/**
 * Returns all pages of a list, only with the rows of one team if given; if the service refuses to filter by team,
 * they are filtered here.
 * @throws Failure as `Api.pages`
 */
export function pagesIn(api: Api, list: PagedEndpoint, options: LookIn): AsyncIterable<Page> {
  return pagesBy(api, list, queriesIn(options), options);
}

function queriesIn(options: LookIn): readonly LookupQuery[] {
  return options.teamId === undefined ? [{}] : [inTeam(options), {}];
}

function inTeam({ teamId }: LookIn): LookupQuery {
  return teamId === undefined ? {} : { team_id: teamId };
}

/** Returns the pages for the first of the queries that the service accepts. */
function pagesBy(
  api: Api,
  list: PagedEndpoint,
  queries: readonly LookupQuery[],
  { teamId, signal }: LookIn,
): AsyncIterable<Page> {
  const request = async function* (query: LookupQuery): AsyncGenerator<Page> {
    for await (const page of api.pages(list, { query, ...(signal && { signal }) })) {
      yield { ...page, rows: page.rows.filter((row) => belongs(row, teamId)) };
    }
  };
  return firstAccepted(queries.map((query) => ({ request: () => request(query) })));
}

async function* rowsOf(pages: AsyncIterable<Page>): AsyncGenerator<ResourceRow> {
  for await (const { rows } of pages) yield* rows;
}

/**
 * Returns whether a row may belong to a team: a row of another team shows that the service ignores the filter, and a row
 * without a team is kept.
 */
export function belongs(row: ResourceRow, teamId: string | undefined): boolean {
  const shown = toListedRow(row).teamId;
  return teamId === undefined || shown === undefined || isSameId(shown, teamId);
}
