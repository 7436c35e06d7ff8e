import * as z from 'zod/mini';
import { action, question } from '../../contract/bots.ts';
import { count, openObject, timestamp } from '../../contract/schema.ts';
import type { Tables } from '../store/tables.ts';

/** An id as the database writes it: it is part of the paths of files. */
const id = z.string().check(z.regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/));

const text = z.string();
const optionalText = z.nullable(text);
const optionalTime = z.nullable(timestamp);
const flag = z.boolean();

/** The largest number of PostgreSQL's type integer. */
const integer = count.check(z.maximum(2_147_483_647));

/** A SHA-256, as PostgreSQL reads bytes once it is checked. */
const hash = z.pipe(
  z.base64().check(z.length(44)),
  z.transform((bytes) => `\\x${Buffer.from(bytes, 'base64').toString('hex')}`),
);

const times = { created_at: timestamp, updated_at: timestamp };

/** The rows of each table as an export has them. What they give is read by `jsonb_populate_recordset()`. */
export const rowSchemas = {
  api_keys: z.strictObject({
    key_id: text,
    secret_hash: hash,
    name: text,
    scope: text,
    is_active: flag,
    expires_at: optionalTime,
    last_used: optionalTime,
    created_at: timestamp,
  }),
  teams: z.strictObject({
    id,
    name: text,
    plan_name: text,
    paying: flag,
    banned: flag,
    quota_bots: integer,
    quota_accounts: integer,
    quota_characters: integer,
    quota_documents: integer,
    quota_members: integer,
    quota_credits: integer,
    ...times,
  }),
  users: z.strictObject({ id, team_id: id, name: text, email: text, phone: text, created_at: timestamp }),
  documents: z.strictObject({
    id,
    team_id: id,
    name: text,
    type: text,
    size: count,
    // Both are part of the file's path.
    provider_id: text.check(z.regex(/^[\w-]{1,100}$/)),
    extension: text.check(z.regex(/^\w{1,20}$/)),
    chars: count,
    ...times,
  }),
  bots: z.strictObject({
    id,
    team_id: id,
    name: text,
    role: text,
    description: text,
    provider_id: text,
    vector_id: optionalText,
    instructions: text,
    temperature: z.number(),
    published: flag,
    allow_human: flag,
    identification_name: optionalText,
    use_audio_responses: flag,
    allow_user_audio_requests: flag,
    capture_payments: flag,
    break_lines: flag,
    questions: z.array(question),
    actions: z.array(action),
    ...times,
  }),
  bot_documents: z.strictObject({ bot_id: id, document_id: id, position: integer }),
  devices: z.strictObject({
    id,
    team_id: id,
    bot_id: id,
    name: text,
    status: z.enum(['started', 'stopped']),
    connected: flag,
    logged_in: flag,
    blocked: flag,
    phone_number: optionalText,
    token: text,
    last_disconnect_reason: optionalText,
    last_disconnect_at: optionalTime,
    connection: integer,
    codes_from: optionalTime,
    shown_at: optionalTime,
    outage: z.nullable(z.enum(['restart', 'offline', 'unconfirmed', 'replaced', 'blocked'])),
    restart_at: optionalTime,
    ...times,
  }),
  messages: z.strictObject({
    id,
    device_id: id,
    destination_number: text,
    message: optionalText,
    send_as_audio: flag,
    ai_generates_message: flag,
    image_url: optionalText,
    image_mime_type: optionalText,
    created_at: timestamp,
    number: count,
    request_id: optionalText,
  }),
  state: z.strictObject({ name: text, value: openObject }),
} satisfies { [T in keyof Tables]: z.ZodMiniType<{ readonly [C in keyof Tables[T]]: unknown }> };

/** The columns that tell the rows of each table apart. */
export const keysOf: { readonly [T in keyof Tables]: readonly (keyof Tables[T] & string)[] } = {
  api_keys: ['key_id'],
  teams: ['id'],
  users: ['id'],
  documents: ['id'],
  bots: ['id'],
  bot_documents: ['bot_id', 'document_id'],
  devices: ['id'],
  messages: ['id'],
  state: ['name'],
};
