import { Failure, inputFailure } from '../lib/errors.ts';
import { firstFew } from '../lib/text/sentence.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import { originOf } from '../settings/base-url.ts';
import { changeLocked } from './apply-lock.ts';
import { readKnownState } from './make-plan.ts';
import { forEachConcurrently, readRow } from './read-rows.ts';

/** A state file that can be bound to another address, since all of its teams exist there. */
export interface Rebinding {
  readonly path: string;
  /** The current origin. */
  readonly before: string;
  /** The new origin. */
  readonly origin: string;
  /** The number of teams that were found by id. */
  readonly teams: number;
}

/** More teams than these are counted but not named. */
const maxNamed = 5;

/**
 * Checks that all teams of a state file exist, by their ids, at the address of this command.
 * @param named path of the state file, if given
 * @throws Failure `notFound` without a state file, `invalidInput` for one without teams, `rejected` if one of the teams does not
 * exist; as `readKnownState` and `Api.call`
 */
export async function checkRebind(
  context: Pick<ResourceContext, 'api' | 'signal'>,
  named: string | undefined,
): Promise<Rebinding> {
  const { api } = context;
  const { path, state } = readKnownState(named);
  if (state.origin === '') throw new Failure('notFound', `${path} not found.`);
  const origin = originOf(api.baseUrl);
  const teams = [...state.entries].flatMap(([address, { id }]) =>
    id === undefined || address.includes('/') ? [] : [{ address, id }],
  );
  if (teams.length === 0)
    throw inputFailure([`${path} has no team, so it can't be checked against ${origin}.`]);
  const missing: string[] = [];
  if (state.origin !== origin)
    await forEachConcurrently(context, teams, async ({ address, id }) => {
      const row = await readRow(context, 'getTeam', id);
      if (!row) missing.push(`${address} (${id})`);
    });
  if (missing.length > 0)
    throw new Failure('notFound', `${origin} has no ${firstFew(missing.sort(), maxNamed)}.`, {
      hint: `${path} belongs to ${state.origin}, which seems to be another service. Use --lock to name another state file. Nothing was written.`,
    });
  return { path, before: state.origin, origin, teams: teams.length };
}

/**
 * Writes the new address into a state file.
 * @throws Failure `invalidInput` if it has changed to a third address since; as `changeLocked`
 */
export async function rebindState(
  context: Parameters<typeof changeLocked>[0],
  path: string,
  { before, origin }: Pick<Rebinding, 'before' | 'origin'>,
): Promise<void> {
  await changeLocked(context, path, undefined, (lock) => {
    if (lock.origin === before) return { ...lock, origin };
    throw new Failure('invalidInput', `${path} now belongs to ${lock.origin}.`, { hint: 'Run it again.' });
  });
}
