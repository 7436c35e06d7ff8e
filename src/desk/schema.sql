create table desk (
  id uuid primary key default gen_random_uuid(),
  is_only boolean not null unique default true check (is_only),
  -- From 1 to 36500 days.
  keep_ms bigint not null default 7776000000 check (keep_ms between 86400000 and 3153600000000),
  botctl_version text not null default ''
);

insert into desk default values;

create table book_records (
  place bigint generated always as identity primary key,
  id uuid not null unique,
  origin text not null,
  record jsonb not null check (jsonb_typeof(record) = 'object'),
  at timestamptz(3) not null default clock_timestamp(),
  actor text not null,
  host text not null,
  db_user text not null default session_user
);

create table history (
  place bigint generated always as identity primary key,
  id uuid not null unique,
  origin text not null,
  device text not null,
  event text not null,
  reason text,
  lost_at timestamptz(3),
  phone_number text,
  at timestamptz(3) not null default clock_timestamp(),
  recorded_at timestamptz(3) not null default clock_timestamp(),
  actor text not null,
  host text not null,
  db_user text not null default session_user
);

create index history_devices on history (origin, device, at desc, place desc);

create index history_times on history (origin, at desc, place desc);

create index history_ages on history (at);

-- Each reading is an update: the free space lets it stay on its page.
create table readings (
  origin text not null,
  account uuid not null,
  device text not null,
  status jsonb,
  read_at timestamptz(3),
  change uuid,
  confirmed boolean,
  observer text,
  host text,
  due_at timestamptz(3),
  lease uuid,
  interval_ms bigint,
  primary key (origin, account, device)
) with (fillfactor = 70);

create table service_keys (
  origin text not null,
  key_id text not null,
  account uuid not null,
  primary key (origin, key_id)
);

create table hook_runs (
  origin text not null,
  account uuid not null,
  hook text not null,
  device text not null,
  change uuid not null,
  claimed_at timestamptz(3) not null default clock_timestamp(),
  primary key (origin, account, hook, device, change)
);

create index hook_runs_ages on hook_runs (claimed_at);

-- The numbers are those of an advisory lock of botctl. The lock is acquired before the places are assigned, so places
-- follow the order of commits, and a reader that asks for later records misses none.
create function lock_book() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(1651471459, 10);
  return null;
end $$;

create trigger book_records_lock before insert on book_records for each statement execute function lock_book();

-- A column privilege keeps an agent from choosing these values, and the trigger keeps the owner from it.
create function stamp_record() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.at := clock_timestamp();
  new.db_user := session_user;
  return new;
end $$;

create trigger book_records_stamp before insert on book_records for each row execute function stamp_record();

-- An event may be recorded late, after the database was away. Its time must not be in the future.
create function stamp_event() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.recorded_at := clock_timestamp();
  new.at := least(new.at, new.recorded_at);
  new.db_user := session_user;
  return new;
end $$;

create trigger history_stamp before insert on history for each row execute function stamp_event();

-- Removes rows that are older than the retention time. It runs with the privileges of the owner, since an agent may
-- delete nothing. It removes few rows at a time, so that no insert has to wait. The limit is computed first, because an
-- index can't be used for a comparison with a volatile function. Only the owner may execute it: other users could make it
-- the trigger of their own table, and it would read their own view with the privileges of the owner.
create function remove_old_rows() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before timestamptz;
begin
  execute format('select clock_timestamp() - keep_ms * interval ''1 ms'' from %I.desk', tg_table_schema) into before;
  execute format(
    'delete from %1$I.%2$I where ctid = any (array(
       select ctid from %1$I.%2$I where %3$I < $1 order by %3$I limit 100 for update skip locked
     ))',
    tg_table_schema, tg_table_name, tg_argv[0]
  ) using before;
  return null;
end $$;

revoke execute on function remove_old_rows() from public;

create trigger history_keep after insert on history for each statement execute function remove_old_rows('at');

create trigger hook_runs_keep after insert on hook_runs for each statement execute function remove_old_rows('claimed_at');
