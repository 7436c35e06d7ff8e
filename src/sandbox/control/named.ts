import { uuid } from '../../contract/schema.ts';
import { command, type Remark, remark } from '../../lib/text/remark.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import type { Service } from '../service.ts';
import { ControlProblem } from './problem.ts';

/** The nouns of the tables whose rows are named. */
interface Noun {
  readonly one: string;
  readonly many: string;
  /** Where they are listed. */
  readonly list: Remark;
}

const key = { one: 'key', many: 'keys', list: remark`See them all: ${command('keys', 'list')}` };
const nouns = {
  bots: { one: 'bot', many: 'bots', list: remark`See them all: ${command('bots', 'list')}` },
  devices: {
    one: 'device',
    many: 'devices',
    list: remark`See those you know: ${command('device', 'list')}`,
  },
} as const satisfies Readonly<Record<string, Noun>>;

/**
 * Returns the row that has an id or an exact name.
 * @throws ControlProblem if none has, with a similar name, or if several have the name, with their teams
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
 * @throws ControlProblem if none has, with a similar name, or if several have the name
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
  if (!only) throw noneNamed(key, named, keys);
  if (others.length === 0) return only;
  throw severalNamed(
    key,
    named,
    found.map(({ key_id: id }) => id),
  );
}

function isId(named: string): boolean {
  return uuid.safeParse(named).success;
}

function noneNamed({ one, list }: Noun, named: string, all: readonly { readonly name: string }[]) {
  const similar = mostSimilar(named, new Set(all.map(({ name }) => name)));
  const hint = similar === undefined ? list : `Did you mean ${similar}?`;
  return new ControlProblem(404, `The sandbox has no ${one} ${named}.`, hint);
}

function severalNamed({ many }: Noun, named: string, told: readonly string[]): ControlProblem {
  return new ControlProblem(
    400,
    `Several ${many} are named ${named}: ${told.join(', ')}.`,
    'Give the id of one.',
  );
}
