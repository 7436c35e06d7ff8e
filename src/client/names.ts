import { Failure } from '../errors.ts';
import { oneLine } from './answer.ts';
import type { Api, PagedEndpoint, RowOf } from './api.ts';

/** What the object is wanted for: reads also take a name in another case, or its unique beginning. */
export interface ResolveOptions {
  readonly for: 'read' | 'write';
  /** Only look in this team (bots and documents). */
  readonly teamId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A noun whose names are looked up. */
interface Noun {
  readonly list: PagedEndpoint;
  readonly one: string;
  /** The command that lists them. */
  readonly command: string;
}

const team: Noun = { list: 'listTeams', one: 'team', command: 'botctl teams list' };
const bot: Noun = { list: 'listBots', one: 'bot', command: 'botctl bots list' };
const document: Noun = { list: 'listDocuments', one: 'document', command: 'botctl docs list' };

/** Identifiers are UUID strings (api.md, convention 1). */
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Candidates and suggestions that a message lists. */
const mostListed = 10;

/**
 * The id of a team given by id or name (design, Names). An id is taken as it is, without asking the service.
 * @throws Failure `notFound` with suggestions, `usage` where several match, or as `Api.pages`
 */
export function resolveTeam(api: Api, text: string, options: ResolveOptions): Promise<string> {
  return resolve(api, team, text, options);
}

/**
 * The id of a bot given by id or name, in one team where the options name it.
 * @throws Failure as `resolveTeam`
 */
export function resolveBot(api: Api, text: string, options: ResolveOptions): Promise<string> {
  return resolve(api, bot, text, options);
}

/**
 * The id of a document given by id or name, in one team where the options name it.
 * @throws Failure as `resolveTeam`
 */
export function resolveDocument(api: Api, text: string, options: ResolveOptions): Promise<string> {
  return resolve(api, document, text, options);
}

/** Something with a name, in a list. */
interface Candidate {
  readonly id: string;
  readonly name: string;
}

async function resolve(api: Api, noun: Noun, text: string, options: ResolveOptions): Promise<string> {
  if (uuid.test(text)) return text.toLowerCase();
  const named = (await namedLike(api, noun, text, options)).filter(({ name }) => name === text);
  // What merely resembles the name is looked for in all of them: the service may fold case and accents otherwise.
  const all = named.length > 0 ? named : await candidates(api, noun, {}, options);
  const [found, ...others] = matches(all, text, options.for);
  if (found && others.length === 0) return found.id;
  if (found) throw several(noun, text, [found, ...others]);
  throw none(noun, text, all, options.for);
}

/** What the service's own filter finds. Nothing where it refuses the filter. */
async function namedLike(
  api: Api,
  noun: Noun,
  text: string,
  options: ResolveOptions,
): Promise<readonly Candidate[]> {
  try {
    return await candidates(api, noun, { name: text }, options);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'rejected') return [];
    throw error;
  }
}

async function candidates(
  api: Api,
  noun: Noun,
  filter: { readonly name?: string },
  options: LookIn,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for await (const { id, name } of rows(api, noun.list, filter, options)) {
    found.push({ id, name: typeof name === 'string' ? name : '' });
  }
  return found;
}

/** Where to look, and how long. */
type LookIn = Pick<ResolveOptions, 'teamId' | 'signal'>;

/**
 * The rows that the service's own filter finds for a name, or all rows where it refuses the filter. Their
 * names are yet to be compared: services match parts of names, or ignore the filter.
 * @throws Failure as `Api.pages`
 */
export async function* rowsNamed(
  api: Api,
  list: PagedEndpoint,
  name: string,
  options: LookIn,
): AsyncGenerator<RowOf<PagedEndpoint>> {
  let answered = false;
  try {
    for await (const row of rows(api, list, { name }, options)) {
      answered = true;
      yield row;
    }
  } catch (error) {
    if (answered || !(error instanceof Failure) || error.kind !== 'rejected') throw error;
    for await (const row of rows(api, list, {}, { signal: options.signal })) {
      if (belongs(row, options.teamId)) yield row;
    }
  }
}

async function* rows(
  api: Api,
  list: PagedEndpoint,
  filter: { readonly name?: string },
  { teamId, signal }: LookIn,
): AsyncGenerator<RowOf<PagedEndpoint>> {
  const query = { ...filter, ...(teamId !== undefined && list !== 'listTeams' && { team_id: teamId }) };
  for await (const page of api.pages(list, { query, ...(signal && { signal }) })) {
    for (const row of page.rows) {
      if (belongs(row, teamId)) yield row;
    }
  }
}

/** A row of another team shows that the service ignores the filter. One that names no team is kept. */
function belongs(row: RowOf<PagedEndpoint>, teamId: string | undefined): boolean {
  return (
    teamId === undefined ||
    typeof row.team_id !== 'string' ||
    row.team_id.toLowerCase() === teamId.toLowerCase()
  );
}

/** The best matches there are: exact ones, then for reads those in another case, then beginnings. */
function matches(all: readonly Candidate[], text: string, purpose: 'read' | 'write'): readonly Candidate[] {
  const exact = all.filter(({ name }) => name === text);
  if (exact.length > 0 || purpose === 'write' || text === '') return exact;
  const wanted = folded(text);
  const inAnotherCase = all.filter(({ name }) => folded(name) === wanted);
  if (inAnotherCase.length > 0) return inAnotherCase;
  return all.filter(({ name }) => folded(name).startsWith(wanted));
}

/** A text without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function several(noun: Noun, text: string, found: readonly Candidate[]): Failure {
  return new Failure('usage', `"${text}" could be any of ${found.length} ${noun.one}s.`, {
    hint: `Use the id of the one you mean:\n${listed(found)}`,
  });
}

function none(noun: Noun, text: string, all: readonly Candidate[], purpose: 'read' | 'write'): Failure {
  const close = suggestions(all, text);
  if (close.length === 0) {
    return new Failure('notFound', `There is no ${noun.one} named "${text}".`, {
      hint: `See what there is: ${noun.command}`,
    });
  }
  // A beginning or another case would do for a read; whoever changes something has to mean it.
  const strict = purpose === 'write' ? 'This takes an id or the exact name. ' : '';
  return new Failure('notFound', `There is no ${noun.one} named "${text}".`, {
    hint: `${strict}Did you mean ${close.length === 1 ? 'this' : 'one of these'}?\n${listed(close)}`,
  });
}

function listed(candidates: readonly Candidate[]): string {
  const lines = candidates.slice(0, mostListed).map(({ id, name }) => `  ${id}  ${oneLine(name, 80)}`);
  const more = candidates.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

/** Names that hold the text, or that a few slips of the finger lead to; the closest first. */
function suggestions(all: readonly Candidate[], text: string): readonly Candidate[] {
  const wanted = folded(text);
  if (wanted === '') return [];
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  return all
    .map((candidate) => {
      const name = folded(candidate.name);
      return { candidate, distance: name.includes(wanted) ? 0 : distance(name, wanted, allowed) };
    })
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ candidate }) => candidate);
}

/** Levenshtein distance, or more than `limit` where it is certain to be. */
function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
