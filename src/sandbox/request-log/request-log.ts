import { performance } from 'node:perf_hooks';
import * as z from 'zod/mini';
import type { Feed } from '../feed.ts';
import type { Exchange, OutgoingReply } from '../http/exchange.ts';
import { maskedUrl } from './masked-url.ts';

/** A request that the service met, as its log tells it. */
export const loggedRequest = z.strictObject({
  /** When it came, by the sandbox's clock. */
  time: z.string(),
  /** As the header `x-request-id` of its answer says. */
  request_id: z.string(),
  /** The name of the call in the API's description; absent if the API has no such call. */
  operation: z.optional(z.string()),
  /** Absent, like the path, where the request could not be read so far. */
  method: z.optional(z.string()),
  /** With its query, and without the secrets that may stand there. */
  path: z.optional(z.string()),
  /** Absent if no answer went out. */
  status: z.optional(z.int()),
  /** Milliseconds from its head to its answer, or to its end without one. */
  duration_ms: z.number(),
  /** The key that it was made with, if it had a valid token. */
  key_id: z.optional(z.string()),
  /** What was done to it on purpose. */
  fault: z.optional(z.string()),
  /** Bytes of its body, as it says; absent if it doesn't. */
  request_bytes: z.optional(z.number()),
  /** Bytes of the body of the answer. */
  response_bytes: z.optional(z.number()),
});

export type LoggedRequest = z.infer<typeof loggedRequest>;

/** Is given each request when it ends. */
export interface RequestSink {
  /** Ends once the row is kept, or can't be; it never fails. */
  append(row: LoggedRequest): Promise<void>;
}

/** The requests that the service met, in the order in which they ended. */
export interface RequestLog extends Feed<LoggedRequest>, RequestSink {
  close(): void;
}

/** Notes a request, with its answer, or that there is none. Only the first time counts. */
export type Note = (answer?: OutgoingReply) => Promise<void>;

/** Returns the function that logs a request, which begins now. */
export function noteFor(log: RequestSink | undefined, exchange: Exchange): Note {
  const begun = performance.now();
  let isNoted = false;
  return async (answer) => {
    if (isNoted) return;
    isNoted = true;
    const { receivedAt, requestId, operation, method, url, keyId, fault, requestBytes } = exchange;
    const reply = answer?.cut === 'before' ? undefined : answer?.reply;
    const row = {
      time: receivedAt.toISOString(),
      request_id: requestId,
      operation,
      method: method === '' ? undefined : method,
      path: url === '' ? undefined : maskedUrl(url),
      status: reply?.status,
      duration_ms: Math.round((performance.now() - begun) * 10) / 10,
      key_id: keyId,
      fault,
      request_bytes: requestBytes,
      response_bytes: reply?.body.length,
    };
    await log?.append(row);
  };
}
