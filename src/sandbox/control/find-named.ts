import { uuid } from '../../contract/schema.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import { SandboxProblem } from '../problem.ts';
import type { Service } from '../service.ts';

const nouns = { bots: 'bot', devices: 'device' } as const;

/**
 * Returns the row that has an id or an exact name.
 * @throws Failure `notFound` if none has it, with a similar name, `invalidInput` if several have the name, with their teams
 */
export async function oneNamed(
  { store: { db } }: Service,
  table: keyof typeof nouns,
  named: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const found = await db
    .selectFrom(table)
    .select(['id', 'name', 'team_id'])
    .where(isId(named) ? 'id' : 'name', '=', isId(named) ? named.toLowerCase() : named)
    .execute();
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (!only) throw noneNamed(nouns[table], named, await db.selectFrom(table).select('name').execute());
  const teams = await db.selectFrom('teams').select(['id', 'name']).execute();
  const nameOf = new Map(teams.map(({ id, name }) => [id, name]));
  const told = found.map(({ id, team_id: teamId }) => `${id} (team ${nameOf.get(teamId) ?? teamId})`);
  throw severalNamed(nouns[table], named, told);
}

/**
 * Returns the key that has an id or an exact name.
 * @throws Failure `notFound` if none has it, with a similar name, `invalidInput` if several have the name
 */
export async function keyNamed(
  { store: { db } }: Service,
  named: string,
): Promise<{ readonly key_id: string; readonly name: string }> {
  const keys = await db.selectFrom('api_keys').select(['key_id', 'name']).execute();
  const byId = keys.find(({ key_id: id }) => id === named);
  if (byId) return byId;
  // A word in the form of an id is no name here either, though ids of keys have another form.
  const found = isId(named) ? [] : keys.filter(({ name }) => name === named);
  const [only, ...others] = found;
  if (!only) throw noneNamed('key', named, keys);
  if (others.length === 0) return only;
  throw severalNamed(
    'key',
    named,
    found.map(({ key_id: id }) => id),
  );
}

function isId(named: string): boolean {
  return uuid.safeParse(named).success;
}

type Noun = 'bot' | 'device' | 'key';

function noneNamed(noun: Noun, named: string, all: readonly { readonly name: string }[]): Failure {
  const message = `The sandbox has no ${noun} ${named}.`;
  const similar = mostSimilar(named, new Set(all.map(({ name }) => name)));
  return similar === undefined
    ? new SandboxProblem(message, { code: 'nameUnknown', noun }, { kind: 'notFound' })
    : new Failure('notFound', message, { hint: didYouMean(similar) });
}

function severalNamed(noun: Noun, named: string, told: readonly string[]): Failure {
  return inputFailure([`Several ${noun}s are named ${named}: ${told.join(', ')}.`], 'Give the id of one.');
}
