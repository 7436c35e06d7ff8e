import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { DataOf } from '../../contract/endpoints.ts';
import { quotaNames, teamDetail, team as teamSchema, user as userSchema } from '../../contract/teams.ts';
import { foldForSearch } from '../../database/differences.ts';
import { checkNames } from '../http/check.ts';
import { planQuotas, type Quotas } from '../plans.ts';
import { type Handlers, Refusal } from '../service.ts';
import { shownRow } from '../shown-row.ts';
import { emailKey, sharesEmails } from '../store/emails.ts';
import { changeRows } from '../store/locks.ts';
import type { TeamsTable } from '../store/tables.ts';
import { nameContains, readPage } from './pages.ts';

type Team = Selectable<TeamsTable>;

/** The store has 32 bits for a quota. */
const maxQuota = 2 ** 31 - 1;

/** The handlers of teams and their administrators. */
export const teamHandlers: Handlers<'createTeam' | 'listTeams' | 'getTeam' | 'updateTeam'> = {
  async createTeam({ store, clock }, { body }) {
    const { name, plan_name, quotas } = body.team;
    checkNames({ 'user.name': body.user.name, 'team.name': name, 'team.plan_name': plan_name });
    checkQuotas(quotas);
    const now = clock.now();
    return changeRows(store, async (db) => {
      const team = await db
        .insertInto('teams')
        .values({
          id: randomUUID(),
          name,
          name_folded: foldForSearch(name),
          plan_name,
          paying: false,
          banned: false,
          ...quotaColumns({ ...planQuotas(plan_name), ...quotas }),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const user = await db
        .insertInto('users')
        .values({
          id: randomUUID(),
          team_id: team.id,
          ...body.user,
          email_key: (await sharesEmails(db)) ? null : emailKey(body.user.email),
          created_at: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirstOrThrow(
          () => new Refusal('BAD_REQUEST', `There is a user with the e-mail ${body.user.email} already.`),
        );
      return { data: { team: teamOf(team), user: shownRow(userSchema, user) } };
    });
  },

  async listTeams({ store }, { query }) {
    let found = store.db.selectFrom('teams').selectAll();
    if (query.name !== undefined) found = found.where(nameContains(store, query.name));
    if (query.paying !== undefined) found = found.where('paying', '=', query.paying);
    const { rows, paging } = await readPage(found, query);
    return { data: rows.map(teamOf), meta: paging };
  },

  async getTeam({ store }, { path }) {
    const row = await store.db
      .selectFrom('teams')
      .selectAll()
      .where('id', '=', path.id)
      .executeTakeFirstOrThrow(() => teamNotFound(path.id));
    return { data: teamDetailOf(row) };
  },

  async updateTeam({ store, clock }, { path, body }) {
    const { quotas, ...fields } = body;
    checkNames({ name: fields.name, plan_name: fields.plan_name });
    checkQuotas(quotas);
    return changeRows(store, async (db) => {
      const before = await db
        .selectFrom('teams')
        .selectAll()
        .where('id', '=', path.id)
        .forUpdate()
        .executeTakeFirstOrThrow(() => teamNotFound(path.id));
      const after: Team = {
        ...before,
        ...fields,
        name_folded: foldForSearch(fields.name ?? before.name),
        ...quotaColumns({ ...quotasOf(before), ...quotas }),
      };
      const changes = changesOf(before, after);
      if (changes.length > 0) {
        after.updated_at = clock.now();
        await db.updateTable('teams').set(after).where('id', '=', before.id).execute();
      }
      return { data: { team: teamDetailOf(after), changes } };
    });
  },
};

/** Returns the error for an unknown team id. */
function teamNotFound(id: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no team ${id}.`);
}

function checkQuotas(given: Partial<Quotas> | undefined): void {
  const tooLarge = quotaNames.find((name) => (given?.[name] ?? 0) > maxQuota);
  if (tooLarge) throw new Refusal('BAD_REQUEST', `quotas.${tooLarge} may be ${maxQuota} at most.`);
}

function changesOf(before: Team, after: Team): string[] {
  const members = (['name', 'plan_name', 'paying', 'banned'] as const).filter(
    (name) => before[name] !== after[name],
  );
  const [was, is] = [quotasOf(before), quotasOf(after)];
  const quotas = quotaNames.filter((name) => was[name] !== is[name]);
  return [...members, ...quotas.map((name) => `quotas.${name}`)];
}

function quotasOf(row: Team): Quotas {
  return {
    bots: row.quota_bots,
    accounts: row.quota_accounts,
    characters: row.quota_characters,
    documents: row.quota_documents,
    members: row.quota_members,
    credits: row.quota_credits,
  };
}

function quotaColumns(quotas: Quotas) {
  return {
    quota_bots: quotas.bots,
    quota_accounts: quotas.accounts,
    quota_characters: quotas.characters,
    quota_documents: quotas.documents,
    quota_members: quotas.members,
    quota_credits: quotas.credits,
  };
}

function teamOf(row: Team): DataOf<'listTeams'>[number] {
  return shownRow(teamSchema, row);
}

function teamDetailOf(row: Team): DataOf<'getTeam'> {
  return shownRow(teamDetail, { ...row, quotas: quotasOf(row), settings: {} });
}
