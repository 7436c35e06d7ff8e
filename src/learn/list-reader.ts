import { ServiceError } from '../client/answer.ts';
import type { Api, PagedEndpoint } from '../client/api.ts';
import { type Listing, readListing } from '../client/listing.ts';
import type { RawAnswer } from '../client/raw-request.ts';
import { retryAfter } from '../client/retry.ts';
import { TransportError } from '../client/transport-error.ts';
import { percentEncoded } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { type Clock, DeadlineExceeded } from '../lib/clock.ts';
import { Failure } from '../lib/errors.ts';
import { isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import type { ProfileSettings } from '../settings/profile-settings.ts';
import { LimitReached, runLimits } from './limits.ts';

/** The error if no further request is made: a limit was reached, or the service stopped responding. */
export class ReadingStopped extends Error {
  override readonly name = 'Stopped';

  constructor(override readonly cause: Failure | LimitReached) {
    super(cause.message);
  }
}

/** The response to a read. */
export interface ReadResult {
  /** `failed`: the service broke, or the response isn't the API's, so it proves nothing about the query. */
  readonly outcome: 'answered' | 'refused' | 'failed';
  readonly status: number;
  /** The list; undefined if the response contains none. */
  readonly listing: Listing | undefined;
  readonly rows: readonly JsonObject[];
}

/** A query; numbers and booleans are written as text. */
export type ListParameters = Readonly<Record<string, string | number | boolean>>;

export interface ReadingOptions {
  /**
   * Its client must not retry. Its calls may throw `LimitReached`, and `DeadlineExceeded` when the time of the run is
   * over.
   */
  readonly api: Pick<Api, 'baseUrl' | 'request'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Ends waits and calls. */
  readonly signal: AbortSignal;
  /** The longest wait that the service may request, in milliseconds; a longer one ends the run. */
  readonly longestWait: number;
  /** Retries of a read whose response was lost. */
  readonly retries: number;
  /** The settings of the profile. */
  readonly settings?: Pick<ProfileSettings, 'queryNames' | 'firstPage'> | undefined;
  /** The findings so far, by the names of the choices. */
  readonly found: ReadonlyMap<string, { readonly known: boolean; readonly value: unknown }>;
}

/** Consecutive failed reads after which the service counts as down. */
const maxFailures = 3;

/** Reads lists, one request at a time, and each query only once. */
export class ListReader {
  readonly #options: ReadingOptions;
  readonly #prefix: string;
  readonly #answers = new Map<string, ReadResult>();
  /** Consecutive failed reads. */
  #failed = 0;
  #isAnswered = false;
  #end: ReadingStopped | undefined;
  #bytes = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#prefix = new URL(options.api.baseUrl).pathname.replace(/\/+$/, '');
  }

  /** The reason that no further request is made, if any. */
  get end(): ReadingStopped | undefined {
    return this.#end;
  }

  /** The settings of the profile. */
  get settings(): NonNullable<ReadingOptions['settings']> {
    return this.#options.settings ?? {};
  }

  /** Returns the value of a known choice, otherwise undefined. */
  found(choice: string): unknown {
    const finding = this.#options.found.get(choice);
    return finding?.known ? finding.value : undefined;
  }

  /**
   * Reads a list.
   * @param again the reason to repeat a query that was already answered
   * @throws ReadingStopped
   */
  async list(name: PagedEndpoint, query: ListParameters = {}, again?: string): Promise<ReadResult> {
    const pairs = Object.entries(query).map(
      ([member, value]) => `${percentEncoded(member)}=${percentEncoded(String(value))}`,
    );
    const path = `${this.#prefix}${endpoints[name].path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
    const key = again === undefined ? path : `${path}#${again}`;
    const before = this.#answers.get(key);
    if (before) return before;
    if (this.#end) throw this.#end;
    const heard = await this.#ask(path);
    this.#answers.set(key, heard);
    this.#failed = heard.outcome === 'failed' ? this.#failed + 1 : 0;
    if (heard.outcome !== 'failed') this.#isAnswered = true;
    return heard;
  }

  async #ask(path: string): Promise<ReadResult> {
    const { clock, retries, signal } = this.#options;
    try {
      for (let repeated = 0; ; repeated += 1) {
        const answer = await this.#request(path);
        const heard = answer instanceof Failure ? undefined : toReadResult(answer);
        if (heard && heard.outcome !== 'failed') return heard;
        const failure = answer instanceof Failure ? answer : answer.failure;
        const wait = failure && repeated < retries ? this.#waitBefore(failure, repeated) : undefined;
        if (wait === undefined) {
          // A service that fails for one parameter may still accept others.
          const isBroken = heard && (failure === undefined || failure.kind === 'network');
          const isDown = !this.#isAnswered || this.#failed + 1 >= maxFailures;
          if (isBroken && !isDown) return heard;
          throw this.#stop(failure ?? this.#foreign(path));
        }
        await clock.sleep(wait, signal);
      }
    } catch (thrown) {
      if (thrown instanceof LimitReached) throw this.#stop(thrown);
      if (thrown instanceof DeadlineExceeded) throw this.#stop(new LimitReached('duration'));
      throw thrown;
    }
  }

  /**
   * Returns the response, or the failure if there is none.
   * @throws LimitReached, DeadlineExceeded, the failure of an interruption
   */
  async #request(path: string): Promise<RawAnswer | Failure> {
    const { api, signal } = this.#options;
    signal.throwIfAborted();
    if (this.#bytes > runLimits.bytes) throw new LimitReached('bytes');
    const answer = await api.request({ method: 'GET', path }).catch((thrown: unknown) => {
      if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
      return thrown;
    });
    signal.throwIfAborted();
    if (!(answer instanceof Failure)) this.#bytes += answer.bytes.length;
    else if (isTooLarge(answer)) throw new LimitReached('bytes');
    return answer;
  }

  /** Returns the milliseconds until a read is repeated, or undefined if that is pointless or takes too long. */
  #waitBefore({ kind, cause }: Failure, repeated: number): number | undefined {
    if (kind !== 'network' && kind !== 'rateLimited') return undefined;
    if (cause instanceof ServiceError && cause.kind === 'foreign') return undefined;
    const asked =
      cause instanceof ServiceError
        ? retryAfter(cause.detail.retryAfter, this.#options.clock.now())
        : undefined;
    const wait = asked ?? 500 * 2 ** repeated;
    return wait > this.#options.longestWait ? undefined : wait;
  }

  #foreign(path: string): Failure {
    const { baseUrl } = this.#options.api;
    return new Failure('network', `The response of ${baseUrl} to GET ${path} is not from the API.`, {
      hint: remark`The address may be wrong, or the network may require a sign-in: open the address in a browser. Check it with ${command('whoami')}.`,
    });
  }

  #stop(cause: Failure | LimitReached): ReadingStopped {
    this.#end ??= new ReadingStopped(cause);
    return this.#end;
  }
}

/** Returns true if a response exceeded the client's size limit: repeating the read would only load as much again. */
function isTooLarge({ cause }: Failure): boolean {
  return cause instanceof TransportError && cause.reason === 'tooLarge';
}

/** Describes how a service failed at a read, in words that follow "The service". */
export function breakage({ status }: ReadResult): string {
  return status >= 500 ? `failed with ${status}` : 'gave a response that is not from the API';
}

function toReadResult({ status, bytes, failure }: RawAnswer): ReadResult {
  const body = parseJson(Buffer.from(bytes).toString('utf8'));
  if (failure !== undefined || typeof body !== 'object') {
    const isRefused = failure !== undefined && isServiceRefusal(failure, status);
    return { outcome: isRefused ? 'refused' : 'failed', status, listing: undefined, rows: [] };
  }
  const data = isObject(body) && 'data' in body ? body.data : body;
  const listing = readListing(data, isObject(body) ? body.meta : undefined);
  return { outcome: 'answered', status, listing, rows: listing?.elements.filter(isObject) ?? [] };
}

/** Returns true if the service itself refused this read, and may accept another one. */
function isServiceRefusal({ kind }: Failure, status: number): boolean {
  if (kind === 'rejected' || kind === 'notFound') return true;
  return status >= 400 && status < 500 && kind !== 'authentication' && kind !== 'rateLimited';
}
