import { type Clock, DeadlineExceeded } from '../lib/clock.ts';
import { ServiceError } from './answer.ts';
import { TransportError, type TransportReason } from './transport-error.ts';

/** What is repeated. */
export interface RetryableCall<T> {
  /** Whether the call made twice leaves what one call leaves. */
  readonly repeatable: boolean;
  /** Makes one attempt. */
  attempt(): Promise<T>;
  /**
   * Returns the result that an error of an attempt stands for, or undefined if it is an error.
   * @param before the errors of the attempts before
   */
  settle(error: unknown, before: readonly unknown[]): Promise<T | undefined>;
}

/** Options of repeating a call. */
export interface RetryOptions {
  /** Repetitions after the first attempt. */
  readonly retries: number;
  /** Host and port of the service, for what is said of a wait. */
  readonly host: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for a wait once it has taken a second, with the milliseconds that are left of it. */
  onWait(text: string, restMs: number): void;
  onDebug?: ((text: string) => void) | undefined;
}

/** Milliseconds in which no further attempt is begun, counted from the first. */
const maxTotalMs = 120_000;

/** Milliseconds of the first backoff; each further one is twice as long, up to the longest. */
const firstBackoffMs = 500;
const maxBackoffMs = 20_000;

/** Milliseconds that a wait may take before a person is told. */
const maxSilentWaitMs = 1000;

/** Failures of the network that another attempt may not meet. */
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
 * True if the call may have taken effect although no success was answered. A refusal that the service
 * means as one (4xx) has none; a server error, a cut answer or an answer that isn't the API's may. So may any
 * redirect, also one whose body is a refusal: frameworks redirect after they have stored a form.
 */
export function isUncertain(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent && error.reason !== 'file';
  if (!(error instanceof ServiceError)) return false;
  const { kind, status } = error;
  const isRedirect = status >= 300 && status < 400;
  return isRedirect || kind === 'server' || (kind === 'foreign' && status < 300);
}

/** True if another attempt can help and does no harm. */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!repeatable && isUncertain(error)) return false;
  // What the proxy answers, it will answer again; that it isn't there may pass.
  if (error instanceof TransportError)
    return transientReasons.has(error.reason) && error.detail.proxyStatus === undefined;
  if (!(error instanceof ServiceError)) return false;
  return error.kind === 'rateLimited' || (error.kind === 'server' && error.status !== 501);
}

/**
 * Makes attempts until one succeeds or another one is pointless, unsafe or too late.
 * Between attempts it waits as long as `Retry-After` says, or exponentially longer with full jitter.
 *
 * @throws what the last attempt threw
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
        // The answer that asked to wait says more than that the time is up.
        throw ended instanceof DeadlineExceeded ? error : ended;
      });
    }
  }
}

function waitBefore(error: unknown, repetition: number, now: number, random: number): number {
  const backoff = random * Math.min(maxBackoffMs, firstBackoffMs * 2 ** repetition);
  const asked = error instanceof ServiceError ? retryAfter(error.detail.retryAfter, now) : undefined;
  // A little beyond what was asked, so that many clients don't come back in the same instant.
  return asked === undefined ? backoff : asked + Math.min(backoff, maxSilentWaitMs);
}

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, or a date (RFC 9110, 10.2.3).
 * Returns undefined if there is none, or none that can be read.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Every form of a date begins with the name of a day; Date.parse alone would read almost anything.
  const date = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** @param attempt that comes, counted from 1 */
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
