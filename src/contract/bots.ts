import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { deleted, openObject, pageQuery, paging, resource, timestamp, uuid } from './schema.ts';

export const botRoles = ['support', 'dynamic', 'sales'] as const;
const actionMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const actionValueTypes = ['string', 'number', 'boolean'] as const;

const temperature = z.number().check(z.minimum(0), z.maximum(2));
const role = z.enum(botRoles);

const botMembers = {
  id: uuid,
  team_id: uuid,
  name: z.string(),
  role,
  description: z.string(),
  provider_id: z.string(),
  vector_id: z.nullable(z.string()),
  instructions: z.string(),
  temperature,
  published: z.boolean(),
  allow_human: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
};

export const question = z.strictObject({ question: z.string(), answer: z.string() });

const actionMembers = {
  name: z.string(),
  description: z.string(),
  endpoint: z.string(),
  method: z.enum(actionMethods),
  headers: openObject,
  body: z.array(
    z.strictObject({
      key: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      type: z.enum(actionValueTypes),
    }),
  ),
};

export const action = resource('id', { id: uuid, ...actionMembers });

/** An action in a request; the service assigns the id of a new one. */
export const actionInput = z.strictObject({ id: z.optional(uuid), ...actionMembers });

export const botDocument = z.strictObject({ document_id: uuid, bot_id: uuid });

/** A bot as returned by list, create and update. */
export const bot = resource('id', botMembers);

/**
 * Flags accepted by create and update. The specification does not list them in responses; the sandbox returns them in
 * its detail form.
 */
const flags = {
  identification_name: z.nullish(z.string()),
  use_audio_responses: z.optional(z.boolean()),
  allow_user_audio_requests: z.optional(z.boolean()),
  capture_payments: z.optional(z.boolean()),
  break_lines: z.optional(z.boolean()),
};

/** A bot as returned by the read of a single bot. */
export const botDetail = resource('id', {
  ...botMembers,
  ...flags,
  questions: z.array(question),
  actions: z.array(action),
  documents: z.array(botDocument),
});

/** The writable members of a bot, besides its name and its team. */
const writable = {
  ...flags,
  role: z.optional(role),
  description: z.optional(z.string()),
  instructions: z.optional(z.string()),
  temperature: z.optional(temperature),
  questions: z.optional(z.array(question)),
  document_ids: z.optional(z.array(uuid)),
  allow_human: z.optional(z.boolean()),
  actions: z.optional(z.array(actionInput)),
};

/** The fields of a bot allowed in a file: any writable field, with names instead of the ids that the API requires. */
export const writableBot = z.strictObject({
  ...writable,
  team_id: z.optional(z.string()),
  name: z.optional(z.string().check(z.minLength(1))),
  document_ids: z.optional(z.array(z.string())),
});

export const createBot = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/bots',
  summary: 'Create a bot, its assistant at the provider and, with documents, its vector store',
  body: z.strictObject({ team_id: uuid, name: z.string().check(z.minLength(1)), ...writable }),
  data: bot,
  errors: ['BAD_REQUEST'],
});

export const listBots = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/bots',
  summary: 'List bots',
  query: z.strictObject({
    ...pageQuery,
    team_id: z.optional(uuid),
    name: z.optional(z.string()),
  }),
  data: z.strictObject({ bots: z.array(bot), pagination: paging }),
  errors: [],
});

export const getBot = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/bots/{id}',
  summary: 'Read a bot with its questions, actions and documents',
  data: botDetail,
  errors: ['NOT_FOUND'],
});

export const updateBot = endpoint({
  method: 'PATCH',
  path: '/api/openapi/v1/bots/{id}',
  summary: 'Change a bot; it is not published afterwards',
  body: z.strictObject({ name: z.optional(z.string().check(z.minLength(1))), ...writable }),
  data: bot,
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});

export const deleteBot = endpoint({
  method: 'DELETE',
  path: '/api/openapi/v1/bots/{id}',
  summary: 'Delete a bot here and at the provider, with its document links',
  data: deleted,
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});
