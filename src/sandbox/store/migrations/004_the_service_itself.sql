create table service (
  only_row boolean primary key default true check (only_row),
  id uuid not null,
  signing_key bytea not null
);
