create table campaigns (
  id {uuid} primary key,
  origin text not null,
  name_key text not null,
  created_at text not null,
  frozen text not null,
  rows integer not null,
  server text not null,
  mark text check (mark in ('paused', 'cancelled')),
  marked_at text,
  draft_at {bigint}
);

create unique index campaigns_names on campaigns (origin, name_key) where draft_at is null;

create table campaign_rows (
  campaign {uuid} not null references campaigns on delete cascade,
  row integer not null,
  device integer,
  state text not null,
  frozen text not null,
  form text,
  key_digest text,
  reason text,
  because text,
  at text,
  attempts integer,
  claim {uuid},
  primary key (campaign, row)
);

-- Finds the next row of a device, and counts rows without reading them.
create index campaign_rows_states on campaign_rows (campaign, state, device, row);

create index campaign_rows_skipped on campaign_rows (campaign, reason) where state = 'skipped';

-- Earlier versions use it to query whether a campaign was started.
create index campaign_rows_begun on campaign_rows (campaign) where attempts is not null;

create index campaign_rows_claimed on campaign_rows (claim) where claim is not null;

create unique index campaign_rows_forms on campaign_rows (campaign, form);

create unique index campaign_rows_keys on campaign_rows (campaign, key_digest) where key_digest is not null;

create table lanes (
  origin text not null,
  device text not null,
  lane text not null,
  last_at {bigint},
  lease {uuid},
  lease_until {bigint},
  holder text,
  primary key (origin, device)
);

create table opt_outs (
  place {counter},
  origin text not null,
  form text not null,
  number text not null,
  added_at text not null,
  note text,
  unique (origin, form)
);
