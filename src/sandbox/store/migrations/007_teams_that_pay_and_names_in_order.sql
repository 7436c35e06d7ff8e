create index teams_paying on teams (paying, created_at, id);
create index teams_by_name on teams (left(name, 250));
create index bots_by_name on bots (left(name, 250));
create index documents_by_name on documents (left(name, 250));
