import type { Api } from '../../client/api.ts';
import { isSameId } from '../../lib/ids.ts';
import { asText } from '../../lib/json-object.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { mostSimilar } from '../../lib/text/similar.ts';

/** The maximum number of teams that are read: enough to see which plans are in use, with few calls. */
const maxTeams = 500;

/** The maximum number of plans in a warning. */
const shownPlans = 6;

/**
 * Returns a warning if other teams have plans and none has this one, so that it may be misspelled: the API accepts any text
 * as a plan. There is none if the service shows no plans.
 * @param teamId the team that gets the plan, if it exists already
 * @throws Failure as `Api.pages`
 */
export async function newPlanWarning(api: Api, plan: string, teamId?: string): Promise<string | undefined> {
  const others = new Set<string>();
  let own: string | undefined;
  let read = 0;
  for await (const { rows } of api.pages('listTeams')) {
    for (const row of rows) {
      const used = asText(row.plan_name);
      if (used === undefined) continue;
      if (teamId !== undefined && isSameId(row.id, teamId)) own = used;
      else if (used === plan) return undefined;
      else others.add(used);
    }
    read += rows.length;
    if (read >= maxTeams) break;
  }
  // The team's current plan does not prove which plans exist, unless the new one resembles it.
  const similar = mostSimilar(plan, own === undefined ? others : [...others, own]);
  const known = [...new Set([...(similar === undefined ? [] : [similar]), ...[...others].toSorted()])];
  if (known.length === 0) return undefined;
  const where =
    read >= maxTeams ? `No other of the first ${pluralize(read, 'team')} has` : 'No other team has';
  const more = known.length > shownPlans ? ', …' : '';
  return `${where} plan ${plan}. Known plans: ${known.slice(0, shownPlans).join(', ')}${more}.`;
}
