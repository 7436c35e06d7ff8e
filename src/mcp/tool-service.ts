import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { IdentityContext } from '../cli/context.ts';
import { Failure, failureCode, messageOf } from '../lib/errors.ts';
import { remarkText } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { originOf } from '../settings/base-url.ts';
import { createSettings } from '../settings/settings.ts';
import {
  answerTo,
  askUser,
  type ConsentState,
  callDigest,
  digestOf,
  questionIn,
  stateShape,
} from './consent.ts';
import { type Limits, limitedInput, withCopies } from './limits.ts';
import { type CallResult, failed, type Page, type ResultStyle, resultOf } from './result.ts';
import { type Outcome, runTool } from './run-tool.ts';
import {
  commandOf,
  isPaged,
  isPagedByService,
  type LoadedTool,
  lineOf,
  type PageRequest,
  pageOf,
  type ToolInput,
} from './schema.ts';
import { type EndState, stateAfter, WriteLog, type WriteRecord } from './writes.ts';

/** The permissions of the user for the calls of a server. */
export interface ToolServiceOptions extends Limits, ResultStyle {
  /** The maximum number of writes of one server. */
  readonly maxWrites: number;
}

/** Milliseconds between two progress notifications of a call. Clients give up after a minute without one. */
const heartbeatMs = 10_000;
/** The maximum number of concurrent calls; further ones wait. */
const maxCalls = 8;

/** The client of a call. */
export interface Caller {
  readonly client: string;
  /** True if the client can ask its user. */
  readonly canAsk: boolean;
  /** Signs the state that the client returns with the answer of the user. */
  ask(state: ConsentState): Promise<string>;
  /** Reports progress, if the client asked for it. */
  report(message: string): void;
}

/** Runs the calls of one server. */
export class ToolService {
  readonly #log: WriteLog;
  readonly #origin: string;
  readonly #running = new Set<Promise<unknown>>();
  /** The functions that start the waiting calls. */
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #writes = 0;

  constructor(
    readonly context: IdentityContext,
    readonly options: ToolServiceOptions,
  ) {
    this.#log = new WriteLog(context.settings.paths.data, context.clock);
    this.#origin = originOf(context.identity.baseUrl);
  }

  /** Waits until the running calls have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Runs a call. Never throws: each failure is a result that says whether to repeat it. */
  async call(
    tool: LoadedTool,
    input: ToolInput,
    call: ServerContext,
    caller: Omit<Caller, 'report'>,
  ): Promise<CallResult | InputRequiredResult> {
    const { report, stop } = this.#reporter(call);
    const work = () => this.#call(tool, input, call, { ...caller, report });
    // A wait doesn't count against `maxCalls`: it takes nothing from other calls.
    const running = (tool.name === 'device_wait' ? work() : this.#inTurn(work)).catch((thrown: unknown) =>
      this.#failed(thrown, tool),
    );
    this.#running.add(running);
    return running.finally(() => {
      stop();
      this.#running.delete(running);
    });
  }

  /** Runs work as soon as fewer than `maxCalls` calls are running. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= maxCalls) await new Promise<void>((begin) => this.#waiting.push(begin));
    else this.#active += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#active -= 1;
    }
  }

  #failed(thrown: unknown, tool: LoadedTool): CallResult {
    const failure = thrown instanceof Failure ? thrown : new Failure('unexpected', messageOf(thrown));
    const { message, hint, exitCode: exit, details } = failure;
    const said = hint === undefined ? null : remarkText(hint, this.context.options);
    return failed(
      { code: failureCode(failure), message, hint: said, next: [], exit, details },
      {},
      this.options,
      tool,
    );
  }

  async #call(tool: LoadedTool, typed: ToolInput, call: ServerContext, caller: Caller) {
    // A call that is cancelled while it waits does nothing.
    if (call.mcpReq.signal.aborted)
      throw new Failure('interrupted', 'The call was cancelled. Nothing was done.');
    await this.#checkIdentity(tool);
    const input = limitedInput(typed, this.options);
    if (tool.writes === undefined) {
      const { outcome, page } = await this.#read(tool, input, call, caller);
      return resultOf(tool, outcome, page, this.options);
    }
    const round = await this.#answered(tool, input, call);
    const record = await this.#begin(tool, input, caller, round);
    const confirmed = new Set(round?.confirmed);
    const outcome = await withCopies(input, (copied) =>
      this.#run(lineOf(tool, copied), call, { ...caller, confirmed }),
    ).catch(async (thrown: unknown) => {
      // The command did not start.
      await this.#end(record, 'not_done');
      throw thrown;
    });
    const question =
      outcome.failure?.code === 'NOT_CONFIRMED' ? questionIn(outcome.failure.details) : undefined;
    const isAsked = question !== undefined;
    const asked = caller.canAsk ? 'asked' : 'not_asked';
    const state = isAsked
      ? asked
      : stateAfter(outcome.exitCode, tool.declaration.effect, call.mcpReq.signal.aborted);
    await this.#end(record, state);
    if (!question || !outcome.failure) return resultOf(tool, outcome, undefined, this.options);
    if (confirmed.has(digestOf(question)))
      throw notAllowed('The question has a secret, which is masked in it, so it cannot be answered.');
    if (caller.canAsk) {
      const carried = {
        call: callDigest(tool.name, input),
        record: record.id,
        confirmed: [...confirmed],
        asked: question,
      };
      return askUser(question, await caller.ask(carried));
    }
    const hint = "This program can't ask its user. Ask the user to run the command in `next` in a terminal.";
    const next = [['botctl', ...this.#globals(), ...commandOf(tool, input)]];
    return failed({ ...outcome.failure, hint, next }, {}, this.options, tool);
  }

  /**
   * Returns the questions that the user has confirmed for this call, or undefined in its first round.
   * @throws Failure `declined`
   */
  async #answered(
    tool: LoadedTool,
    input: ToolInput,
    call: ServerContext,
  ): Promise<Pick<ConsentState, 'record' | 'confirmed'> | undefined> {
    const state = stateShape.safeParse(call.mcpReq.requestState());
    if (!state.success) return undefined;
    const { asked, confirmed, call: asking, record } = state.data;
    if (asking !== callDigest(tool.name, input))
      throw new Failure('usage', 'The answer belongs to another call.');
    const answer = answerTo(asked, call);
    if (answer === 'yes') return { record, confirmed: [...confirmed, digestOf(asked)] };
    const write = this.#log.list().find(({ id }) => id === record);
    if (write) await this.#log.end(write, answer === 'no' ? 'declined' : 'not_done');
    const why = answer === 'no' ? 'The user did not confirm it.' : 'The user typed another name.';
    throw new Failure('declined', `${why} Nothing was done.`);
  }

  /**
   * Checks the profile again, which may have changed since the server began: it must name the same service, and must
   * not be protected if the tool writes.
   * @throws Failure `rejected`
   */
  async #checkIdentity({ writes }: LoadedTool): Promise<void> {
    const { io, options } = this.context;
    const profile = this.context.identity.profile;
    const { settings, baseUrl } = await createSettings(io, { ...options, profile }).identity();
    if (originOf(baseUrl) !== this.#origin)
      throw notAllowed('The profile names another service now.', 'Ask the user to start the server again.');
    if (writes !== undefined && settings?.protected)
      throw notAllowed(`Profile ${profile} is protected, so an assistant can't change anything.`);
  }

  /**
   * Runs a command that reads; a list page by page. If the service refuses a filter with a page number, reads from the
   * first row.
   */
  async #read(
    tool: LoadedTool,
    input: ToolInput,
    call: ServerContext,
    caller: Caller,
  ): Promise<{ readonly outcome: Outcome; readonly page?: Page }> {
    if (!isPaged(tool)) return { outcome: await this.#run(lineOf(tool, input), call, caller) };
    const page = pageOf(tool, input);
    const { cursor: _cursor, limit: _limit, ...filters } = input;
    const read = (at: PageRequest, isWhole: boolean): Promise<Outcome> =>
      this.#run(lineOf(tool, filters, at, isWhole), call, caller, isWhole ? at.skipped : 0);
    const paged = isPagedByService(tool) ? await read(page, false) : undefined;
    if (paged && !isPageRefused(paged)) {
      // A service may return fewer rows than requested; the note of the command has the number of pages.
      const [, number, last] = /Page (\d+) of (\d+)/.exec(paged.notes.join('\n')) ?? [];
      const hasMore = paged.rows.length >= page.limit || Number(number) < Number(last);
      return { outcome: paged, page: { ...page, hasMore } };
    }
    const whole = await read(page, true);
    const rows = whole.rows.slice(0, page.limit);
    return { outcome: { ...whole, rows }, page: { ...page, hasMore: whole.rows.length > page.limit } };
  }

  /** Counts and records a write before it runs. @throws Failure `rejected` */
  async #begin(
    tool: LoadedTool,
    input: ToolInput,
    { client }: Caller,
    round: Pick<ConsentState, 'record' | 'confirmed'> | undefined,
  ): Promise<WriteRecord> {
    if (this.#writes >= this.options.maxWrites)
      throw notAllowed(
        `This server has made ${this.#writes} writes, the most that --max-writes allows.`,
        'Ask the user to start it again.',
      );
    this.#writes += 1;
    const { profile = null } = this.context.identity;
    const write = {
      client: oneLine(client, 64),
      profile,
      origin: this.#origin,
      tool: tool.name,
      input: shortened(input),
    };
    const { effect } = tool.declaration;
    const isSetting = effect === 'changes' || effect === 'destroys';
    const confirmed = round?.confirmed ?? [];
    const known = { isSetting, confirmed, ...(round && { id: round.record }) };
    return this.#log.begin(write, input, known).catch((thrown: unknown) => {
      this.#writes -= 1;
      throw thrown;
    });
  }

  /** Records how a write ended. One that did nothing is not counted. */
  async #end(record: WriteRecord, state: EndState): Promise<void> {
    if (['asked', 'not_asked', 'not_done'].includes(state)) this.#writes -= 1;
    await this.#log.end(record, state);
  }

  /** Runs a command line. @param skipped the number of rows to skip */
  async #run(
    line: readonly string[],
    { mcpReq }: ServerContext,
    { client, report, confirmed }: Caller & { readonly confirmed?: ReadonlySet<string> },
    skipped = 0,
  ): Promise<Outcome> {
    const { io, signal, run } = this.context;
    const cancelling = new AbortController();
    const cancel = (): void => cancelling.abort(new Failure('interrupted', 'The call was cancelled.'));
    mcpReq.signal.addEventListener('abort', cancel);
    if (mcpReq.signal.aborted) cancel();
    try {
      return await runTool([...this.#globals(), ...line], {
        io,
        run,
        skipped,
        signal: AbortSignal.any([signal, cancelling.signal]),
        assistant: { name: client, hasConsent: (question) => confirmed?.has(digestOf(question)) === true },
        onRow: (row) => report(stateIn(row)),
      });
    } finally {
      mcpReq.signal.removeEventListener('abort', cancel);
    }
  }

  /**
   * Returns the function that reports the progress of a call. Until `stop` is called, it also reports the elapsed time
   * regularly.
   */
  #reporter({ mcpReq }: ServerContext): { report(message: string): void; stop(): void } {
    const progressToken = mcpReq._meta?.progressToken;
    const { clock } = this.context;
    const begun = clock.now();
    let progress = 0;
    const report = (message: string): void => {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      // A client that is gone needs no progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    const stop = clock.every(heartbeatMs, () =>
      report(`Running for ${Math.round((clock.now() - begun) / 1000)} s.`),
    );
    return { report, stop };
  }

  /** Returns the options that select the identity of the server in every call. */
  #globals(): readonly string[] {
    const { options, identity } = this.context;
    const { baseUrl, caFile, insecureHttp, region, retries, maxRps, requestTimeout } = options;
    return [
      ...(identity.profile === undefined ? [] : [`--profile=${identity.profile}`]),
      ...(baseUrl === undefined ? [] : [`--base-url=${baseUrl}`]),
      ...(caFile === undefined ? [] : [`--ca-file=${caFile}`]),
      ...(insecureHttp ? ['--insecure-http'] : []),
      ...(region === undefined ? [] : [`--region=${region}`]),
      ...(retries === undefined ? [] : [`--retries=${retries}`]),
      ...(requestTimeout === undefined ? [] : [`--request-timeout=${requestTimeout}ms`]),
      ...(maxRps === undefined ? [] : [`--max-rps=${maxRps}`]),
    ];
  }
}

/** True if a page can't be requested by its number, since the service ignores or refuses a filter (see `FilterCheck`). */
function isPageRefused({ failure }: Outcome): boolean {
  return failure?.code === 'INVALID_INPUT' && failure.message.includes('--page cannot be used');
}

/** Returns the failure of a call that the user has not allowed. */
function notAllowed(message: string, hint?: string): Failure {
  return new Failure('rejected', message, { hint, code: 'NOT_ALLOWED' });
}

/**
 * Returns the input with short texts, for the history. Leaves out actions, whose headers and bodies may contain
 * credentials.
 */
function shortened(input: ToolInput): Record<string, unknown> {
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 20).map(short);
    return typeof value === 'string' ? oneLine(value, 200) : value;
  };
  const entries = Object.entries(input).map(([name, value]) => [
    name,
    name === 'actions' ? '…' : short(value),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the state in a row of events, if it can be one of botctl's own; any other text is the service's. */
function stateIn(row: unknown): string {
  const state: unknown = Object(row).state;
  return typeof state === 'string' && /^[a-z_]{1,30}$/.test(state) ? state : 'One more row.';
}
