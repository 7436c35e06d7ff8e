import * as z from 'zod/mini';
import { createdKey, createKey } from '../../contract/keys.ts';
import { count, timestamp, uuid } from '../../contract/schema.ts';
import { acceptedMessage } from '../accepted-messages.ts';
import { longestAdvanceMs } from '../clock.ts';
import { faultRequest, shownFault } from '../faults/fault.ts';
import { cursorForm, maxFeedRows, maxFeedWaitMs } from '../feed.ts';
import { phoneActions } from '../phone/actions.ts';
import { problemSchema } from '../problem-facts.ts';
import { loggedRequest } from '../request-log/request-log.ts';

/** Maximum bytes of a picture that the phone accepts. */
export const maxPictureBytes = 8 * 1024 * 1024;

/** Maximum bytes of a request: a picture in base64, and the members beside it. */
export const maxBodyBytes = 12 * 1024 * 1024;

const nothing = z.strictObject({});

/** The current row counts of a sandbox. */
const sandboxCounts = { teams: count, bots: count, documents: count, devices: count, messages: count };

const sandboxState = z.strictObject({
  data: z.string(),
  /** The database server that stores the rows, null if they are in the data directory. */
  database: z.nullable(z.string()),
  base_url: z.url(),
  pid: z.int(),
  version: z.string(),
  /** By the machine's clock. */
  started_at: timestamp,
  /** By the sandbox's clock. */
  now: timestamp,
  phone: z.enum(['auto', 'manual']),
  /** Path of the output of a sandbox in the background, null if it prints to a terminal. */
  log: z.nullable(z.string()),
  /** The key that the sandbox started with, null once it is deleted. */
  key_id: z.nullable(z.string()),
  ...sandboxCounts,
});

const seedCount = count.check(z.maximum(1_000_000));

const cursor = z.string().check(z.regex(cursorForm));

/** A page of an append-only feed: see `FeedQuery`. */
const feedRequest = z.strictObject({
  after: z.optional(cursor),
  last: z.optional(z.int().check(z.minimum(1))),
  since: z.optional(timestamp),
  /** Instead of `since`: milliseconds before the sandbox's current time. */
  ago: z.optional(z.int().check(z.minimum(0))),
  limit: z.int().check(z.minimum(1), z.maximum(maxFeedRows)),
  /** Milliseconds to wait for a row if there is none yet. */
  wait: z.optional(z.int().check(z.minimum(0), z.maximum(maxFeedWaitMs))),
});

function pageOf<Row extends z.ZodMiniType>(row: Row) {
  return z.strictObject({
    rows: z.array(row),
    cursor,
    more: z.boolean(),
    /** The start time of the rows, for the next call. */
    since: z.optional(timestamp),
    /** True if the sandbox stops, so that no further row comes. */
    ended: z.boolean(),
  });
}

const schemas = {
  /** Shows a PNG or a drawn terminal screen to the simulated phone, and pairs the device whose code it contains. */
  '/scan': {
    request: z.strictObject({
      kind: z.enum(['picture', 'screen']),
      /** In base64: the PNG, or the characters and escape sequences that the terminal received. */
      bytes: z.base64().check(z.maxLength(Math.ceil(maxPictureBytes / 3) * 4)),
      /** The phone's number; the sandbox makes one up if not given. */
      phone_number: z.optional(
        z.string().check(z.regex(/^\+[1-9]\d{6,14}$/, 'must be a plus and 7 to 15 digits')),
      ),
      /** True if the user does not confirm the scan: the device is paired but never connected. */
      stall: z.optional(z.boolean()),
    }),
    response: z.strictObject({ device_id: uuid, name: z.string(), phone_number: z.string() }),
  },
  /** Acts on the phone that a device is paired with, or on its connection. */
  '/phone': {
    request: z.strictObject({ action: z.enum(phoneActions), device: z.string() }),
    response: z.strictObject({
      device_id: uuid,
      name: z.string(),
      status: z.string(),
      connected: z.boolean(),
      logged_in: z.boolean(),
      blocked: z.boolean(),
      last_disconnect_reason: z.nullable(z.string()),
      /** False if the action changed nothing. */
      changed: z.boolean(),
    }),
  },
  '/publish': {
    request: z.strictObject({ bot: z.string() }),
    response: z.strictObject({ bot_id: uuid, name: z.string(), published: z.boolean() }),
  },
  /** The only response that contains the secret of the key. */
  '/key/create': { request: createKey.body, response: createdKey },
  '/key/delete': {
    request: z.strictObject({ key_id: z.string() }),
    response: z.strictObject({ key_id: z.string() }),
  },
  '/deactivate': {
    request: z.strictObject({ key: z.string() }),
    response: z.strictObject({ key_id: z.string(), name: z.string(), is_active: z.boolean() }),
  },
  /** Sets the sandbox's clock forward. */
  '/clock': {
    request: z.strictObject({ milliseconds: z.int().check(z.minimum(1), z.maximum(longestAdvanceMs)) }),
    response: z.strictObject({ now: timestamp }),
  },
  /** Adds rows; the same `seed` gives them the same ids. */
  '/seed': {
    request: z.strictObject({
      teams: seedCount,
      bots: seedCount,
      documents: seedCount,
      seed: z.optional(z.string().check(z.minLength(1))),
    }),
    response: z.strictObject({ teams: count, bots: count, documents: count }),
  },
  '/status': { request: nothing, response: sandboxState },
  /** Deletes everything except the first key, and resets the clock to the machine's time. */
  '/reset': { request: nothing, response: sandboxState },
  /** Stops the sandbox after the response. */
  '/stop': { request: nothing, response: z.strictObject({ data: z.string(), pid: z.int() }) },
  '/fault/add': { request: faultRequest, response: shownFault },
  /** Lists the faults in the order in which they are matched. */
  '/fault/list': { request: nothing, response: z.array(shownFault) },
  /** Removes the faults with these ids, or all. If an id is unknown, it removes none. */
  '/fault/clear': {
    request: z.strictObject({ ids: z.optional(z.readonly(z.array(z.string()))) }),
    response: z.strictObject({ cleared: count }),
  },
  /** Reads the request log. */
  '/log': { request: feedRequest, response: pageOf(loggedRequest) },
  /** Reads the messages that the messaging network accepted; `to` is a number in digits only. */
  '/messages': {
    request: z.extend(feedRequest, {
      device: z.optional(z.string()),
      to: z.optional(z.string().check(z.regex(/^\d{1,15}$/))),
    }),
    response: pageOf(acceptedMessage),
  },
} as const satisfies Readonly<Record<string, { request: z.ZodMiniType; response: z.ZodMiniType }>>;

type Schemas = typeof schemas;

/** The path of a control call. */
export type ControlPath = keyof Schemas;
/** The body of a control call. */
export type ControlRequest<P extends ControlPath> = z.output<Schemas[P]['request']>;
/** The result of a control call. */
export type ControlResponse<P extends ControlPath> = z.output<Schemas[P]['response']>;

/**
 * The calls of the control channel with their requests and responses. All are POST with a JSON object. `bot`, `device`
 * and `key` are an id or an exact name.
 */
export const calls: {
  readonly [P in ControlPath]: {
    readonly request: z.ZodMiniType<ControlRequest<P>>;
    readonly response: z.ZodMiniType<ControlResponse<P>>;
  };
} = schemas;

/** The response to a failed call. Another version may report a problem that is unknown here. */
export const controlError = z.object({
  error: z.string(),
  hint: z.optional(z.string()),
  problem: z.catch(z.optional(problemSchema), undefined),
});

/** The state of a running sandbox. */
export type SandboxState = ControlResponse<'/status'>;
/** The number of rows in each table that `SandboxState` counts. */
export type SandboxCounts = Pick<SandboxState, keyof typeof sandboxCounts>;
/** A request for a page of a feed. */
export type FeedRequest = ControlRequest<'/log'>;
