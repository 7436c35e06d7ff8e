import { uuid } from '../../contract/schema.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import type { Service } from '../service.ts';
import { ControlProblem } from './problem.ts';

/** The nouns of the tables whose rows are named, and the command that lists them. */
const nouns = {
  bots: { one: 'bot', list: remark`See them all: ${command('bots', 'list')}` },
  devices: { one: 'device', list: remark`See those you know: ${command('device', 'list')}` },
} as const;

/**
 * Returns the row that has an id or an exact name.
 * @throws ControlProblem if none has, with a similar name, or if several have the name, with their teams
 */
export async function oneNamed(
  { store: { db } }: Service,
  table: 'bots' | 'devices',
  named: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const found = await db
    .selectFrom(table)
    .select(['id', 'name', 'team_id'])
    .where(uuid.safeParse(named).success ? 'id' : 'name', '=', named)
    .execute();
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (only) {
    const teams = await db.selectFrom('teams').select(['id', 'name']).execute();
    const nameOf = new Map(teams.map(({ id, name }) => [id, name]));
    const told = found.map(({ id, team_id: teamId }) => `${id} (team ${nameOf.get(teamId) ?? teamId})`);
    throw new ControlProblem(
      400,
      `Several ${table} are named ${named}: ${told.join(', ')}.`,
      'Give the id of one.',
    );
  }
  const all = await db.selectFrom(table).select('name').execute();
  const similar = mostSimilar(named, new Set(all.map(({ name }) => name)));
  const { one, list } = nouns[table];
  const hint = similar === undefined ? list : `Did you mean ${similar}?`;
  throw new ControlProblem(404, `The sandbox has no ${one} ${named}.`, hint);
}
