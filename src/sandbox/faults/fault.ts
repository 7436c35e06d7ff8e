import * as z from 'zod/mini';
import { errorStatus } from '../../contract/envelope.ts';
import { count } from '../../contract/schema.ts';

/** Maximum bytes of a fault's response: in base64 they fit into a call of the control channel. */
export const maxFaultBodyBytes = 4 * 1024 * 1024;

/** The value of `Retry-After`: seconds; `date`: a date a second or two ahead; `none`: no header. */
const retryAfter = z.union([z.int().check(z.minimum(0), z.maximum(86_400)), z.enum(['date', 'none'])]);

const status = z.int().check(z.minimum(200), z.maximum(599));
const printable = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[\x20-\x7e]+$/));

/** The effect of a fault, besides a delay. */
const faultEffect = z.discriminatedUnion('kind', [
  /** Responds with an error envelope. The request is not served. */
  z.strictObject({
    kind: z.literal('status'),
    status: status.check(z.minimum(400)),
    code: z.optional(printable),
    retry_after: z.optional(retryAfter),
  }),
  /** Responds with these bytes, given in base64. The request is not served. */
  z.strictObject({
    kind: z.literal('body'),
    bytes: z.base64().check(z.maxLength(Math.ceil(maxFaultBodyBytes / 3) * 4)),
    type: printable,
    status,
    retry_after: z.optional(retryAfter),
  }),
  /** Resets the connection before or after the request is served; the response is lost. */
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'after']) }),
  /** Serves the request, sends half of the response and resets the connection. */
  z.strictObject({ kind: z.literal('truncate') }),
]);

/** The definition of a fault: its target, when it applies, and its effect. */
export const faultRequest = z.strictObject({
  target: z.string().check(z.maxLength(1000)),
  /** Milliseconds to delay the request first. */
  delay: z.optional(z.int().check(z.minimum(1), z.maximum(2 ** 31 - 1))),
  effect: z.optional(faultEffect),
  /** Number of matching requests to let through first. */
  after: z.optional(count),
  /** Number of requests after which it ends. */
  times: z.optional(z.int().check(z.minimum(1))),
  /** The probability for each request; always if not given. */
  rate: z.optional(z.number().check(z.gt(0), z.lte(1))),
  /** Makes the random choices reproducible. */
  seed: z.optional(z.string().check(z.minLength(1))),
});

/** A fault in words. */
export const shownFault = z.strictObject({
  id: z.string(),
  target: z.string(),
  effect: z.string(),
  when: z.string(),
  /** Matching requests since it was added. */
  seen: count,
  /** Requests that it applied to. */
  met: count,
});

export type ShownFault = z.infer<typeof shownFault>;
export type RetryAfter = z.infer<typeof retryAfter>;
export type FaultEffect = z.infer<typeof faultEffect>;
export type FaultRequest = z.infer<typeof faultRequest>;

/** Returns the default error code for a status. */
export function codeOf(status: number): string {
  const found = Object.entries(errorStatus).find(([, own]) => own === status);
  return found?.[0] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'BAD_REQUEST');
}

/** Returns the default `Retry-After`: only 429 asks for a wait. */
export function retryAfterOf({ status, retry_after: given }: AnsweringEffect): RetryAfter {
  return given ?? (status === 429 ? 1 : 'none');
}

type AnsweringEffect = { readonly status: number; readonly retry_after?: RetryAfter | undefined };

/** Describes the effect of a fault, in the words of its options. */
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

/** Describes when a fault applies, in the words of its options. */
export function whenText({ after, times, rate, seed }: FaultRequest): string {
  const parts = [
    after !== undefined && after > 0 && `after ${after}`,
    times !== undefined && `times ${times}`,
    rate !== undefined && `rate ${rate}, seed ${seed}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'always' : parts.join(', ');
}
