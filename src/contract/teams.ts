import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { count, pageQuery, paging, resource, timestamp, uuid } from './schema.ts';

/** The six quotas of a team, in the specification's order. */
export const quotaNames = ['bots', 'accounts', 'characters', 'documents', 'members', 'credits'] as const;

/** E.164 with the leading plus: the format of a user's phone. */
const phone = z.string().check(z.regex(/^\+[1-9]\d{6,14}$/));

export const quotas = z.strictObject({
  bots: count,
  accounts: count,
  characters: count,
  documents: count,
  members: count,
  credits: count,
});

const partialQuotas = z.partial(quotas);

const teamMembers = {
  id: uuid,
  name: z.string(),
  plan_name: z.string(),
  paying: z.boolean(),
  banned: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** A team as returned by lists. */
export const team = resource('id', teamMembers);

/** A team as returned by the read of a single team. Members of `settings`: withheld. */
export const teamDetail = resource('id', {
  ...teamMembers,
  quotas,
  settings: z.record(z.string(), z.unknown()),
});

/** The administrator created with a team. */
export const user = resource('id', {
  id: uuid,
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  created_at: timestamp,
});

/** The maximum length of an email address (RFC 5321, 4.5.3.1.3, without the brackets). */
const emailAddress = z.email().check(z.maxLength(254));

export const createTeam = endpoint({
  method: 'POST',
  path: '/api/openapi/v1/teams',
  summary: 'Create a team and its administrator, or nothing',
  body: z.strictObject({
    user: z.strictObject({ name: z.string().check(z.minLength(1)), email: emailAddress, phone }),
    team: z.strictObject({
      name: z.string().check(z.minLength(1)),
      plan_name: z.string().check(z.minLength(1)),
      quotas: z.optional(partialQuotas),
    }),
  }),
  data: z.strictObject({ team, user }),
  errors: ['BAD_REQUEST'],
});

export const listTeams = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/teams',
  summary: 'List teams',
  query: z.strictObject({
    ...pageQuery,
    name: z.optional(z.string()),
    paying: z.optional(z.boolean()),
  }),
  data: z.array(team),
  meta: paging,
  errors: [],
});

export const getTeam = endpoint({
  method: 'GET',
  path: '/api/openapi/v1/teams/{id}',
  summary: 'Read a team with its quotas and settings',
  data: teamDetail,
  errors: ['NOT_FOUND'],
});

export const updateTeam = endpoint({
  method: 'PATCH',
  path: '/api/openapi/v1/teams/{id}',
  summary: 'Change a team',
  body: z.strictObject({
    name: z.optional(z.string().check(z.minLength(1))),
    plan_name: z.optional(z.string().check(z.minLength(1))),
    paying: z.optional(z.boolean()),
    banned: z.optional(z.boolean()),
    quotas: z.optional(partialQuotas),
  }),
  data: z.strictObject({ team: teamDetail, changes: z.array(z.string()) }),
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
});
