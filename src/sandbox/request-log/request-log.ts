import { performance } from 'node:perf_hooks';
import * as z from 'zod/mini';
import type { Feed } from '../feed.ts';
import type { Exchange, OutgoingReply } from '../http/exchange.ts';
import { maskedUrl } from './masked-url.ts';

/** A served request, as logged. */
export const loggedRequest = z.strictObject({
  /** The time it arrived, by the sandbox's clock. */
  time: z.string(),
  /** The header `x-request-id` of its response. */
  request_id: z.string(),
  /** The name of the call in the API's description; absent if the API has no such call. */
  operation: z.optional(z.string()),
  /** Absent, like the path, if the request could not be parsed. */
  method: z.optional(z.string()),
  /** With its query, but with secrets in it masked. */
  path: z.optional(z.string()),
  /** Absent if no response was sent. */
  status: z.optional(z.int()),
  /** Milliseconds from the request's head to its response, or to its end without one. */
  duration_ms: z.number(),
  /** The key that it was made with, if it had a valid token. */
  key_id: z.optional(z.string()),
  /** The injected fault. */
  fault: z.optional(z.string()),
  /** Content length of the request; absent if it has none. */
  request_bytes: z.optional(z.number()),
  /** Bytes of the response body. */
  response_bytes: z.optional(z.number()),
});

export type LoggedRequest = z.infer<typeof loggedRequest>;

/** Receives each request when it ends. */
export interface RequestSink {
  /** Resolves once the row is stored, or can't be; never rejects. */
  append(row: LoggedRequest): Promise<void>;
}

/** The requests to the service, in the order in which they ended. */
export interface RequestLog extends Feed<LoggedRequest>, RequestSink {
  close(): void;
}

/** Logs a request with its response, or without one. Only the first call has an effect. */
export type LogReply = (answer?: OutgoingReply) => Promise<void>;

/** Returns the function that logs a request; its duration is measured from now on. */
export function replyLogger(log: RequestSink | undefined, exchange: Exchange): LogReply {
  const begun = performance.now();
  let isLogged = false;
  return async (answer) => {
    if (isLogged) return;
    isLogged = true;
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
