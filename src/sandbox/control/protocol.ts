import * as z from 'zod/mini';
import { type createdKey, createKey } from '../../contract/keys.ts';
import { count, timestamp, uuid } from '../../contract/schema.ts';
import { command, OtherLine, Remark, type RemarkText } from '../../lib/text/remark.ts';
import { longestAdvanceMs } from '../clock.ts';
import { cursorForm, maxFeedRows, maxFeedWaitMs } from '../feed.ts';
import { phoneActions } from '../phone/actions.ts';
import { loggedRequest } from '../request-log/request-log.ts';
import type { NamingWords } from '../sandbox.ts';
import { takenMessage } from '../taken-messages.ts';

/** Requests and answers of the control channel. The body of a scan is the picture itself, a PNG or text. */

export const maxBodyBytes = 8 * 1024 * 1024;

/** Media types that tell a picture from a drawn screen. */
export const pictureType = 'image/png';
export const screenType = 'text/plain; charset=utf-8';

/** A device that the simulated phone was paired with. */
export const pairing = z.strictObject({ device_id: uuid, name: z.string(), phone_number: z.string() });

/** `device` is an id or an exact name. */
export const phoneRequest = z.strictObject({ action: z.enum(phoneActions), device: z.string() });
/** A device after an action on its phone; `changed` is false if the action changed nothing. */
export const phoneOutcome = z.strictObject({
  device_id: uuid,
  name: z.string(),
  status: z.string(),
  connected: z.boolean(),
  logged_in: z.boolean(),
  blocked: z.boolean(),
  last_disconnect_reason: z.nullable(z.string()),
  changed: z.boolean(),
});

export const publishRequest = z.strictObject({ bot: z.string() });
export const publication = z.strictObject({ bot_id: uuid, name: z.string(), published: z.boolean() });

export const createKeyRequest = createKey.body;
export const deleteKeyRequest = z.strictObject({ key_id: z.string() });
export const deletedKey = z.strictObject({ key_id: z.string() });

export const deactivateRequest = z.strictObject({ key: z.string() });
export const deactivation = z.strictObject({ key_id: z.string(), name: z.string(), is_active: z.boolean() });

export const clockRequest = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('advance'),
    milliseconds: z.int().check(z.minimum(1), z.maximum(longestAdvanceMs)),
  }),
  z.strictObject({ action: z.literal('set'), time: timestamp }),
  z.strictObject({ action: z.literal('freeze') }),
  z.strictObject({ action: z.literal('resume') }),
]);
/** The clock after that; `changed` is false where it stood still, or ran, as it was asked to already. */
export const clockState = z.strictObject({ now: timestamp, frozen: z.boolean(), changed: z.boolean() });

/** How many rows a sandbox holds. */
const sandboxCounts = { teams: count, bots: count, documents: count, devices: count, messages: count };
/** A sandbox as it is: `started_at` is by the machine's clock, `now` by its own. */
export const sandboxState = z.strictObject({
  data: z.string(),
  /** The database on a server that has its rows, null if they are in its data directory. */
  database: z.nullable(z.string()),
  base_url: z.url(),
  pid: z.int(),
  version: z.string(),
  started_at: timestamp,
  now: timestamp,
  frozen: z.boolean(),
  phone: z.enum(['auto', 'manual']),
  /** Path of the file with what its process says, null if that goes to a terminal. */
  log: z.nullable(z.string()),
  /** The key that it began with, null once that is deleted. */
  key_id: z.nullable(z.string()),
  ...sandboxCounts,
});
/** A sandbox that is about to end. */
export const stopping = z.strictObject({ data: z.string(), pid: z.int() });

const seedCount = count.check(z.maximum(1_000_000));
export const seedRequest = z.strictObject({
  teams: seedCount,
  bots: seedCount,
  documents: seedCount,
  /** What the ids of the rows are made from. */
  seed: z.optional(z.string().check(z.minLength(1))),
});
export const seeded = z.strictObject({ teams: count, bots: count, documents: count });

/** A fault in words. `seen`: the requests of its target that it was asked about; `met`: those that it applied to. */
export const shownFault = z.strictObject({
  id: z.string(),
  target: z.string(),
  effect: z.string(),
  when: z.string(),
  seen: count,
  met: count,
});
export const noRequest = z.strictObject({});
export const shownFaults = z.strictObject({ faults: z.readonly(z.array(shownFault)) });
/** All of them if no ids are given. */
export const clearFaultsRequest = z.strictObject({ ids: z.optional(z.array(z.string())) });
export const clearedFaults = z.strictObject({ cleared: count });

const cursor = z.string().check(z.regex(cursorForm));

/** A page of rows that are added one after the other: see `FeedQuery`. */
export const feedRequest = z.strictObject({
  after: z.optional(cursor),
  last: z.optional(z.int().check(z.minimum(1))),
  since: z.optional(timestamp),
  /** In the place of `since`: milliseconds up to the sandbox's present. */
  ago: z.optional(z.int().check(z.minimum(0))),
  limit: z.int().check(z.minimum(1), z.maximum(maxFeedRows)),
  /** Milliseconds to wait for a row where there is none yet. */
  wait: z.optional(z.int().check(z.minimum(0), z.maximum(maxFeedWaitMs))),
});

function pageOf<Row extends z.ZodMiniType>(row: Row) {
  return z.strictObject({
    rows: z.array(row),
    cursor,
    more: z.boolean(),
    /** The time that the rows were asked for from, for the next call. */
    since: z.optional(timestamp),
    /** True if no further row comes, since the sandbox stops. */
    ended: z.boolean(),
  });
}

export const logPage = pageOf(loggedRequest);

/** How the sandbox does what the specification leaves open; each renaming as `name=other`. */
export const behaviour = z.strictObject({
  ignore_filters: z.boolean(),
  ignore_paging: z.boolean(),
  rename: z.array(z.string()),
  extra_members: z.boolean(),
  unauthorized_status: count,
  shared_emails: z.boolean(),
  size_unit: z.string(),
  rename_query: z.array(z.string()),
  ignore_unknown: z.boolean(),
  max_limit: count,
  first_page: count,
  order: z.string(),
  case_sensitive: z.boolean(),
});

/** `device` is an id or an exact name, `to` a number in digits alone. */
export const messagesRequest = z.extend(feedRequest, {
  device: z.optional(z.string()),
  to: z.optional(z.string().check(z.regex(/^\d{1,15}$/))),
});

export const messagesPage = pageOf(takenMessage);

const wordOfCommand = z.union([z.string(), z.strictObject({ placeholder: z.string() })]);
/** The parts of a `Remark`: text, and command lines as their words. */
export const remarkParts = z.readonly(
  z.array(z.union([z.string(), z.object({ words: z.readonly(z.array(wordOfCommand)) })])),
);

/** The reason that a call failed, and the remedy if one is known. */
export const controlError = z.strictObject({ error: z.string(), hint: z.optional(remarkParts) });

/** The control calls, and what each answers. All are POST. */
export interface ControlCalls {
  '/scan': Pairing;
  '/phone': PhoneOutcome;
  '/publish': Publication;
  '/key/create': CreatedKey;
  '/key/delete': DeletedKey;
  '/deactivate': Deactivation;
  '/clock': ClockState;
  '/seed': Seeded;
  '/status': SandboxState;
  '/reset': SandboxState;
  '/stop': Stopping;
  '/fault/add': ShownFault;
  '/fault/list': ShownFaults;
  '/fault/clear': ClearedFaults;
  '/log': LogPage;
  '/behave': ShownBehaviour;
  '/messages': MessagesPage;
}

type RemarkParts = z.infer<typeof remarkParts>;

/** Returns the parts of a hint, as data. */
export function partsOf(hint: RemarkText): RemarkParts {
  if (!(hint instanceof Remark)) return [hint];
  return hint.parts.map((part) => (part instanceof OtherLine ? part.line : part));
}

/** Returns the hint that has been taken apart. */
export function hintOf(parts: RemarkParts, naming: NamingWords = (words) => words): Remark {
  return new Remark(parts.map((part) => (typeof part === 'string' ? part : command(...naming(part.words)))));
}

export type ControlPath = keyof ControlCalls;
export type Pairing = z.infer<typeof pairing>;
export type PhoneOutcome = z.infer<typeof phoneOutcome>;
export type Publication = z.infer<typeof publication>;
export type CreatedKey = z.infer<typeof createdKey>;
export type CreateKeyRequest = z.infer<typeof createKeyRequest>;
export type DeletedKey = z.infer<typeof deletedKey>;
export type Deactivation = z.infer<typeof deactivation>;
export type ClockRequest = z.infer<typeof clockRequest>;
export type ClockState = z.infer<typeof clockState>;
export type SandboxState = z.infer<typeof sandboxState>;
export type SandboxCounts = Pick<SandboxState, keyof typeof sandboxCounts>;
export type Stopping = z.infer<typeof stopping>;
export type Seeded = z.infer<typeof seeded>;
export type ShownFault = z.infer<typeof shownFault>;
export type ShownFaults = z.infer<typeof shownFaults>;
export type ShownBehaviour = z.infer<typeof behaviour>;
export type ClearedFaults = z.infer<typeof clearedFaults>;
export type FeedRequest = z.infer<typeof feedRequest>;
export type LogPage = z.infer<typeof logPage>;
export type MessagesRequest = z.infer<typeof messagesRequest>;
export type MessagesPage = z.infer<typeof messagesPage>;
export type SeedRequest = z.infer<typeof seedRequest>;
