create index documents_type on documents (type, created_at, id);
