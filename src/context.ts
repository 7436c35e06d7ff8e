import type { Api } from './client/api.ts';
import { usageFailure } from './errors.ts';
import type { Clock, Io } from './io.ts';
import { decimal, duration, integer, type Parse, ValueError } from './options.ts';
import { createSettings, type Identity, type Settings } from './settings/settings.ts';
import { createPrompts, type Prompts } from './terminal/prompts.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;

/** How a result is printed. */
export type OutputFormat = (typeof outputFormats)[number];

/** The options that every command takes, parsed. */
export interface GlobalOptions {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  /** `help` asks for the fields of the command's output. */
  readonly output: OutputFormat | 'help' | undefined;
  readonly fields: readonly string[] | undefined;
  readonly header: boolean;
  /** Whether questions may be asked: false with `--no-input`, `BOTCTL_NO_INPUT` and under CI. */
  readonly input: boolean;
  readonly yes: boolean;
  readonly color: boolean;
  /** Milliseconds. */
  readonly requestTimeout: number | undefined;
  readonly retries: number | undefined;
  readonly maxRps: number | undefined;
  readonly caFile: string | undefined;
  readonly insecureHttp: boolean;
  readonly debug: boolean;
}

/** What a command may use. Heavy parts load on first use. */
export interface Context {
  readonly io: Io;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;
  /** What a person sees beside the result: notes, warnings, progress, screens. All on stderr. */
  readonly terminal: Terminal;
  /** What stays on the user's machine. */
  readonly settings: Settings;
  /** Questions to a person. Off a terminal each fails, naming the option that answers it. */
  readonly prompts: Prompts;
  /** Opens the API with an identity that need not be the one that `settings` finds, as `login` does. */
  openApi(identity: Identity): Promise<Api>;
  /** Runs another command line in this process through the same runner. Gives its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** The context of a command that needs a session: the API is open, with the identity that won. */
export interface Session extends Context {
  readonly api: Api;
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    }),
};

/**
 * Checks the options that every command takes.
 * @throws Failure `usage` that lists every problem.
 */
export function parseGlobalOptions(raw: Readonly<Record<string, unknown>>, env: Io['env']): GlobalOptions {
  const problems: string[] = [];
  const value = (name: string): string | undefined => {
    const given = raw[name];
    return typeof given === 'string' ? given : undefined;
  };
  const parsed = <T>(name: string, flag: string, parse: Parse<T>): T | undefined => {
    const given = value(name);
    try {
      return given === undefined ? undefined : parse(given);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.push(`${flag}: ${error.message}`);
      return undefined;
    }
  };
  const options: GlobalOptions = {
    profile: value('profile'),
    baseUrl: value('baseUrl'),
    output: [...outputFormats, 'help' as const].find((format) => format === value('output')),
    fields: value('fields')
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    header: raw.header === true,
    input: raw.input !== false && !env.BOTCTL_NO_INPUT && !isSet(env.CI),
    yes: raw.yes === true,
    color: raw.color !== false,
    requestTimeout: parsed('requestTimeout', '--request-timeout', duration),
    retries: parsed('retries', '--retries', integer({ min: 0, max: 20 })),
    maxRps: parsed('maxRps', '--max-rps', decimal({ min: 0.01 })),
    caFile: value('caFile'),
    insecureHttp: raw.insecureHttp === true,
    debug: raw.debug === true,
  };
  if (problems.length > 0) throw usageFailure(problems);
  return options;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false'].includes(variable);
}

/** Makes the context of one command line. */
export function createContext(
  io: Io,
  options: GlobalOptions,
  run: Context['run'],
  clock: Clock = systemClock,
): Context {
  const terminal = createTerminal(io, options);
  const settings = createSettings(io, options);
  return {
    io,
    clock,
    signal: io.signal,
    options,
    terminal,
    settings,
    prompts: createPrompts(io, options),
    run,
    async openApi(identity) {
      const { openApi } = await import('./client/open.ts');
      return openApi({
        identity,
        clock,
        tokens: settings.tokens,
        env: io.env,
        signal: io.signal,
        requestTimeout: options.requestTimeout,
        retries: options.retries,
        maxRps: options.maxRps,
        caFile: options.caFile,
        insecureHttp: options.insecureHttp,
        onNote: (text) => terminal.note(text),
        onDebug: options.debug ? (text) => terminal.note(text) : undefined,
      });
    },
  };
}
