import { Failure, inputFailure } from '../../lib/errors.ts';
import { asText, ownMember } from '../../lib/json-object.ts';
import { isSameValue } from '../../resources/bots/editable.ts';
import { quotaNames } from '../../resources/teams/quotas.ts';
import { createTeam, type Team, teamValue, toTeam } from '../../resources/teams/team.ts';
import { exceededText, type TeamInput, teamChanges } from '../../resources/teams/team-changes.ts';
import { countedQuotas } from '../../resources/teams/usage.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import { fieldText, quotaOf, revealValue } from '../desired.ts';
import { objectAt, recordedFields } from '../state-file.ts';
import { nameUnchanged } from './key-changed.ts';
import {
  compareFields,
  emptyPlan,
  foundRow,
  type Known,
  type ObjectPlan,
  planExisting,
  planNew,
} from './kind.ts';
import type { DeclaredObject } from './kind-context.ts';

/** The fields that are set after the create of a team, which does not accept them. */
export const setAfterCreate: ReadonlySet<string> = new Set(['paying', 'banned']);

/** Returns the handler of a tenant's team. */
export function team(tenant: DeclaredTenant): DeclaredObject {
  const { address, administrator, fields: declared } = tenant;
  return {
    address,
    plan: planTeam,

    async create(kindContext) {
      if (!administrator) throw inputFailure([`${address} has no administrator.`]);
      const { name, plan_name, quotas } = inputOf(tenant);
      const set = { name, plan_name, ...(quotas && { quotas }) };
      const { email, phone } = administrator;
      const user = { name: fieldText(administrator.name), email: fieldText(email), phone: fieldText(phone) };
      const sent = Object.entries(declared).filter(([field]) => !setAfterCreate.has(field));
      const entry = { created: true, ...recordedFields(sent) };
      await kindContext.createOnce({ noun: 'team', address, name: name ?? '', set, entry }, () =>
        createTeam(kindContext.context.api, { body: { user, team: set } }),
      );
    },

    async adopt(kindContext, { id, differences }) {
      const others = new Set(differences.map(({ field }) => field));
      const same = Object.entries(declared).filter(([field]) => !others.has(field));
      await kindContext.state.set(address, { id, ...recordedFields(same) });
    },

    async update(kindContext, fields) {
      const { api } = kindContext.context;
      const id = kindContext.idOf(address);
      const latest = toTeam((await api.call('getTeam', { path: { id } })).data);
      const planned = foundRow(kindContext.known, address);
      const before = planned && toTeam(planned);
      const overwritten = fields.filter((field) => {
        const [was, is] = [before && teamValue(before, field), teamValue(latest, field)];
        const wanted = ownMember(declared, field)?.value;
        return before && !isSameValue(field, was, is) && wanted !== undefined && is !== revealValue(wanted);
      });
      if (overwritten.length > 0)
        throw new Failure(
          'rejected',
          `Someone else has changed ${overwritten.join(', ')} since the plan. Nothing was sent.`,
        );
      const body = teamChanges(latest, inputOf(tenant, fields));
      if (Object.keys(body).length > 0) await api.call('updateTeam', { path: { id }, body });
      const kept = recordedFields(Object.entries(declared));
      await kindContext.state.set(address, { ...objectAt(kindContext.state, address), id, ...kept });
    },
  };
}

/** Returns the declared fields to send. */
function inputOf(tenant: DeclaredTenant, sent: readonly string[] = Object.keys(tenant.fields)): TeamInput {
  const value = (field: keyof typeof tenant.fields): unknown =>
    sent.includes(field) && tenant.fields[field] ? revealValue(tenant.fields[field].value) : undefined;
  const text = (field: 'name' | 'plan_name'): string | undefined => asText(value(field));
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

function planTeam(known: Known): ObjectPlan {
  const { address, fields: declared } = known.tenant;
  const plan = emptyPlan('team', address, fieldText(declared.name));
  const changed = nameUnchanged(known, plan);
  if (changed) return { ...plan, ...changed };
  const fields = Object.entries(declared);
  const row = foundRow(known, address);
  if (!row) {
    const newPlan = planNew(known, plan, fields, 'with a different id');
    return {
      ...newPlan,
      impossible: missingToCreate(known),
      risks: [...newPlan.risks, ...bans(known, undefined)],
    };
  }
  const team = toTeam(row);
  const there = planExisting(
    known,
    plan,
    row,
    compareFields(known, address, fields, (field) => teamValue(team, field)),
  );
  return { ...there, risks: [...there.risks, ...bans(known, team), ...lowered(known, team)] };
}

/** Reports fields that a create needs beyond the required ones. */
function missingToCreate({ tenant: { administrator, fields } }: Known): readonly string[] {
  const missing = [!administrator && 'administrator', !fields.plan_name && 'plan_name'].filter(
    (one) => one !== false,
  );
  if (missing.length === 0) return [];
  return [`The team does not exist, and to create it the files must declare ${missing.join(' and ')}.`];
}

function bans({ tenant: { fields } }: Known, team: Team | undefined): readonly RiskLine[] {
  if (fields.banned?.value !== true || team?.banned) return [];
  return [{ risk: 'ban', says: 'The team would be banned: its devices could not send.' }];
}

function lowered({ tenant, live }: Known, team: Team): readonly RiskLine[] {
  const used = live.usage.get(team.id);
  if (!used) return [];
  return countedQuotas.flatMap((name) => {
    const allowed = quotaOf(tenant, name);
    const isLower = allowed !== undefined && allowed < (team.quotas[name] ?? 0);
    const has = used[name] ?? 0;
    if (!isLower || has <= allowed) return [];
    return [{ risk: 'lower-quota' as const, says: exceededText(name, has, allowed) }];
  });
}
