import * as z from 'zod/mini';
import { errorStatus } from '../../contract/envelope.ts';
import { count } from '../../contract/schema.ts';

/** Bytes that a fault may answer with: in base64 they fit into a call of the control channel. */
export const maxFaultBodyBytes = 4 * 1024 * 1024;

/** Seconds that `Retry-After` asks for; `date`: as a date, a second or two ahead; `none`: the header is left out. */
const retryAfter = z.union([z.int().check(z.minimum(0), z.maximum(86_400)), z.enum(['date', 'none'])]);

const status = z.int().check(z.minimum(200), z.maximum(599));
const printable = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[\x20-\x7e]+$/));

/** What is done to a request, beside a delay. */
const faultEffect = z.discriminatedUnion('kind', [
  /** An answer in the error envelope. The request is not served. */
  z.strictObject({
    kind: z.literal('status'),
    status: status.check(z.minimum(400)),
    code: z.optional(printable),
    retry_after: z.optional(retryAfter),
  }),
  /** An answer of these bytes, in base64. The request is not served. */
  z.strictObject({
    kind: z.literal('body'),
    bytes: z.base64().check(z.maxLength(Math.ceil(maxFaultBodyBytes / 3) * 4)),
    type: printable,
    status,
    retry_after: z.optional(retryAfter),
  }),
  /** The connection is reset before or after the request is served; its answer is lost. */
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'after']) }),
  /** The request is served, and half of its answer goes out before the connection is reset. */
  z.strictObject({ kind: z.literal('truncate') }),
]);

/** A fault as it is asked for: which requests it is for, when it applies to them, and what it does then. */
export const faultRequest = z.strictObject({
  target: z.string().check(z.maxLength(1000)),
  /** Milliseconds that a request waits before anything else. */
  delay: z.optional(z.int().check(z.minimum(1), z.maximum(2 ** 31 - 1))),
  effect: z.optional(faultEffect),
  /** Requests that are let through first. */
  after: z.optional(count),
  /** Requests that it applies to, before it ends. */
  times: z.optional(z.int().check(z.minimum(1))),
  /** Its chance with each request; always if not given. */
  rate: z.optional(z.number().check(z.gt(0), z.lte(1))),
  /** Makes what chance decides repeatable. */
  seed: z.optional(z.string().check(z.minLength(1))),
});

/** A fault in words. */
export const shownFault = z.strictObject({
  id: z.string(),
  target: z.string(),
  effect: z.string(),
  when: z.string(),
  /** Requests of its target since it was added. */
  seen: count,
  /** Requests that it applied to. */
  met: count,
});

export type ShownFault = z.infer<typeof shownFault>;
export type RetryAfter = z.infer<typeof retryAfter>;
export type FaultEffect = z.infer<typeof faultEffect>;
export type FaultRequest = z.infer<typeof faultRequest>;

/** Returns the code that the answer of a fault carries where none was given. */
export function codeOf(status: number): string {
  const found = Object.entries(errorStatus).find(([, own]) => own === status);
  return found?.[0] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'BAD_REQUEST');
}

/** Returns what `Retry-After` says where nothing was given: only 429 asks for a wait. */
export function retryAfterOf({ status, retry_after: given }: AnsweringEffect): RetryAfter {
  return given ?? (status === 429 ? 1 : 'none');
}

type AnsweringEffect = { readonly status: number; readonly retry_after?: RetryAfter | undefined };

/** Returns what a fault does, in the words of its options. */
export function effectText({ delay, effect }: Pick<FaultRequest, 'delay' | 'effect'>): string {
  const parts = [delay !== undefined && `delay ${delay / 1000}s`, effect && textOf(effect)];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function textOf(effect: FaultEffect): string {
  switch (effect.kind) {
    case 'status':
      return `status ${effect.status} ${effect.code ?? codeOf(effect.status)}${asksToWait(effect)}`;
    case 'body': {
      const size = Buffer.byteLength(effect.bytes, 'base64');
      return `body of ${size} bytes, type ${effect.type}, status ${effect.status}${asksToWait(effect)}`;
    }
    case 'reset':
      return `reset ${effect.when}`;
    case 'truncate':
      return 'truncate';
  }
}

function asksToWait(effect: AnsweringEffect): string {
  const asked = retryAfterOf(effect);
  return asked === 'none' ? '' : `, retry-after ${asked}`;
}

/** Returns when a fault applies, in the words of its options. */
export function whenText({ after, times, rate, seed }: FaultRequest): string {
  const parts = [
    after !== undefined && after > 0 && `after ${after}`,
    times !== undefined && `times ${times}`,
    rate !== undefined && `rate ${rate}, seed ${seed}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'always' : parts.join(', ');
}
