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
const serverListIndexes = `
create index teams_order on teams (created_at, id);
create index teams_paying on teams (paying, created_at, id);
create index bots_order on bots (created_at, id);
create index bots_team on bots (team_id);
create index documents_order on documents (created_at, id);
create index documents_type on documents (type, created_at, id);
create index documents_team on documents (team_id);
create index teams_by_name on teams (substr(name, 1, 250));
create index bots_by_name on bots (substr(name, 1, 250));
create index documents_by_name on documents (substr(name, 1, 250));
`;

/** The schema of the sandbox. The first release has all these migrations; a change is a new one. */
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
    '008_folded_names': undefined,
  },
};
