import { isDeepStrictEqual } from 'node:util';
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
import { command, placeholder, remark } from '../lib/text/remark.ts';
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

/** A list is another one than when it was read first, so that what was asked of it since is to be asked again. */
export class Changed extends Error {
  override readonly name = 'Changed';
}

/** What a read was answered. */
export interface Heard {
  /** `failed`: the service broke at it, or the answer isn't the API's, which says nothing of what it wants. */
  readonly outcome: 'answered' | 'refused' | 'failed';
  readonly status: number;
  /** The body, read as JSON. */
  readonly body: unknown;
  /** What stands in the envelope, or the body itself if it has none. */
  readonly data: unknown;
  readonly headers: ReadonlyMap<string, string>;
  /** Size of the body in bytes; 0 if an earlier run read it. */
  readonly size: number;
}

/** An answer, to be kept for a run that goes on. */
export interface KeptAnswer extends Pick<Heard, 'outcome' | 'status' | 'body'> {
  /** Path and query, as they were asked; after a `#` what it was asked again for. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
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
  /** What the profile says that the first page is called, if it says so. */
  readonly firstPage?: 0 | undefined;
  /** Ids of devices that may be at this service, which lists none. */
  readonly devices: readonly string[];
  /** What is known already, by the names of the choices. */
  readonly found: ReadonlyMap<string, Finding>;
}

const pagedLists: readonly PagedEndpoint[] = ['listTeams', 'listBots', 'listDocuments'];

/** Reads that may break the service one after the other before it is taken to be down. */
const mostFailures = 3;

/** Limit of the bytes of all responses: rows that large are no help to learn from. */
const maxBytes = 128 * 1024 ** 2;

/** A larger response is not stored for a run that continues: storing it would take longer than reading it again. */
const maxStoredBytes = 1024 ** 2;

/** A list may be another one after this time, and is looked at before more is asked of it. Milliseconds. */
const longestUnchangedMs = 3_600_000;

/** All that is learned of a service comes through here: reads, one at a time, the same one only once. */
export class Reading {
  readonly #options: ReadingOptions;
  readonly #prefix: string;
  readonly #answers = new Map<string, Heard & { readonly at: number }>();
  /** The reads that failed since one was answered. */
  #failed: string[] = [];
  #isAnswered = false;
  #end: Stopped | undefined;
  readonly #headers = new Set<string>();
  #answered = 0;
  #bytes = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#prefix = new URL(options.api.baseUrl).pathname.replace(/\/+$/, '');
    for (const { path, headers, at, ...kept } of options.earlier) {
      this.#see(headers);
      this.#answers.set(path, { ...kept, at, data: dataIn(kept.body), headers: new Map(headers), size: 0 });
    }
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

  get firstPage(): ReadingOptions['firstPage'] {
    return this.#options.firstPage;
  }

  /** The names of the headers of all answers, those of refusals and of an earlier run too, and how many those were. */
  get headers(): { readonly names: readonly string[]; readonly answers: number } {
    return { names: [...this.#headers].sort(), answers: this.#answered };
  }

  /** True if the service answered a read, in an earlier run too. */
  get isAnyAnswered(): boolean {
    return [...this.#answers.values()].some(({ outcome }) => outcome !== 'failed');
  }

  /** Returns the value that is known of a choice, or undefined if it is unknown. */
  found(choice: string): unknown {
    const finding = this.#options.found.get(choice);
    return finding?.known ? finding.value : undefined;
  }

  /**
   * Reads a path below the base address.
   * @param again why it is read once more, where what it was answered before may have changed
   * @throws Stopped
   * @throws Changed where it is of a list that has changed since it was read
   */
  async get(path: string, query: Asked = {}, again?: string): Promise<Heard> {
    const pairs = Object.entries(query).map(
      ([name, value]) => `${percentEncoded(name)}=${percentEncoded(String(value))}`,
    );
    const whole = `${this.#prefix}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
    const key = again === undefined ? whole : `${whole}#${again}`;
    const before = this.#answers.get(key);
    if (before) return before;
    if (this.#end) throw this.#end;
    await this.#checkUnchanged(path);
    const heard = await this.#ask(whole);
    this.#answers.set(key, { ...heard, at: this.#options.clock.now() });
    this.#failed = heard.outcome === 'failed' ? [...this.#failed, key] : [];
    if (heard.outcome !== 'failed') this.#isAnswered = true;
    return heard;
  }

  /** Reads a list again that was read long ago: where rows came or went, old answers and new ones don't go together. */
  async #checkUnchanged(path: string): Promise<void> {
    const name = pagedLists.find((one) => `${path}/`.startsWith(`${endpoints[one].path}/`));
    if (!name) return;
    const whole = this.#prefix + endpoints[name].path;
    const before = this.#answers.get(whole);
    const now = this.#options.clock.now();
    if (!before || now - before.at <= longestUnchangedMs) return;
    const heard = await this.#ask(whole);
    this.#isAnswered = true;
    if (heard.outcome === before.outcome && isDeepStrictEqual(rowsOf(heard), rowsOf(before))) {
      this.#answers.set(whole, { ...before, at: now });
      return;
    }
    for (const key of this.#answers.keys()) if (key.startsWith(whole)) this.#answers.delete(key);
    this.#answers.set(whole, { ...heard, at: now });
    throw new Changed(`the list ${name} has changed`);
  }

  #see(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name] of headers) this.#headers.add(name);
    this.#answered += 1;
  }

  /** Returns what a run that goes on need not ask again. What the service broke at last may be well then. */
  answers(): readonly KeptAnswer[] {
    return [...this.#answers].flatMap(([path, { at, outcome, status, body, headers, size }]) =>
      this.#failed.includes(path) || size > maxStoredBytes
        ? []
        : [{ path, at, outcome, status, body, headers: [...headers] }],
    );
  }

  /** Reads a list. @throws as `get` */
  async list(name: PagedEndpoint, query: Asked = {}, again?: string): Promise<HeardList> {
    const heard = await this.get(endpoints[name].path, query, again);
    return { ...heard, ...rowsOf(heard) };
  }

  async #ask(path: string): Promise<Heard> {
    const { api, clock, retries, signal } = this.#options;
    for (let repeated = 0; ; repeated += 1) {
      if (this.#bytes > maxBytes) throw this.#stop(tooMuch());
      const answer = await api.request({ method: 'GET', path }).catch((thrown: unknown) => {
        if (thrown instanceof OutOfRequests) throw this.#stop(thrown);
        if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
        return thrown;
      });
      signal.throwIfAborted();
      if (!(answer instanceof Failure)) {
        this.#see(answer.headers);
        this.#bytes += answer.bytes.length;
      }
      const heard = answer instanceof Failure ? undefined : opened(answer);
      if (heard && heard.outcome !== 'failed') return heard;
      const failure = answer instanceof Failure ? answer : answer.failure;
      const wait = failure && repeated < retries ? this.#waitBefore(failure, repeated) : undefined;
      if (wait === undefined) {
        // A service that breaks at one parameter may be well otherwise.
        const isBroken = heard && (failure === undefined || failure.kind === 'network');
        if (isBroken && !(await this.#isDown())) return heard;
        throw this.#stop(failure ?? this.#foreign(path));
      }
      await clock.sleep(wait, signal);
    }
  }

  /** Whether a service that breaks at a read answers no other one either. */
  async #isDown(): Promise<boolean> {
    if (this.#failed.length + 1 >= mostFailures) return true;
    if (this.#isAnswered) return false;
    // A run that goes on may begin with what breaks the service: what was answered before tells.
    const [path] = [...this.#answers].find(([, { outcome }]) => outcome === 'answered') ?? [];
    if (path === undefined) return true;
    const [whole = ''] = path.split('#');
    const answer = await this.#options.api
      .request({ method: 'GET', path: whole })
      .catch((thrown: unknown) => {
        if (thrown instanceof OutOfRequests) throw this.#stop(thrown);
        if (!(thrown instanceof Failure) || thrown.isInterruption) throw thrown;
        return undefined;
      });
    this.#isAnswered = answer !== undefined && opened(answer).outcome === 'answered';
    return !this.#isAnswered;
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

/** What a list was answered, beside the answer itself. */
function rowsOf({ outcome, body, data }: Heard): Pick<HeardList, 'listing' | 'rows'> {
  const meta = isObject(body) ? body.meta : undefined;
  const listing = outcome === 'answered' ? readListing(data, meta) : undefined;
  return { listing, rows: listing?.elements.filter(isObject) ?? [] };
}

/** Returns how a service broke at a read, in words that follow "The service". */
export function breakage({ status }: Heard): string {
  return status >= 500 ? `failed with ${status}` : "answered with something that isn't the API's";
}

function dataIn(body: unknown): unknown {
  return isObject(body) && 'data' in body ? body.data : body;
}

function opened({ status, headers, bytes, failure }: RawAnswer): Heard {
  const body = parseJson(Buffer.from(bytes).toString('utf8'));
  const isRefused = failure !== undefined && isSpoken(failure, status);
  const isAnswered = failure === undefined && typeof body === 'object';
  return {
    outcome: isRefused ? 'refused' : isAnswered ? 'answered' : 'failed',
    status,
    body,
    data: dataIn(body),
    headers: new Map(headers),
    size: bytes.length,
  };
}

function tooMuch(): Failure {
  return new Failure('partlyDone', `The service sent more than ${maxBytes / 1024 ** 2} MiB.`, {
    hint: remark`If you know the names of its parameters, set them: ${command('profiles', 'set', placeholder('NAME'), '--query-name', placeholder('page=WORD'))}`,
  });
}

/** True if the service speaks for itself: it refuses this read, and may answer another one. */
function isSpoken({ kind }: Failure, status: number): boolean {
  if (kind === 'rejected' || kind === 'notFound') return true;
  return status >= 400 && status < 500 && kind !== 'authentication' && kind !== 'rateLimited';
}
