import type { Api } from '../../client/api.ts';
import { isSameId } from '../../lib/ids.ts';
import { textOf } from '../../lib/json-object.ts';
import { counted } from '../../lib/text/numbers.ts';
import { mostSimilar } from '../../lib/text/similar.ts';

/** Teams that are read at most: enough to see which plans are in use, and few calls. */
const maxTeams = 500;

/**
 * Returns a warning if no other team has a plan but a team has one with a similar name, so that it may be misspelled:
 * the API takes any text as a plan. A new plan whose name is like no other gets no warning.
 * @param teamId the team that gets the plan, if it exists already
 * @throws Failure as `Api.pages`
 */
export async function similarPlanWarning(
  api: Api,
  plan: string,
  teamId?: string,
): Promise<string | undefined> {
  const teamsByPlan = new Map<string, number>();
  let read = 0;
  for await (const { rows } of api.pages('listTeams')) {
    for (const row of rows) {
      const used = textOf(row.plan_name);
      if (used === undefined) continue;
      const isOther = teamId === undefined || !isSameId(row.id, teamId);
      if (isOther && used === plan) return undefined;
      teamsByPlan.set(used, (teamsByPlan.get(used) ?? 0) + 1);
    }
    read += rows.length;
    if (read >= maxTeams) break;
  }
  const similar = mostSimilar(plan, teamsByPlan.keys());
  if (similar === undefined) return undefined;
  const count = teamsByPlan.get(similar) ?? 0;
  const where = read >= maxTeams ? `Of ${counted(read, 'team')}, none has` : 'No other team has';
  return `${where} plan ${plan}; ${counted(count, 'team')} ${count === 1 ? 'has' : 'have'} plan ${similar}.`;
}
