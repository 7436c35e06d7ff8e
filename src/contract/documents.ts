import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { count, pageQuery, paging, resource, timestamp, uuid } from './schema.ts';

export const documentTypes = ['pdf', 'txt', 'docx', 'doc'] as const;

/** `file_url` has the form `<team_id>/<provider file id>.<extension>`; `size` counts bytes (the unit is withheld). */
export const document = resource('id', {
  id: uuid,
  team_id: uuid,
  name: z.string(),
  type: z.string(),
  size: count,
  provider_id: z.string(),
  file_url: z.string(),
  chars: count,
  created_at: timestamp,
  updated_at: timestamp,
});

export const createDocument = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/documents',
  summary: 'Upload a document',
  file: 'file',
  body: z.strictObject({ team_id: uuid, chars: count }),
  data: document,
  errors: ['BAD_REQUEST'],
});

export const listDocuments = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/documents',
  summary: 'List the documents of all teams',
  query: z.strictObject({
    ...pageQuery,
    team_id: z.optional(uuid),
    name: z.optional(z.string()),
    type: z.optional(z.enum(documentTypes)),
  }),
  data: z.array(document),
  meta: paging,
  errors: [],
});

export const getDocument = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/documents/{id}',
  summary: 'Read a document',
  data: document,
  errors: ['NOT_FOUND'],
});

export const updateDocument = endpoint({
  method: 'PATCH',
  path: '/api/openapi/v1/documents/{id}',
  summary: 'Rename a document',
  body: z.strictObject({ name: z.optional(z.string().check(z.minLength(1))) }),
  data: document,
  meta: z.strictObject({ changes: z.array(z.string()) }),
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});
