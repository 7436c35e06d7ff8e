alter table devices rename column started_at to codes_from;
alter table devices add column outage text;
alter table devices add column restart_at timestamptz(3);
