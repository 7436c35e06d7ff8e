import { uuid } from '../../contract/schema.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { capitalised } from '../../lib/text/sentence.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import { SandboxProblem } from '../problem.ts';
import type { Service } from '../service.ts';

/** The id and name of a bot, a device or a key, and its team. */
interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly team_id?: string;
}

/**
 * Returns the object with an id or an exact name. A name in the form of a UUID is treated as an id.
 * @throws Failure `notFound` with a similar name if there is none, `invalidInput` with the teams if several have the
 * name
 */
export async function findNamed(
  { store: { db } }: Service,
  noun: 'bot' | 'device' | 'key',
  named: string,
): Promise<NamedRow> {
  const all: readonly NamedRow[] =
    noun === 'key'
      ? await db.selectFrom('api_keys').select(['key_id as id', 'name']).execute()
      : await db.selectFrom(`${noun}s`).select(['id', 'name', 'team_id']).execute();
  const isUuid = uuid.safeParse(named).success;
  const byId = all.find(({ id }) => id === (isUuid ? named.toLowerCase() : named));
  const found = byId ? [byId] : all.filter(({ name }) => !isUuid && name === named);
  const [only, ...others] = found;
  if (!only) {
    const message = `${capitalised(noun)} ${named} not found in the sandbox.`;
    const hint = didYouMean(mostSimilar(named, new Set(all.map(({ name }) => name))));
    if (hint !== undefined) throw new Failure('notFound', message, { hint });
    throw new SandboxProblem(message, { code: 'nameUnknown', noun }, { kind: 'notFound' });
  }
  if (others.length === 0) return only;
  const teams = await db.selectFrom('teams').select(['id', 'name']).execute();
  const nameOf = new Map(teams.map(({ id, name }) => [id, name]));
  const ids = found.map(({ id, team_id: team }) => (team ? `${id} (team ${nameOf.get(team)})` : id));
  throw inputFailure([`Several ${noun}s are named ${named}: ${ids.join(', ')}.`], 'Use the id.');
}
