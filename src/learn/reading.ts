import { ServiceError } from '../client/answer.ts';
import type { Api, PagedEndpoint } from '../client/api.ts';
import { type Listing, readListing } from '../client/listing.ts';
import type { RawAnswer } from '../client/raw-request.ts';
import { retryAfter } from '../client/retry.ts';
import { percentEncoded } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/errors.ts';
import { isObject, type JsonObject, parseJson } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import type { QueryMember } from '../settings/list-query.ts';
import type { Finding } from './finding.ts';

/** The number of requests that may be made is used up. */
export class OutOfRequests extends Error {
  override readonly name = 'OutOfRequests';

  constructor(readonly most: number) {
    super(`${most} requests were made, and no more may be`);
  }
}

/** No further request is made: none may be, or the service answers no more. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor(override readonly cause: Failure | OutOfRequests) {
    super(cause.message);
  }
}

/** What a read was answered. */
export interface Heard {
  /** `failed`: the service broke at it, which says nothing of what it wants. */
  readonly outcome: 'answered' | 'refused' | 'failed';
  readonly status: number;
  /** The body, read as JSON. */
  readonly body: unknown;
  /** What stands in the envelope, or the body itself if it has none. */
  readonly data: unknown;
  readonly headers: ReadonlyMap<string, string>;
}

/** An answer, to be kept for a run that goes on. */
export interface KeptAnswer extends Pick<Heard, 'status' | 'body'> {
  /** Path and query, as they were asked. */
  readonly path: string;
  readonly outcome: 'answered' | 'refused';
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What a list was answered. */
export interface HeardList extends Heard {
  /** Undefined if the answer holds no list. */
  readonly listing: Listing | undefined;
  readonly rows: readonly JsonObject[];
}

/** A query; a number or a flag is written as it is. */
export type Asked = Readonly<Record<string, string | number | boolean>>;

export interface ReadingOptions {
  /** Its client neither repeats a request nor makes more of them than it may. */
  readonly api: Pick<Api, 'baseUrl' | 'request'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly signal: AbortSignal;
  /** Milliseconds that the service may ask to wait; where it asks for more, what is known by then has to do. */
  readonly longestWait: number;
  /** What an earlier run was answered, which is not asked again. */
  readonly earlier: readonly KeptAnswer[];
  /** Repetitions of a read whose answer was lost. */
  readonly retries: number;
  /** What the profile says that the service calls the parameters of lists. */
  readonly queryNames: Readonly<Partial<Record<QueryMember, string>>>;
  /** Ids of devices that may be at this service, which lists none. */
  readonly devices: readonly string[];
  /** What is known already, by the names of the choices. */
  readonly found: ReadonlyMap<string, Finding>;
}

/** Reads that may break the service one after the other before it is taken to be down. */
const mostFailures = 3;

/** All that is learned of a service comes through here: reads, one at a time, the same one only once. */
export class Reading {
  /** Everything that was answered, in an earlier run too. */
  readonly heard: Heard[] = [];
  readonly #options: ReadingOptions;
  readonly #prefix: string;
  readonly #answers = new Map<string, Heard>();
  #failures = 0;
  #isAnswered = false;
  #end: Stopped | undefined;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#prefix = new URL(options.api.baseUrl).pathname.replace(/\/+$/, '');
    for (const { path, headers, ...kept } of options.earlier)
      this.#keep(path, { ...kept, data: dataIn(kept.body), headers: new Map(headers) });
  }

  get devices(): readonly string[] {
    return this.#options.devices;
  }

  /** The reason why no further request is made, if there is one. */
  get end(): Stopped | undefined {
    return this.#end;
  }

  get queryNames(): ReadingOptions['queryNames'] {
    return this.#options.queryNames;
  }

  /** Returns the value that is known of a choice, or undefined if it is unknown. */
  found(choice: string): unknown {
    const finding = this.#options.found.get(choice);
    return finding?.known ? finding.value : undefined;
  }

  /**
   * Reads a path below the base address.
   * @throws Stopped
   */
  async get(path: string, query: Asked = {}): Promise<Heard> {
    const pairs = Object.entries(query).map(
      ([name, value]) => `${percentEncoded(name)}=${percentEncoded(String(value))}`,
    );
    const whole = `${this.#prefix}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
    const before = this.#answers.get(whole);
    if (before) return before;
    if (this.#end) throw this.#end;
    const heard = await this.#ask(whole);
    this.#keep(whole, heard);
    this.#isAnswered = true;
    this.#failures = heard.outcome === 'failed' ? this.#failures + 1 : 0;
    return heard;
  }

  #keep(path: string, heard: Heard): void {
    this.#answers.set(path, heard);
    this.heard.push(heard);
  }

  /** Returns what a run that goes on need not ask again. What the service broke at may be well then. */
  answers(): readonly KeptAnswer[] {
    return [...this.#answers].flatMap(([path, { outcome, status, body, headers }]) =>
      outcome === 'failed' ? [] : [{ path, outcome, status, body, headers: [...headers] }],
    );
  }

  /** Reads a list. @throws Stopped */
  async list(name: PagedEndpoint, query: Asked = {}): Promise<HeardList> {
    const heard = await this.get(endpoints[name].path, query);
    const meta = isObject(heard.body) ? heard.body.meta : undefined;
    const listing = heard.outcome === 'answered' ? readListing(heard.data, meta) : undefined;
    return { ...heard, listing, rows: listing?.elements.filter(isObject) ?? [] };
  }

  async #ask(path: string): Promise<Heard> {
    const { api, clock, retries, signal } = this.#options;
    for (let repeated = 0; ; repeated += 1) {
      const answer = await api.request({ method: 'GET', path }).catch((thrown: unknown) => {
        if (thrown instanceof OutOfRequests) throw this.#stop(thrown);
        if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
        return thrown;
      });
      signal.throwIfAborted();
      const failure = answer instanceof Failure ? answer : answer.failure;
      const status = answer.status ?? 0;
      if (!(answer instanceof Failure) && (!failure || isSpoken(failure, status))) {
        return this.#opened(answer, path);
      }
      const wait = failure && repeated < retries ? this.#waitBefore(failure, repeated) : undefined;
      if (wait === undefined) {
        const isDown = this.#failures + 1 >= mostFailures || !this.#isAnswered;
        // A service that breaks at one parameter may be well otherwise.
        if (!(answer instanceof Failure) && status >= 500 && !isDown) return this.#opened(answer, path);
        throw this.#stop(failure ?? this.#foreign(path));
      }
      await clock.sleep(wait, signal);
    }
  }

  /** Returns milliseconds to wait before a read is made again, or undefined if that is pointless or takes too long. */
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

  #opened({ status, headers, bytes, failure }: RawAnswer, path: string): Heard {
    const body = parseJson(Buffer.from(bytes).toString('utf8'));
    const isAnswered = failure === undefined;
    if (isAnswered && typeof body !== 'object') throw this.#stop(this.#foreign(path));
    return {
      outcome: isAnswered ? 'answered' : status >= 500 ? 'failed' : 'refused',
      status,
      body,
      data: dataIn(body),
      headers: new Map(headers),
    };
  }

  #foreign(path: string): Failure {
    const { baseUrl } = this.#options.api;
    return new Failure('network', `${baseUrl} answered GET ${path} with something that isn't the API's.`, {
      hint: remark`A wrong address, or a network that wants you to sign in first, answers like this: open it in a browser. Check the address with ${command('whoami')}.`,
    });
  }

  #stop(cause: Failure | OutOfRequests): Stopped {
    this.#end ??= new Stopped(cause);
    return this.#end;
  }
}

function dataIn(body: unknown): unknown {
  return isObject(body) && 'data' in body ? body.data : body;
}

/** True if the service speaks for itself: it refuses this read, and may answer another one. */
function isSpoken({ kind }: Failure, status: number): boolean {
  return status >= 400 && status < 500 && kind !== 'authentication' && kind !== 'rateLimited';
}
