import { own } from '../../lib/own.ts';
import { type Team, toTeam } from '../../resources/teams/team.ts';
import { exceededText } from '../../resources/teams/team-changes.ts';
import { countedQuotas } from '../../resources/teams/usage.ts';
import { revealed } from '../desired.ts';
import { asNew, type Compared, compared, foundOf, type Known, type ObjectPlan } from './kind.ts';

type RiskLine = ObjectPlan['risks'][number];

/** Plans the team of a tenant. */
export function planTeam(known: Known): ObjectPlan {
  const { tenant, lock } = known;
  const found = foundOf(known, tenant.address);
  const fields = Object.entries(tenant.fields);
  const plan = {
    address: tenant.address,
    kind: 'team',
    name: String(revealed(tenant.fields.name.value)),
    needs: [],
    impossible: [],
    risks: [],
    unverifiable: [],
  } as const;
  if (found.state === 'absent' || found.state === 'gone') {
    const missing = missingToCreate(known);
    const action = found.state === 'gone' ? 'recreate' : 'create';
    const again: RiskLine = {
      risk: 'recreate',
      says: 'The team of the lock is not there any more; another one would be made, with another id.',
    };
    return {
      ...plan,
      action: missing.length > 0 ? 'none' : action,
      differences: asNew(fields).differences,
      impossible: missing,
      risks: [...(found.state === 'gone' ? [again] : []), ...bans(known, undefined)],
    };
  }
  const team = toTeam(found.row);
  const entry = lock.entries.get(tenant.address);
  const { differences, unverifiable } = compared(fields, (field) => shownBy(team, field), entry);
  const isAlike = found.state === 'alike';
  return {
    ...plan,
    action: isAlike ? 'adopt' : differences.length > 0 ? 'update' : 'none',
    id: team.id,
    differences,
    unverifiable,
    risks: [
      ...adoption(isAlike, { differences, unverifiable }, 'team'),
      ...bans(known, team),
      ...lowered(known, team),
    ],
  };
}

function shownBy({ raw, quotas }: Team, field: string): unknown {
  return field.startsWith('quotas.') ? own(quotas, field.slice('quotas.'.length)) : own(raw, field);
}

/** Says what a create needs beyond what any declaration has. */
function missingToCreate({ tenant: { administrator, fields } }: Known): readonly string[] {
  const missing = [!administrator && 'administrator', !fields.plan_name && 'plan_name'].filter(
    (one) => one !== false,
  );
  if (missing.length === 0) return [];
  return [`There is no such team, and it can't be created without ${missing.join(' and ')}: write it there.`];
}

/** Says that something was found by its name and is not what the files say. */
export function adoption(
  isAlike: boolean,
  { differences, unverifiable }: Compared,
  noun: string,
): readonly RiskLine[] {
  const others = [...differences.map(({ field }) => field), ...unverifiable];
  if (!isAlike || others.length === 0) return [];
  const says = `A ${noun} of this name is there, and may be another one: it differs in ${others.join(', ')}.`;
  return [{ risk: 'adopt', says }];
}

function bans({ tenant: { fields } }: Known, team: Team | undefined): readonly RiskLine[] {
  if (fields.banned?.value !== true || team?.raw.banned === true) return [];
  return [{ risk: 'ban', says: 'The team would be banned: its devices send nothing any more.' }];
}

function lowered({ tenant: { fields }, live }: Known, team: Team): readonly RiskLine[] {
  const used = live.usage.get(team.id);
  if (!used) return [];
  return countedQuotas.flatMap((name) => {
    const field = fields[`quotas.${name}`];
    const allowed = field && Number(revealed(field.value));
    const isLower = allowed !== undefined && allowed < (team.quotas[name] ?? 0);
    if (!isLower || used[name] <= allowed) return [];
    return [{ risk: 'lower-quota' as const, says: exceededText(name, used[name], allowed) }];
  });
}
