import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { own } from '../../lib/own.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type Quotas, quotaNames } from './quotas.ts';
import type { Team } from './team.ts';

/** The members of a team that may be written. */
export interface TeamInput {
  readonly name?: string | undefined;
  readonly plan_name?: string | undefined;
  readonly paying?: boolean | undefined;
  readonly banned?: boolean | undefined;
  readonly quotas?: Quotas | undefined;
}

/** Returns what differs from what the service shows. A member that it doesn't show counts as different. */
export function teamChanges(
  { raw, quotas: shownQuotas }: Team,
  { quotas, ...written }: TeamInput,
): TeamInput {
  const changed = Object.entries(written).filter(
    ([name, value]) => value !== undefined && value !== own(raw, name),
  );
  return { ...Object.fromEntries(changed), ...changedQuotas(shownQuotas, quotas) };
}

/**
 * Returns all six quotas if one of them changes: what a service does with the missing ones is withheld, and it
 * may take them for zero.
 */
function changedQuotas(shown: Quotas, given: Quotas | undefined): { readonly quotas?: Quotas } {
  if (given === undefined) return {};
  const quotas = { ...shown, ...given };
  return quotaNames.some((name) => quotas[name] !== shown[name]) ? { quotas } : {};
}

/** Sends the changes, or says that there are none. Returns the team as it is afterwards, with `changes`. */
export async function sendTeamChanges(
  { api, reporter }: Pick<ResourceContext, 'api' | 'reporter'>,
  shown: Team,
  changes: TeamInput,
): Promise<JsonObject> {
  const { id, label, raw } = shown;
  if (Object.keys(changes).length === 0) {
    reporter.note(`Nothing to change: team ${label} is like that already.`);
    return { ...raw, changes: [] };
  }
  const { data } = await api.call('updateTeam', { path: { id }, body: changes });
  reporter.done(`Changed ${Object.keys(changes).join(', ')} of team ${changes.name ?? label}.`);
  const { team } = data;
  // Which form an update answers is withheld, and another plan may have brought other quotas.
  const isDetail = isObject(team) && Object.keys(raw).every((member) => Object.hasOwn(team, member));
  const latest = isDetail ? team : (await api.call('getTeam', { path: { id } })).data;
  return { ...latest, changes: data.changes };
}
