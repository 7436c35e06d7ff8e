import { errorStatus } from '../../contract/envelope.ts';
import type { Refusal } from '../service.ts';

/** A complete response before it is sent. */
export interface Reply {
  readonly status: number;
  /** By lower-case names, without the content length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Returns a success envelope. */
export function success(data: unknown, meta: unknown): Reply {
  return jsonReply(200, { success: true, data, ...(meta !== undefined && { meta }) });
}

/** Returns an error envelope. */
export function refusal(refused: Refusal): Reply {
  const { message, code, details } = refused;
  const envelope = { success: false, error: message, code, ...(details !== undefined && { details }) };
  const reply = jsonReply(errorStatus[code], envelope);
  if (code !== 'UNAUTHORIZED') return reply;
  // RFC 9110, 15.5.2: a 401 has to state how to authenticate.
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer' } };
}

/** Returns a JSON response. */
export function jsonReply(status: number, body: unknown): Reply {
  return { status, headers: jsonHeaders, body: Buffer.from(JSON.stringify(body)) };
}
