import { type Clock, DeadlineExceeded } from '../lib/clock.ts';
import { ServiceError } from './answer.ts';
import { TransportError, type TransportReason } from './transport-error.ts';

/** A call that may be retried. */
export interface RetryableCall<T> {
  /** True if two calls have the same effect as one. */
  readonly repeatable: boolean;
  /** Makes one attempt. */
  attempt(): Promise<T>;
  /**
   * Returns the success implied by an error of an attempt, or undefined if it is a real error.
   * @param before the errors of the earlier attempts
   */
  settle(error: unknown, before: readonly unknown[]): Promise<T | undefined>;
}

/** Options of retries. */
export interface RetryOptions {
  /** Retries after the first attempt. */
  readonly retries: number;
  /** Host and port of the service, for messages about a wait. */
  readonly host: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when a wait has taken a second, with the remaining milliseconds. */
  onWait(text: string, restMs: number): void;
  onDebug?: ((text: string) => void) | undefined;
}

/** No further attempt starts this many milliseconds after the first. */
const maxTotalMs = 120_000;

/** Milliseconds of the first backoff. Each further one doubles, up to the maximum. */
const firstBackoffMs = 500;
const maxBackoffMs = 20_000;

/** A longer wait is reported to the user. Milliseconds. */
const maxSilentWaitMs = 1000;

/** Network failures that may be transient. */
const transientReasons: ReadonlySet<TransportReason> = new Set([
  'dnsBusy',
  'refused',
  'unreachable',
  'connectTimeout',
  'reset',
  'timeout',
  'protocol',
  'proxy',
]);

/**
 * Returns true if the call may have taken effect although no success was returned. A 4xx of the service has no effect;
 * a server error, a truncated response or a response that isn't the API's may. So may any redirect, even one whose body
 * is an error: frameworks redirect after they have stored a form.
 */
export function isUncertain(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent && error.reason !== 'file';
  if (!(error instanceof ServiceError)) return false;
  const { kind, status } = error;
  const isRedirect = status >= 300 && status < 400;
  return isRedirect || kind === 'server' || (kind === 'foreign' && status < 300);
}

/** Returns true if another attempt can help and does no harm. */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!repeatable && isUncertain(error)) return false;
  // A refusal by the proxy is permanent; a proxy that can't be reached may be transient.
  if (error instanceof TransportError)
    return transientReasons.has(error.reason) && error.detail.proxyStatus === undefined;
  if (!(error instanceof ServiceError)) return false;
  return error.kind === 'rateLimited' || (error.kind === 'server' && error.status !== 501);
}

/**
 * Makes attempts until one succeeds or another one is pointless, unsafe or too late. Between attempts it waits as long
 * as `Retry-After` says, or with exponential backoff and full jitter.
 *
 * @throws the error of the last attempt
 */
export async function withRetries<T>(
  { repeatable, attempt, settle }: RetryableCall<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock } = options;
  const start = clock.now();
  const before: unknown[] = [];
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const settled = await settle(error, before).catch((failed: unknown) => {
        options.signal.throwIfAborted();
        throw failed;
      });
      if (settled !== undefined) return settled;
      options.signal.throwIfAborted();
      if (before.length >= options.retries || !mayRepeat(error, repeatable)) throw error;
      const wait = waitBefore(error, before.length, clock.now(), clock.random());
      if (clock.now() - start + wait > maxTotalMs) throw error;
      options.onDebug?.(
        `waiting ${seconds(wait)} before attempt ${before.length + 2}: ${waitReason(error, options.host)}`,
      );
      before.push(error);
      await waitVisibly(wait, error, before.length + 1, options).catch((ended: unknown) => {
        // The response that asked to wait explains more than the end of the deadline.
        throw ended instanceof DeadlineExceeded ? error : ended;
      });
    }
  }
}

function waitBefore(error: unknown, repetition: number, now: number, random: number): number {
  const backoff = random * Math.min(maxBackoffMs, firstBackoffMs * 2 ** repetition);
  const asked = error instanceof ServiceError ? retryAfter(error.detail.retryAfter, now) : undefined;
  // Waits slightly longer than asked, so that many clients don't return at the same instant.
  return asked === undefined ? backoff : asked + Math.min(backoff, maxSilentWaitMs);
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait: seconds, or a date (RFC 9110, 10.2.3). Returns
 * undefined if the header is missing or unreadable.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Every date format begins with the name of a day; Date.parse alone would accept almost anything.
  const date = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Waits, and reports a wait of more than a second.
 * @param attempt number of the next attempt, counted from 1
 */
async function waitVisibly(
  wait: number,
  error: unknown,
  attempt: number,
  { clock, signal, onWait, host, retries }: RetryOptions,
): Promise<void> {
  await clock.sleep(Math.min(wait, maxSilentWaitMs), signal);
  if (wait <= maxSilentWaitMs) return;
  const rest = wait - maxSilentWaitMs;
  const when = rest < 1000 ? 'now' : `in ${seconds(rest)}`;
  onWait(`${waitReason(error, host)}; trying again ${when} (attempt ${attempt} of ${retries + 1}).`, rest);
  await clock.sleep(rest, signal);
}

function waitReason(error: unknown, host: string): string {
  if (error instanceof ServiceError) {
    if (error.kind === 'rateLimited') return 'The service asks for fewer requests (429)';
    return `The service failed (${error.status})`;
  }
  if (!(error instanceof TransportError)) return 'The request failed';
  const causes: Partial<Readonly<Record<TransportReason, string>>> = {
    dnsBusy: `The name ${host} can't be looked up at the moment`,
    refused: `Nothing answers at ${host}: connection refused`,
    unreachable: `${host} can't be reached`,
    connectTimeout: `No connection to ${host} in time`,
    timeout: `No complete answer from ${host} in time`,
    proxy: "The proxy doesn't answer",
  };
  return causes[error.reason] ?? `The connection to ${host} broke`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 10_000
    ? `${(milliseconds / 1000).toFixed(1)} s`
    : `${Math.ceil(milliseconds / 1000)} s`;
}
