create table campaign_clock (
  is_only boolean primary key default true check (is_only),
  clock_offset interval not null default '0'
);

insert into campaign_clock default values;

create table campaigns (
  id uuid primary key default gen_random_uuid(),
  origin text not null,
  name_key text not null,
  created_at text not null,
  frozen json not null,
  rows integer not null,
  server text not null,
  mark text check (mark in ('paused', 'cancelled')),
  marked_at text,
  unique (origin, name_key)
);

create table campaign_rows (
  campaign uuid not null references campaigns on delete cascade,
  row integer not null,
  device integer,
  state text not null,
  frozen json not null,
  form text,
  reason text,
  because text,
  at text,
  attempts integer,
  claim uuid,
  primary key (campaign, row)
);

create index campaign_rows_planned on campaign_rows (campaign, device, row) where state = 'planned';

create index campaign_rows_to_look_at on campaign_rows (campaign, state) where state in ('sending', 'unknown', 'rejected');

create index campaign_rows_claimed on campaign_rows (claim) where state = 'sending';

create table lanes (
  origin text not null,
  device text not null,
  version bigint not null default 0,
  lane json not null,
  last_at timestamptz,
  lease uuid,
  lease_until timestamptz,
  primary key (origin, device)
);

create table opt_outs (
  origin text not null,
  form text not null,
  number text not null,
  added_at text not null,
  note text,
  place bigint generated always as identity,
  primary key (origin, form)
);
