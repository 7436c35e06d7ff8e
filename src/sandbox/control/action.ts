import type * as z from 'zod/mini';
import type { Behaviour } from '../faults/behaviour.ts';
import type { Faults } from '../faults/faults.ts';
import { check } from '../http/check.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { Service } from '../service.ts';
import { ControlProblem } from './problem.ts';
import type { ControlCalls, ControlPath } from './protocol.ts';

/** What the control channel acts on. */
export interface Controlled {
  readonly service: Service;
  readonly faults: Faults;
  readonly behaviour: Behaviour;
  /** Undefined if none is kept. */
  readonly requestLog: RequestLog | undefined;
  readonly about: AboutSandbox;
  /** Empties it, but for its first key, and sets its clock back to the machine's. */
  reset(): Promise<void>;
  /** Ends it, once this call has its answer. */
  stop(): Promise<void>;
}

/** What is known of a sandbox since it started. */
export interface AboutSandbox {
  /** Path of its data directory. */
  readonly data: string;
  /** The database on a server that has its rows, as it is shown, null if there is none. */
  readonly database: string | null;
  /** Path of the file with what its process says, null if there is none. */
  readonly log: string | null;
  readonly phone: 'auto' | 'manual';
  /** The key that it begins with, and that a reset leaves. */
  readonly keyId: string;
  /** By the machine's clock. */
  readonly startedAt: Date;
}

/** A call of the control channel, from a caller who has its token. */
export interface ControlRequest {
  readonly body: Buffer;
  readonly type: string;
  readonly query: URLSearchParams;
  /** Aborted once nobody waits for the answer any more, or the sandbox stops. */
  readonly signal: AbortSignal;
}

/** One action for each control call named. */
export type Actions<P extends ControlPath = ControlPath> = {
  readonly [K in P]: (controlled: Controlled, request: ControlRequest) => Promise<ControlCalls[K]>;
};

/**
 * Returns the body of a call, checked.
 * @throws ControlProblem if it is not JSON
 * @throws Refusal BAD_REQUEST if it is not what the call takes
 */
export function parseJson<S extends z.ZodMiniType>(schema: S, body: Buffer): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ControlProblem(400, 'The body is not JSON.');
  }
  return check(schema, value, 'body');
}
