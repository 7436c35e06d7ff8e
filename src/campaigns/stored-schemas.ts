import * as z from 'zod/mini';
import { rowStates } from './row-state.ts';

const text = z.optional(z.string());
/** A number of things, and what counts them. */
export const whole = z.int().check(z.nonnegative());

/** How fast and when messages may go, as it is kept. */
export const paceMembers = {
  gap: z.strictObject({ shortest: whole, longest: whole }),
  daily: z.optional(whole),
  warm_up: z.optional(z.array(whole)),
  windows: z.optional(z.array(z.strictObject({ days: z.array(whole), from: whole, to: whole }))),
  tz: text,
};

/** What is frozen of a campaign, as it is kept. */
export const frozenMembers = {
  name: z.string(),
  origin: z.string(),
  created_at: z.string(),
  // Earlier versions stored more of it.
  made_on: z.object({ host: z.string() }),
  devices: z.array(z.strictObject({ id: z.string(), name: text, number: z.string() })),
  message: text,
  options: z.strictObject({
    send_as_audio: z.optional(z.boolean()),
    ai_generates_message: z.optional(z.literal(true)),
    image_url: text,
    image_mime_type: text,
  }),
  ...paceMembers,
  columns: z.array(z.string()),
  to_column: z.string(),
  key_column: text,
  sources: z.array(z.strictObject({ file: z.string(), sha256: z.string() })),
};

/** What became of a row, as it is kept. */
export const outcomeMembers = {
  state: z.enum(rowStates),
  at: text,
  attempts: z.optional(whole),
  reason: text,
  because: text,
};

/** A row, as it is kept. */
export const rowSchema = z.strictObject({
  row: whole,
  line: whole,
  cells: z.array(z.nullable(z.string())),
  to: text,
  key: text,
  device: z.optional(whole),
  text,
  ...outcomeMembers,
});

/** What is known of a device, as it is kept. */
export const laneMembers = {
  lastAt: z.optional(z.number()),
  draw: z.number(),
  sent: z.array(z.tuple([z.number(), z.number()])),
  unknowns: z.number(),
  rejections: z.optional(z.strictObject({ says: z.string(), count: z.number() })),
  paused: z.optional(z.strictObject({ at: z.number(), because: z.string() })),
  campaigns: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      created_at: z.string(),
      pace: z.strictObject(paceMembers),
      lastAt: z.optional(z.number()),
    }),
  ),
};
