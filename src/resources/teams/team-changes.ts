import type { Api } from '../../client/api.ts';
import { isObject, type JsonObject, ownMember } from '../../lib/json-object.ts';
import { groupedNumber, pluralize } from '../../lib/text/numbers.ts';
import type { Change } from '../bots/changes.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type QuotaName, type Quotas, quotaNames } from './quotas.ts';
import { type Team, teamValue } from './team.ts';
import { contentsOf, countedQuotas } from './usage.ts';

/** The writable members of a team. */
export interface TeamInput {
  readonly name?: string | undefined;
  readonly plan_name?: string | undefined;
  readonly paying?: boolean | undefined;
  readonly banned?: boolean | undefined;
  readonly quotas?: Quotas | undefined;
}

/** Returns the members that differ from what the service shows. A member that it doesn't show counts as different. */
export function teamChanges(team: Team, { quotas, ...written }: TeamInput): TeamInput {
  const changed = Object.entries(written).filter(
    ([name, value]) => value !== undefined && value !== teamValue(team, name),
  );
  return { ...Object.fromEntries(changed), ...changedQuotas(team.quotas, quotas) };
}

/**
 * Returns all six quotas if one of them changes: the specification withholds how a service treats missing ones, and it
 * may set them to zero.
 */
function changedQuotas(shown: Quotas, given: Quotas | undefined): { readonly quotas?: Quotas } {
  if (given === undefined) return {};
  const quotas = { ...shown, ...given };
  return quotaNames.some((name) => quotas[name] !== shown[name]) ? { quotas } : {};
}

/**
 * Returns a sentence for each quota that is lowered below the team's usage.
 * @throws Failure as `contentsOf`
 */
export async function exceededBy(
  api: Api,
  { id, quotas: shown }: Team,
  { quotas = {} }: TeamInput,
): Promise<readonly string[]> {
  const isLowered = (name: QuotaName): boolean => (quotas[name] ?? Infinity) < (shown[name] ?? Infinity);
  const lowered = countedQuotas.filter(isLowered);
  if (lowered.length === 0) return [];
  const { used } = await contentsOf(api, id);
  return lowered.flatMap((name) => {
    const allowed = quotas[name] ?? 0;
    return used[name] > allowed ? exceededText(name, used[name], allowed) : [];
  });
}

/** Returns the consequence of lowering a quota below the usage. */
export function exceededText(name: QuotaName, used: number, allowed: number): string {
  const may = groupedNumber(allowed);
  return `The team has ${pluralize(used, name.replace(/s$/, ''))}, above the new limit of ${may}. It keeps what it has but can't add any.`;
}

/** Returns each changed member with its current and new value; each quota is separate. */
export function changedMembers(
  { raw, quotas: shown }: Team,
  { quotas = {}, ...members }: TeamInput,
): readonly Change[] {
  const changed = quotaNames.filter((name) => quotas[name] !== shown[name]);
  return [
    ...Object.entries(members).map(([field, to]) => ({ field, from: ownMember(raw, field), to })),
    ...changed.flatMap((name) =>
      quotas[name] === undefined ? [] : { field: `quotas.${name}`, from: shown[name], to: quotas[name] },
    ),
  ];
}

/** Returns a sentence for each change. @param label the label of the team before the change */
function changesText({ name, plan_name: plan, paying, banned, quotas }: TeamInput, label: string): string {
  const team = `team ${name ?? label}`;
  const sentences = [
    name !== undefined && `Renamed team ${label} to ${name}.`,
    plan !== undefined && `Changed the plan of ${team} to ${plan}.`,
    paying !== undefined && `Marked ${team} as ${paying ? 'paying' : 'not paying'}.`,
    quotas && `Changed the quotas of ${team}.`,
    banned !== undefined && (banned ? `Banned ${team}.` : `Lifted the ban of ${team}.`),
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Sends the changes, or reports that there are none. Returns the updated team, with `changes`. */
export async function sendTeamChanges(
  { api, reporter, signal }: Pick<ResourceContext, 'api' | 'reporter' | 'signal'>,
  shown: Team,
  changes: TeamInput,
): Promise<JsonObject> {
  const { id, label, raw } = shown;
  if (Object.keys(changes).length === 0) {
    reporter.note(`Nothing to change: team ${label} already matches.`);
    return { ...raw, changes: [] };
  }
  const { data } = await api.call('updateTeam', { path: { id }, body: changes });
  reporter.done(changesText(changes, label));
  const { team } = data;
  // The specification withholds the form of the response, and another plan may have changed other quotas.
  const isDetail = isObject(team) && Object.keys(raw).every((member) => Object.hasOwn(team, member));
  if (isDetail) return { ...team, changes: data.changes };
  // A command that a signal ended makes no further call.
  if (signal.aborted) return { ...raw, ...changes, ...(isObject(team) && team), changes: data.changes };
  return { ...(await api.call('getTeam', { path: { id } })).data, changes: data.changes };
}
