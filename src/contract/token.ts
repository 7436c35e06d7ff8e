import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { resource } from './schema.ts';

/** Lifetime of an access token in seconds: 24 hours (specification, Limits). */
export const tokenLifetimeSeconds = 86_400;

export const accessToken = resource('access_token', {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
});

export const createToken = endpoint({
  method: 'POST',
  path: '/api/openapi/auth/token',
  summary: 'Exchange an API key for an access token',
  withoutToken: true,
  repeatable: true,
  body: z.strictObject({ key_id: z.string(), key_secret: z.string() }),
  data: accessToken,
  secrets: ['access_token'],
  errors: ['UNAUTHORIZED', 'INTERNAL_ERROR'],
});
