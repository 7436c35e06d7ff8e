import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { deleted, requestTimestamp, resource, timestamp } from './schema.ts';

export const key = resource('key_id', {
  key_id: z.string(),
  name: z.string(),
  scope: z.string(),
  is_active: z.boolean(),
  expires_at: z.optional(timestamp),
  last_used: z.optional(timestamp),
  created_at: timestamp,
});

/** A key as returned by its creation, the only time that the secret is shown. */
export const createdKey = resource('key_id', {
  key_id: z.string(),
  key_secret: z.string(),
  name: z.string(),
  created_at: timestamp,
});

export const createKey = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/api-keys',
  summary: 'Create an API key',
  body: z.strictObject({
    name: z.string().check(z.minLength(1)),
    expires_at: z.optional(requestTimestamp),
  }),
  data: createdKey,
  secrets: ['key_secret'],
  errors: ['BAD_REQUEST', 'UNAUTHORIZED'],
});

export const listKeys = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/api-keys',
  summary: 'List API keys',
  data: z.array(key),
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
});

export const getKey = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/api-keys/{keyId}',
  summary: 'Read an API key',
  data: key,
  errors: ['NOT_FOUND'],
});

export const deleteKey = endpoint({
  method: 'DELETE',
  path: '/api/openapi/v1/api-keys/{keyId}',
  summary: 'Delete an API key for good',
  data: deleted,
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});
