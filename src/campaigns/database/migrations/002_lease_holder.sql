alter table lanes add column holder text;
