import * as z from 'zod/mini';
import { rowStates } from './row-state.ts';

const text = z.optional(z.string());

/** A count, or an index. */
export const whole = z.int().check(z.nonnegative());

const list = <T extends z.ZodMiniType>(of: T) => z.readonly(z.array(of));

const gap = z.strictObject({ shortest: whole, longest: whole });

const window = z.strictObject({
  /** The days of the week on which it starts, 0 for Sunday. */
  days: list(whole),
  /** Its first minute of the day, from 0. */
  from: whole,
  /** The minute after its last one, up to 1440. If it is not later than `from`, it is on the next day. */
  to: whole,
});

/** How fast and when messages may be sent. */
const paceMembers = {
  gap: z.readonly(gap),
  /** The maximum number of messages of a device per day. */
  daily: z.optional(whole),
  /** The same for a device's first day with messages, its second, and so on. The last one applies to all later days. */
  warm_up: z.optional(list(whole)),
  /** When messages may be sent; at any time if there are no windows. */
  windows: z.optional(list(z.readonly(window))),
  /** The IANA name of the time zone of days and windows. */
  tz: text,
};

/** A pace as it is stored. */
export const paceSchema = z.readonly(z.strictObject(paceMembers));

const device = z.strictObject({
  id: z.string(),
  name: text,
  /** The number that it had when the campaign was created, as the service returns it. */
  number: z.string(),
});

/** Options that are sent with the text of each row. They have the API's names. */
const sendOptions = z.strictObject({
  send_as_audio: z.optional(z.boolean()),
  ai_generates_message: z.optional(z.literal(true)),
  image_url: text,
  image_mime_type: text,
});

/** The definition of a campaign, without its rows: see `Campaign`. */
const frozenMembers = {
  name: z.string(),
  /** Scheme, host and port of the service. */
  origin: z.string(),
  /** ISO 8601. */
  created_at: z.string(),
  /** The machine on which it was created, for display. Earlier versions stored more members. */
  made_on: z.readonly(z.object({ host: z.string() })),
  devices: list(z.readonly(device)),
  /** A Liquid template; undefined if the message is only an image or is written by the AI. */
  message: text,
  options: z.readonly(sendOptions),
  ...paceMembers,
  columns: list(z.string()),
  to_column: z.string(),
  key_column: text,
  /** The files that rows were read from, in the order in which they were added. */
  sources: list(z.readonly(z.strictObject({ file: z.string(), sha256: z.string() }))),
};

/** A campaign as it is stored. */
export const campaignSchema = z.readonly(z.strictObject(frozenMembers));

/** The state of a row, and the reason for it. */
const outcomeMembers = {
  state: z.enum(rowStates),
  /** When its state last changed, ISO 8601; undefined if it never changed. */
  at: text,
  /** The number of attempts to send it. */
  attempts: z.optional(whole),
  /** Why it is skipped, or the code of the service or of botctl if it was rejected or lost. */
  reason: text,
  /** The reason in words. */
  because: text,
};

const rowMembers = {
  /** Its number in the campaign, from 1, in the order of the input. */
  row: whole,
  /** Its line in the list. */
  line: whole,
  /** Its cells, in the order of the campaign's columns; null for a missing cell. */
  cells: list(z.nullable(z.string())),
  /** E.164 digits, without the plus; undefined if the row has no number. */
  to: text,
  key: text,
  /** The index of its device in the campaign. */
  device: z.optional(whole),
  /** The text to send; undefined if the message is only an image or is written by the AI. */
  text,
  ...outcomeMembers,
};

/** A row as it is stored. */
export const rowSchema = z.readonly(z.strictObject(rowMembers));

/** A campaign that was started and may have rows left. */
const activeCampaign = z.strictObject({
  name: z.string(),
  /** When it was created, ISO 8601. It distinguishes the campaign from another one with the same name. */
  created_at: z.string(),
  pace: paceSchema,
  /** When its last message was sent through the device, in milliseconds since 1970; undefined before the first one. */
  lastAt: z.optional(z.number()),
});

/** The state of a device across all campaigns and processes. All times are milliseconds since 1970. */
const queueMembers = {
  /** When its last message was sent; after its outcome arrived, the time of the outcome. */
  lastAt: z.optional(z.number()),
  /**
   * The position of the next pause in its range, from 0 to 1. It is drawn once, so that every process waits equally
   * long.
   */
  draw: z.number(),
  /**
   * The number of messages by quarter of an hour, as its start and the number, in chronological order: see `addSent`.
   */
  sent: list(z.readonly(z.tuple([z.number(), z.number()]))),
  /** The number of consecutive unknown outcomes. */
  unknowns: z.number(),
  /** The last rejection, and the number of consecutive rejections like it; undefined if the last outcome is not one. */
  rejections: z.optional(z.readonly(z.strictObject({ says: z.string(), count: z.number() }))),
  /** Why and since when the device sends nothing until the user starts a run again. The reason is a sentence. */
  paused: z.optional(z.readonly(z.strictObject({ at: z.number(), because: z.string() }))),
  /** The active campaigns that have rows left on this device, by their ids. All their paces apply together. */
  campaigns: z.readonly(z.record(z.string(), z.readonly(activeCampaign))),
};

/** A send queue as it is stored. */
export const queueSchema = z.readonly(z.object(queueMembers));
