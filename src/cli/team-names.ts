import { Failure } from '../lib/errors.ts';
import { Batches } from '../lib/iterables.ts';
import type { Row } from '../output/fields.ts';
import { formatFor } from '../output/present.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import { hasMembers, isRows } from '../output/values.ts';
import { inChunks } from '../output/write.ts';
import { toTeam } from '../resources/teams/team.ts';
import { largestPage } from '../settings/list-query.ts';
import type { Context, Session } from './context.ts';

type Result = Results[OutputShape['kind']];

/**
 * Returns the result with the names of the teams of its rows, if the format is `table` and no fields were picked. This
 * usually takes one call; teams missing from its response are shown by their ids.
 */
export async function withTeamNames(
  session: Context & Pick<Session, 'api'>,
  result: Result,
  shape: OutputShape,
): Promise<Result> {
  if (session.options.fields || !('fields' in shape) || formatFor(shape, session) !== 'table') return result;
  if (!shape.fields.some(({ shownAs }) => shownAs === 'team_name')) return result;
  const names = new TeamNames(session);
  if (shape.kind === 'list' || Array.isArray(result)) {
    return isRows(result) ? new Batches(addTeamNames(result, names)) : result;
  }
  if (!hasMembers(result) || isRows(result)) return result;
  const [row] = await names.addTo([result]);
  return row;
}

async function* addTeamNames(
  rows: readonly Row[] | AsyncIterable<Row>,
  names: TeamNames,
): AsyncGenerator<readonly Row[]> {
  for await (const chunk of inChunks(rows)) yield await names.addTo(chunk);
}

class TeamNames {
  readonly #names = new Map<string, string | undefined>();
  #isListed = false;

  constructor(readonly session: Pick<Session, 'api'>) {}

  async addTo(rows: readonly Row[]): Promise<readonly Row[]> {
    const ids = new Set(rows.flatMap(({ team_id: id }) => (typeof id === 'string' ? id : [])));
    const unknown = [...ids].filter((id) => !this.#names.has(id));
    const [first, ...others] = unknown;
    if (first !== undefined && others.length === 0) await this.#read(first);
    else if (first !== undefined && !this.#isListed) await this.#list();
    return rows.map((row) => {
      const name = typeof row.team_id === 'string' ? this.#names.get(row.team_id) : undefined;
      return name === undefined ? row : { ...row, team_name: name };
    });
  }

  async #read(id: string): Promise<void> {
    const team = await ignoreFailure(this.session.api.call('getTeam', { path: { id } }));
    this.#names.set(id, team && toTeam(team.data).name);
  }

  async #list(): Promise<void> {
    this.#isListed = true;
    const pages = this.session.api.pages('listTeams', { perPage: largestPage });
    const first = await ignoreFailure(pages[Symbol.asyncIterator]().next());
    for (const { id, name } of first?.done ? [] : (first?.value.rows ?? [])) {
      if (typeof id === 'string' && typeof name === 'string') this.#names.set(id, name);
    }
  }
}

/** Returns undefined if the call fails: names are only a help, so the result is then shown without them. */
async function ignoreFailure<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
