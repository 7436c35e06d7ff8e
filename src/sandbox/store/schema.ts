import { type QueryExecutorProvider, sql } from 'kysely';
import { foldForSearch } from '../../database/differences.ts';
import { type Schema, statementsForBoth } from '../../database/migrate.ts';

const tables = statementsForBoth(`
create table api_keys (
  key_id text primary key,
  secret_hash {blob} not null,
  name text not null,
  scope text not null,
  is_active boolean not null default true,
  expires_at {time},
  last_used {time},
  created_at {time} not null
);
create table first_keys (
  key_id text primary key references api_keys (key_id) on delete cascade
);
create table teams (
  id {uuid} primary key,
  name text {bytewise} not null,
  name_folded text {bytewise} not null,
  plan_name text not null,
  paying boolean not null default false,
  banned boolean not null default false,
  quota_bots integer not null,
  quota_accounts integer not null,
  quota_characters integer not null,
  quota_documents integer not null,
  quota_members integer not null,
  quota_credits integer not null,
  created_at {time} not null,
  updated_at {time} not null
);
create table users (
  id {uuid} primary key,
  team_id {uuid} not null references teams (id) on delete cascade,
  name text not null,
  email text not null,
  email_key text {bytewise} unique,
  phone text not null,
  created_at {time} not null
);
create index users_team on users (team_id);
create table documents (
  id {uuid} primary key,
  team_id {uuid} not null references teams (id) on delete cascade,
  name text {bytewise} not null,
  name_folded text {bytewise} not null,
  type text not null,
  size {bigint} not null,
  provider_id text not null,
  extension text not null,
  chars {bigint} not null,
  created_at {time} not null,
  updated_at {time} not null
);
create table bots (
  id {uuid} primary key,
  team_id {uuid} not null references teams (id) on delete cascade,
  name text {bytewise} not null,
  name_folded text {bytewise} not null,
  role text not null,
  description text not null,
  provider_id text not null,
  vector_id text,
  instructions text not null,
  temperature {double} not null,
  published boolean not null default false,
  allow_human boolean not null,
  identification_name text,
  use_audio_responses boolean not null,
  allow_user_audio_requests boolean not null,
  capture_payments boolean not null,
  break_lines boolean not null,
  questions {json} not null,
  actions {json} not null,
  created_at {time} not null,
  updated_at {time} not null
);
create table bot_documents (
  bot_id {uuid} not null references bots (id) on delete cascade,
  document_id {uuid} not null references documents (id),
  position integer not null,
  primary key (bot_id, document_id)
);
create table devices (
  id {uuid} primary key,
  team_id {uuid} not null references teams (id) on delete cascade,
  bot_id {uuid} not null references bots (id),
  name text not null,
  status text not null,
  connected boolean not null,
  logged_in boolean not null,
  blocked boolean not null,
  phone_number text,
  token text not null,
  last_disconnect_reason text,
  last_disconnect_at {time},
  connection integer not null default 0,
  codes_from {time},
  shown_at {time},
  outage text,
  restart_at {time},
  created_at {time} not null,
  updated_at {time} not null
);
create index devices_bot on devices (bot_id);
create table messages (
  number {counter},
  id {uuid} not null unique,
  device_id {uuid} not null references devices (id) on delete cascade,
  destination_number text not null,
  message text,
  send_as_audio boolean not null,
  ai_generates_message boolean not null,
  image_url text,
  image_mime_type text,
  created_at {time} not null,
  request_id text
);
create table state (
  name text primary key,
  value {json} not null
);
create table service (
  only_row boolean primary key default true check (only_row),
  id {uuid} not null,
  signing_key {blob} not null,
  shares_emails boolean
);
`);

const listed = ['teams', 'bots', 'documents'] as const;

/**
 * In SQLite, the indexes for lists contain all columns that determine the rows of a page, so that skipping 100,000 rows
 * takes 1 ms. Of two equally good indexes, SQLite uses the one that was created last.
 */
const listIndexes = `
create index teams_order on teams (created_at, id, name_folded);
create index teams_paying on teams (paying, created_at, id, name_folded);
create index teams_by_name on teams (substr(name, 1, 250), name, id);
create index bots_order on bots (created_at, id, name_folded);
create index bots_team on bots (team_id, created_at, id, name_folded);
create index bots_by_name on bots (substr(name, 1, 250), name, id);
create index documents_order on documents (created_at, id, name_folded);
create index documents_type on documents (type, created_at, id, name_folded);
create index documents_team on documents (team_id, created_at, id, name_folded);
create index documents_by_name on documents (substr(name, 1, 250), name, id);
`;

/** PostgreSQL indexes accept no text longer than 2,700 bytes. */
const namesInOrder = `
create index teams_by_name on teams (substr(name, 1, 250));
create index bots_by_name on bots (substr(name, 1, 250));
create index documents_by_name on documents (substr(name, 1, 250));
`;

const serverListIndexes = `
create index teams_order on teams (created_at, id);
create index teams_paying on teams (paying, created_at, id);
create index bots_order on bots (created_at, id);
create index bots_team on bots (team_id);
create index documents_order on documents (created_at, id);
create index documents_type on documents (type, created_at, id);
create index documents_team on documents (team_id);
${namesInOrder}`;

/**
 * Upgrades a PostgreSQL database from 007 to the tables above. The extension pg_trgm stays, because others may use it.
 * If teams could share an administrator's address, the index `users_email` did not exist.
 */
const toFoldedNames = `
alter table service add column shares_emails boolean;
update service set shares_emails = to_regclass('users_email') is null;
drop index if exists users_email;
alter table users add column email_key text collate "C" unique;
drop index teams_name, teams_by_name, bots_name, bots_by_name, documents_name, documents_by_name;
${listed
  .map(
    (table) => `alter table ${table} alter column name type text collate "C",
  add column name_folded text collate "C" not null default '';
alter table ${table} alter column name_folded drop default;
`,
  )
  .join('')}
${namesInOrder}
drop index messages_order;
alter table messages drop constraint messages_pkey, add primary key (number), add unique (id);
`;

/** Rows changed by one statement of the migration. */
const rowsAtOnce = 1000;

/**
 * Writes the folded names and e-mail addresses of a database of 007. PostgreSQL's `lower` depends on the locale of the
 * database, so two addresses that it distinguishes may be equal now: the second one gets no key, as if it had been
 * created while addresses were shared.
 */
async function foldAll(database: QueryExecutorProvider): Promise<void> {
  for (const table of listed) {
    await foldRows(database, table, 'name', (ids, folded) =>
      sql`update ${sql.table(table)} as rows set name_folded = given.folded
        from unnest(${ids}::uuid[], ${folded}::text[]) as given (id, folded) where rows.id = given.id`.execute(
        database,
      ),
    );
  }
  const sharing = await sql`select 1 from service where shares_emails`.execute(database);
  if (sharing.rows.length > 0) return;
  await foldRows(database, 'users', 'email', (ids, folded) =>
    sql`update users set email_key = given.folded from (
        select distinct on (folded) id, folded from unnest(${ids}::uuid[], ${folded}::text[]) as rows (id, folded)
      ) as given
      where users.id = given.id and not exists (select from users as twin where twin.email_key = given.folded)`.execute(
      database,
    ),
  );
}

async function foldRows(
  database: QueryExecutorProvider,
  table: string,
  column: string,
  write: (ids: readonly string[], folded: readonly string[]) => Promise<unknown>,
): Promise<void> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = sql<{
      id: string;
      text: string;
    }>`select id, ${sql.ref(column)} as text from ${sql.table(table)}
      where id > ${last}::uuid order by id limit ${rowsAtOnce}`;
    const { rows } = await page.execute(database);
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
    await write(
      rows.map(({ id }) => id),
      rows.map(({ text }) => foldForSearch(text)),
    );
  }
}

/**
 * The schema of the sandbox. Earlier versions of botctl had seven migrations, and the released one ends with the last
 * of them; a change is a new migration.
 */
export const schema: Schema = {
  create: {
    sqlite: tables.sqlite + listIndexes,
    postgres: tables.postgres + serverListIndexes,
  },
  migrations: {
    '001_first_schema': undefined,
    '002_sessions_that_go_down': undefined,
    '003_messages_in_order': undefined,
    '004_the_service_itself': undefined,
    '005_the_first_key_of_each_process': undefined,
    '006_documents_of_a_type': undefined,
    '007_teams_that_pay_and_names_in_order': undefined,
    // No SQLite database is older.
    '008_folded_names': { sqlite: '', postgres: toFoldedNames, after: foldAll },
  },
};
