import * as z from 'zod/mini';
import { rowStates } from './row-state.ts';

const text = z.optional(z.string());

/** A number of things, and what counts them. */
export const whole = z.int().check(z.nonnegative());

const list = <T extends z.ZodMiniType>(of: T) => z.readonly(z.array(of));

const gap = z.strictObject({ shortest: whole, longest: whole });

const window = z.strictObject({
  /** Days of the week on which it begins, 0 for Sunday. */
  days: list(whole),
  /** Its first minute, from 0. */
  from: whole,
  /** The first minute behind it, up to 1440; of the next day if that is not later than `from`. */
  to: whole,
});

/** How fast and when messages may go. */
const paceMembers = {
  gap: z.readonly(gap),
  /** The most messages of a device in a day. */
  daily: z.optional(whole),
  /** The same for a device's first day with messages, its second, and so on; the last one is that of all days after. */
  warm_up: z.optional(list(whole)),
  /** When messages may go; at any time if there are none. */
  windows: z.optional(list(z.readonly(window))),
  /** The IANA name of the zone whose days and times those are. */
  tz: text,
};

/** A pace as it is stored. */
export const paceSchema = z.readonly(z.strictObject(paceMembers));

const device = z.strictObject({
  id: z.string(),
  name: text,
  /** The number that it had when the campaign was made, as the service shows it. */
  number: z.string(),
});

/** Options that are sent with the text of each row, by the API's names. */
const sendOptions = z.strictObject({
  send_as_audio: z.optional(z.boolean()),
  ai_generates_message: z.optional(z.literal(true)),
  image_url: text,
  image_mime_type: text,
});

/** The frozen part of a campaign, without its rows. */
const frozenMembers = {
  name: z.string(),
  /** Scheme, host and port of the service. */
  origin: z.string(),
  /** ISO 8601. */
  created_at: z.string(),
  /** The machine that it was created on, for people. Earlier versions stored more of it. */
  made_on: z.readonly(z.object({ host: z.string() })),
  devices: list(z.readonly(device)),
  /** In Liquid; none if an image or the AI is all of a message. */
  message: text,
  options: z.readonly(sendOptions),
  ...paceMembers,
  columns: list(z.string()),
  to_column: z.string(),
  key_column: text,
  /** The files that rows were read from, the first one first. */
  sources: list(z.readonly(z.strictObject({ file: z.string(), sha256: z.string() }))),
};

/** A campaign as it is stored. */
export const campaignSchema = z.readonly(z.strictObject(frozenMembers));

/** The state of a row, and why. */
const outcomeMembers = {
  state: z.enum(rowStates),
  /** When its state last changed, ISO 8601; none for one that stands as it was made. */
  at: text,
  /** How often it was about to be sent. */
  attempts: z.optional(whole),
  /** Why it is skipped; of one that was rejected or lost, the service's code or ours. */
  reason: text,
  /** The reason in words. */
  because: text,
};

const rowMembers = {
  /** Its number in the campaign, from 1, in the order of the input. */
  row: whole,
  /** Its line in the input. */
  line: whole,
  /** Its cells, in the order of the campaign's columns; null for one that it lacks. */
  cells: list(z.nullable(z.string())),
  /** E.164 digits, without the plus; none if the row has no number. */
  to: text,
  key: text,
  /** The device that it goes through, counted from 0 among the campaign's. */
  device: z.optional(whole),
  /** The message as it will be sent; none if an image or the AI is all of it. */
  text,
  ...outcomeMembers,
};

/** A row as it is stored. */
export const rowSchema = z.readonly(z.strictObject(rowMembers));

/** A campaign that was started. */
const activeCampaign = z.strictObject({
  name: z.string(),
  /** When it was made, which tells it from another one of its name; ISO 8601. */
  created_at: z.string(),
  pace: paceSchema,
  /** When its last message left through the device, in milliseconds since 1970; undefined before the first one. */
  lastAt: z.optional(z.number()),
});

/** The state of a device over all campaigns and processes. Instants are milliseconds since 1970. */
const queueMembers = {
  /** When its last message was sent, then when the outcome of that came. */
  lastAt: z.optional(z.number()),
  /** Where in its range the pause after that lies, from 0 to 1: drawn once, so that every process waits the same. */
  draw: z.number(),
  /** How many messages were sent in quarters of an hour, by when each began, in their order: see `addSent`. */
  sent: list(z.readonly(z.tuple([z.number(), z.number()]))),
  /** Unknown outcomes in a row. */
  unknowns: z.number(),
  /** The last rejection, and how many in a row were the same; undefined if the last outcome is none. */
  rejections: z.optional(z.readonly(z.strictObject({ says: z.string(), count: z.number() }))),
  /** Why nothing goes through the device before a person starts a run again, in a sentence, and since when. */
  paused: z.optional(z.readonly(z.strictObject({ at: z.number(), because: z.string() }))),
  /** The campaigns that were started and have rows left here, by their ids: their paces count together. */
  campaigns: z.readonly(z.record(z.string(), z.readonly(activeCampaign))),
};

/** A send queue as it is stored. */
export const queueSchema = z.readonly(z.object(queueMembers));
