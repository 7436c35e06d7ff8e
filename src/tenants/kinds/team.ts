import { Failure, inputFailure } from '../../lib/errors.ts';
import { own, textOf } from '../../lib/json-object.ts';
import { isSameValue } from '../../resources/bots/editable.ts';
import { quotaNames } from '../../resources/teams/quotas.ts';
import { createTeam, type Team, teamValue, toTeam } from '../../resources/teams/team.ts';
import { exceededText, type TeamInput, teamChanges } from '../../resources/teams/team-changes.ts';
import { countedQuotas } from '../../resources/teams/usage.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import { type DeclaredField, revealed } from '../desired.ts';
import { keptFields, objectAt } from '../state-file.ts';
import type { Kind } from './carry-out.ts';
import { nameKept } from './key-changed.ts';
import {
  actionFor,
  adoption,
  asNew,
  compared,
  foundOf,
  type Known,
  type ObjectPlan,
  rowFound,
} from './kind.ts';

/** What a create doesn't take. */
const givenLater: ReadonlySet<string> = new Set(['paying', 'banned']);

export const team: Kind<DeclaredTenant> = {
  plan: (known) => planTeam(known),
  later: givenLater,

  async create(doing, tenant) {
    const { address, administrator, fields } = tenant;
    if (!administrator) throw inputFailure([`${address} has no administrator.`]);
    const text = ({ value }: DeclaredField): string => String(revealed(value));
    const { name, plan_name, quotas } = inputOf(tenant);
    const set = { name, plan_name, ...(quotas && { quotas }) };
    const { email, phone } = administrator;
    const user = { name: text(administrator.name), email: text(email), phone: text(phone) };
    const sent = Object.entries(fields).filter(([field]) => !givenLater.has(field));
    const entry = { created: true, ...keptFields(sent) };
    await doing.createOnce({ noun: 'team', address, name: name ?? '', set, entry }, () =>
      createTeam(doing.context.api, { body: { user, team: set } }),
    );
  },

  async adopt(doing, { address, fields }, { id, differences }) {
    const others = new Set(differences.map(({ field }) => field));
    const same = Object.entries(fields).filter(([field]) => !others.has(field));
    await doing.state.keep(address, { id, ...keptFields(same) });
  },

  async update(doing, tenant, fields) {
    const { address } = tenant;
    const { api } = doing.context;
    const id = doing.idOf(address);
    const latest = toTeam((await api.call('getTeam', { path: { id } })).data);
    const planned = rowFound(doing.known, address);
    const isOurs = (field: string): boolean => fields.includes(field);
    const input = inputOf(tenant, isOurs);
    const before = planned && toTeam(planned);
    const lost = fields.filter((field) => {
      const [was, is] = [before && teamValue(before, field), teamValue(latest, field)];
      const wanted = own(tenant.fields, field)?.value;
      return before && !isSameValue(field, was, is) && wanted !== undefined && is !== revealed(wanted);
    });
    if (lost.length > 0)
      throw new Failure('rejected', `Somebody else changed ${lost.join(', ')} meanwhile. Nothing was sent.`);
    const body = teamChanges(latest, input);
    if (Object.keys(body).length > 0) await api.call('updateTeam', { path: { id }, body });
    await doing.state.keep(address, {
      ...objectAt(doing.state, address),
      id,
      ...keptFields(Object.entries(tenant.fields)),
    });
  },
};

/** Returns those of the declared fields that are to be sent. */
function inputOf({ fields }: DeclaredTenant, isSent: (field: string) => boolean = () => true): TeamInput {
  const value = (field: keyof typeof fields): unknown =>
    isSent(field) && fields[field] ? revealed(fields[field].value) : undefined;
  const text = (field: 'name' | 'plan_name'): string | undefined => textOf(value(field));
  const flag = (field: 'paying' | 'banned'): boolean | undefined => {
    const given = value(field);
    return typeof given === 'boolean' ? given : undefined;
  };
  const quotas = quotaNames.flatMap((name) => {
    const given = value(`quotas.${name}`);
    return given === undefined ? [] : [[name, Number(given)] as const];
  });
  return {
    ...{ name: text('name'), plan_name: text('plan_name'), paying: flag('paying'), banned: flag('banned') },
    ...(quotas.length > 0 && { quotas: Object.fromEntries(quotas) }),
  };
}

type RiskLine = ObjectPlan['risks'][number];

/** Plans the team of a tenant. */
function planTeam(known: Known): ObjectPlan {
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
  const changed = nameKept(known, plan);
  if (changed) return { ...plan, ...changed };
  if (found.state === 'absent' || found.state === 'gone') {
    const missing = missingToCreate(known);
    const reason = found.state === 'gone' ? 'gone' : 'new';
    const again: RiskLine = {
      risk: 'recreate',
      says: 'The team of the lock is not there any more; another one would be made, with another id.',
    };
    return {
      ...plan,
      ...(missing.length > 0
        ? ({ action: 'none', reason: 'impossible' } as const)
        : ({ action: 'create', reason } as const)),
      differences: asNew(fields).differences,
      impossible: missing,
      risks: [...(found.state === 'gone' ? [again] : []), ...bans(known, undefined)],
    };
  }
  const team = toTeam(found.row);
  const entry = objectAt(lock, tenant.address);
  const { differences, unverifiable } = compared(fields, (field) => teamValue(team, field), entry);
  const isAlike = found.state === 'alike';
  return {
    ...plan,
    ...actionFor({ differences, unverifiable }, isAlike),
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

/** Says what a create needs beyond what any declaration has. */
function missingToCreate({ tenant: { administrator, fields } }: Known): readonly string[] {
  const missing = [!administrator && 'administrator', !fields.plan_name && 'plan_name'].filter(
    (one) => one !== false,
  );
  if (missing.length === 0) return [];
  return [`There is no such team, and it can't be created without ${missing.join(' and ')}: write it there.`];
}

function bans({ tenant: { fields } }: Known, team: Team | undefined): readonly RiskLine[] {
  if (fields.banned?.value !== true || team?.banned) return [];
  return [{ risk: 'ban', says: 'The team would be banned: its devices send nothing any more.' }];
}

function lowered({ tenant: { fields }, live }: Known, team: Team): readonly RiskLine[] {
  const used = live.usage.get(team.id);
  if (!used) return [];
  return countedQuotas.flatMap((name) => {
    const field = fields[`quotas.${name}`];
    const allowed = field && Number(revealed(field.value));
    const isLower = allowed !== undefined && allowed < (team.quotas[name] ?? 0);
    const has = used[name] ?? 0;
    if (!isLower || has <= allowed) return [];
    return [{ risk: 'lower-quota' as const, says: exceededText(name, has, allowed) }];
  });
}
