create table first_keys (
  key_id text primary key references api_keys (key_id) on delete cascade
);
