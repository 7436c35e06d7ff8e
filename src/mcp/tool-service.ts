import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { IdentityContext } from '../cli/context.ts';
import { Failure, failureCode, messageOf } from '../lib/errors.ts';
import { shellWord } from '../lib/text/quote.ts';
import { remarkText } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { originOf } from '../settings/base-url.ts';
import { createSettings } from '../settings/settings.ts';
import {
  askUser,
  type ConsentState,
  callDigest,
  digestOf,
  isConfirmed,
  questionIn,
  stateShape,
} from './consent.ts';
import { type Limits, limitedInput } from './limits.ts';
import { type CallResult, failed, type ResultStyle, resultOf } from './result.ts';
import { type Outcome, runTool } from './run-tool.ts';
import { isPaged, isPagedByService, type LoadedTool, lineOf, pageOf, type ToolInput } from './schema.ts';
import { stateAfter, WriteLog } from './writes.ts';

/** What the user allows the calls of a server. */
export interface ToolServiceOptions extends Limits, ResultStyle {
  /** Writes of one server. */
  readonly maxWrites: number;
}

/** Milliseconds between two signs of life of a call. Clients give up after a minute without one. */
const heartbeatMs = 10_000;
/** Calls that run at once; further ones wait. */
const maxCalls = 8;

/** The client of a call. */
export interface Caller {
  readonly client: string;
  /** True if the client can ask its user. */
  readonly canAsk: boolean;
  /** Signs what comes back with the answer of the user. */
  ask(state: ConsentState): Promise<string>;
}

/** Runs the calls of one server. */
export class ToolService {
  readonly #log: WriteLog;
  readonly #origin: string;
  readonly #running = new Set<Promise<unknown>>();
  /** The calls that wait for one that runs, each with what lets it begin. */
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

  /** Waits until the calls that run have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Runs a call. Never throws: each failure is a result that says whether to repeat it. */
  async call(
    tool: LoadedTool,
    input: ToolInput,
    call: ServerContext,
    caller: Caller,
  ): Promise<CallResult | InputRequiredResult> {
    const running = this.#inTurn(() => this.#call(tool, input, call, caller)).catch((thrown: unknown) =>
      this.#failed(thrown),
    );
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Runs work, once fewer than `maxCalls` run. */
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

  #failed(thrown: unknown): CallResult {
    const failure = thrown instanceof Failure ? thrown : new Failure('unexpected', messageOf(thrown));
    const { message, hint, exitCode: exit, details } = failure;
    const said = hint === undefined ? null : remarkText(hint, this.context.options);
    return failed(
      { code: failureCode(failure), message, hint: said, next: [], exit, details },
      {},
      this.options,
    );
  }

  async #call(tool: LoadedTool, typed: ToolInput, call: ServerContext, caller: Caller) {
    await this.#checkIdentity(tool);
    const input = limitedInput(typed, this.options);
    const page = isPaged(tool) ? pageOf(input) : undefined;
    const confirmed = this.#confirmed(tool, input, call);
    const outcome = await this.#run(tool, input, call, { ...caller, confirmed });
    const question = outcome.failure?.code === 'NOT_CONFIRMED' && questionIn(outcome.failure.details);
    if (!question || !outcome.failure) return resultOf(tool, outcome, page, this.options);
    if (!caller.canAsk) {
      const line = ['botctl', ...this.#globals(), ...tool.command.split(' ')].map(shellWord).join(' ');
      const hint = `This client can't ask its user. Ask the user to run ${line} in a terminal.`;
      return failed({ ...outcome.failure, hint }, {}, this.options);
    }
    const state = { call: callDigest(tool.name, input), confirmed: [...confirmed], asked: question };
    return askUser(question, await caller.ask(state));
  }

  /** Returns the digests of the questions that the user has answered with yes. @throws Failure `declined` */
  #confirmed(tool: LoadedTool, input: ToolInput, call: ServerContext): ReadonlySet<string> {
    const state = stateShape.safeParse(call.mcpReq.requestState());
    if (!state.success) return new Set();
    const { asked, confirmed, call: asking } = state.data;
    if (asking !== callDigest(tool.name, input))
      throw new Failure('usage', 'The answer belongs to another call.');
    if (!isConfirmed(asked, call))
      throw new Failure('declined', 'The user did not confirm it. Nothing was done.');
    return new Set([...confirmed, digestOf(asked)]);
  }

  /** The profile may have changed since the server began. @throws Failure `rejected` */
  async #checkIdentity({ writes }: LoadedTool): Promise<void> {
    const { io, options } = this.context;
    const profile = this.context.identity.profile;
    const { settings, baseUrl } = await createSettings(io, { ...options, profile }).identity();
    if (originOf(baseUrl) !== this.#origin)
      throw notAllowed('The profile names another service now.', 'Ask the user to start the server again.');
    if (writes !== undefined && settings?.protected)
      throw notAllowed(`Profile ${profile} is protected, so an assistant can't change anything.`);
  }

  async #run(
    tool: LoadedTool,
    input: ToolInput,
    call: ServerContext,
    caller: Caller & { readonly confirmed: ReadonlySet<string> },
  ): Promise<Outcome> {
    if (tool.writes === undefined) return this.#runCommand(tool, input, call, caller);
    if (this.#writes >= this.options.maxWrites)
      throw notAllowed(
        `This server has made ${this.#writes} writes, the most that --max-writes allows.`,
        'Ask the user to start it again.',
      );
    this.#writes += 1;
    const { profile = null } = this.context.identity;
    const client = oneLine(caller.client, 64);
    const record = await this.#log
      .begin({ client, profile, origin: this.#origin, tool: tool.name, input: shortened(input) }, input)
      .catch((thrown: unknown) => {
        this.#writes -= 1;
        throw thrown;
      });
    const outcome = await this.#runCommand(tool, input, call, caller);
    const isAsked = outcome.failure?.code === 'NOT_CONFIRMED';
    const state = isAsked ? 'asked' : stateAfter(outcome.exitCode, call.mcpReq.signal.aborted);
    if (state === 'asked' || state === 'not_done') this.#writes -= 1;
    await this.#log.end(record, state);
    return outcome;
  }

  async #runCommand(
    tool: LoadedTool,
    input: ToolInput,
    { mcpReq }: ServerContext,
    { client, confirmed }: { readonly client: string; readonly confirmed: ReadonlySet<string> },
  ): Promise<Outcome> {
    const { io, signal, run } = this.context;
    const cancelling = new AbortController();
    const cancel = (): void => cancelling.abort(new Failure('interrupted', 'The call was cancelled.'));
    mcpReq.signal.addEventListener('abort', cancel);
    if (mcpReq.signal.aborted) cancel();
    const progressToken = mcpReq._meta?.progressToken;
    const begun = this.context.clock.now();
    let progress = 0;
    const report = (message: string): void => {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      // A client that is gone needs no progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    const stop = this.context.clock.every(heartbeatMs, () =>
      report(`Running for ${Math.round((this.context.clock.now() - begun) / 1000)} s.`),
    );
    try {
      const page = isPaged(tool) && !isPagedByService(tool) ? pageOf(input) : undefined;
      return await runTool([...this.#globals(), ...lineOf(tool, input)], {
        io,
        run,
        signal: AbortSignal.any([signal, cancelling.signal]),
        assistant: { name: client, hasConsent: (question) => confirmed.has(digestOf(question)) },
        skipped: page?.skipped ?? 0,
        onRow: (row) => report(stateIn(row)),
      });
    } finally {
      stop();
      mcpReq.signal.removeEventListener('abort', cancel);
    }
  }

  /** Returns the options that select the identity of the server in every call. */
  #globals(): readonly string[] {
    const { options, identity } = this.context;
    const { baseUrl, caFile, insecureHttp, region, retries, maxRps } = options;
    return [
      ...(identity.profile === undefined ? [] : [`--profile=${identity.profile}`]),
      ...(baseUrl === undefined ? [] : [`--base-url=${baseUrl}`]),
      ...(caFile === undefined ? [] : [`--ca-file=${caFile}`]),
      ...(insecureHttp ? ['--insecure-http'] : []),
      ...(region === undefined ? [] : [`--region=${region}`]),
      ...(retries === undefined ? [] : [`--retries=${retries}`]),
      ...(maxRps === undefined ? [] : [`--max-rps=${maxRps}`]),
    ];
  }
}

/** Returns the failure of a call that the user has not allowed. */
function notAllowed(message: string, hint?: string): Failure {
  return new Failure('rejected', message, { hint, code: 'NOT_ALLOWED' });
}

/** Returns the input with short texts, as the history keeps it. */
function shortened(input: ToolInput): Record<string, unknown> {
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 20).map(short);
    return typeof value === 'string' ? oneLine(value, 200) : value;
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, short(value)]));
}

/** Returns the word for the state in a row of events. It is one of botctl's own; any other text is the service's. */
function stateIn(row: unknown): string {
  const state: unknown = Object(row).state;
  return typeof state === 'string' && /^[a-z_]{1,30}$/.test(state) ? state : 'One more row.';
}
