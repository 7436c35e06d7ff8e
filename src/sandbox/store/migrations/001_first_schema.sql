create extension if not exists pg_trgm;

create table api_keys (
  key_id text primary key,
  secret_hash bytea not null,
  name text not null,
  scope text not null,
  is_active boolean not null default true,
  expires_at timestamptz(3),
  last_used timestamptz(3),
  created_at timestamptz(3) not null
);

create table teams (
  id uuid primary key,
  name text not null,
  plan_name text not null,
  paying boolean not null default false,
  banned boolean not null default false,
  quota_bots integer not null,
  quota_accounts integer not null,
  quota_characters integer not null,
  quota_documents integer not null,
  quota_members integer not null,
  quota_credits integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index teams_order on teams (created_at, id);
create index teams_name on teams using gin (name gin_trgm_ops);

create table users (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  email text not null,
  phone text not null,
  created_at timestamptz(3) not null
);
create unique index users_email on users (lower(email));
create index users_team on users (team_id);

create table documents (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  type text not null,
  size bigint not null,
  provider_id text not null,
  extension text not null,
  chars bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index documents_order on documents (created_at, id);
create index documents_team on documents (team_id);
create index documents_name on documents using gin (name gin_trgm_ops);

create table bots (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  role text not null,
  description text not null,
  provider_id text not null,
  vector_id text,
  instructions text not null,
  temperature double precision not null,
  published boolean not null default false,
  allow_human boolean not null,
  identification_name text,
  use_audio_responses boolean not null,
  allow_user_audio_requests boolean not null,
  capture_payments boolean not null,
  break_lines boolean not null,
  questions jsonb not null,
  actions jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index bots_order on bots (created_at, id);
create index bots_team on bots (team_id);
create index bots_name on bots using gin (name gin_trgm_ops);

create table bot_documents (
  bot_id uuid not null references bots (id) on delete cascade,
  document_id uuid not null references documents (id),
  position integer not null,
  primary key (bot_id, document_id)
);

create table devices (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  bot_id uuid not null references bots (id),
  name text not null,
  status text not null,
  connected boolean not null,
  logged_in boolean not null,
  blocked boolean not null,
  phone_number text,
  token text not null,
  last_disconnect_reason text,
  last_disconnect_at timestamptz(3),
  connection integer not null default 0,
  started_at timestamptz(3),
  shown_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index devices_bot on devices (bot_id);

create table messages (
  id uuid primary key,
  device_id uuid not null references devices (id) on delete cascade,
  destination_number text not null,
  message text,
  send_as_audio boolean not null,
  ai_generates_message boolean not null,
  image_url text,
  image_mime_type text,
  created_at timestamptz(3) not null
);

create table state (
  name text primary key,
  value jsonb not null
);
