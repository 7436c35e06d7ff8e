import type { Api } from '../client/api.ts';
import type { OpenOptions } from '../client/open.ts';
import type { Desk } from '../desk/open-desk.ts';
import type { Clock } from '../lib/clock.ts';
import type { Io } from '../lib/io.ts';
import type { AskWhich } from '../lib/match-name.ts';
import type { Reporter } from '../lib/reporter.ts';
import type { RedactedStream } from '../secrets/redactor.ts';
import type { Secret } from '../secrets/secret.ts';
import type { Identity, Settings } from '../settings/settings.ts';
import type { Prompts } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Allowance } from './allow.ts';
import type { GlobalOptions } from './global-options.ts';

/** The context of a command. Heavy parts load on first use. */
export interface Context {
  readonly io: Io;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;
  /** The names of `--confirm` that are not used yet. Each question removes its answer. */
  readonly answers: string[];
  /**
   * The command's own options as typed, each with its value if it takes one, for suggested commands that repeat them.
   */
  readonly typed: readonly (readonly string[])[];
  /** Output for a person beside the result: notes, warnings, progress, screens. All on stderr. */
  readonly terminal: Terminal;
  /** The part of `terminal` that layers below the commands may use: notes and progress. */
  readonly reporter: Reporter;
  /** The files on the user's machine. */
  readonly settings: Settings;
  /** Questions to the user. Without a terminal each one fails with an error that names the option that answers it. */
  readonly prompts: Prompts;
  /** True if `--allow` has the word, which the command must declare. */
  allows(word: Allowance): boolean;
  /**
   * Asks which of several objects a name means. Returns undefined if questions are not allowed, or if stdout is not a
   * terminal: output that a script reads must not depend on a guess.
   */
  readonly askWhich: AskWhich;
  /** Opens an API client with any identity, not only the configured one; `login` does this. */
  openApi(
    identity: Identity,
    limits?: Pick<OpenOptions, 'retries' | 'graceMs' | 'onSend'> &
      Partial<Pick<OpenOptions, 'signal' | 'tokens'>>,
  ): Promise<Api>;
  /**
   * Returns the text of a secret that is the result of the command. From then on stdout shows this secret. stderr still
   * masks it, and stdout masks every other secret.
   */
  reveal(secret: Secret): string;
  /**
   * From then on stdout prints everything unmasked, secrets and binary data included: for `api`, which prints the
   * service's response. stderr still masks secrets.
   */
  revealResult(): void;
  /** Masks every secret known so far in a text for a file, since nothing else masks files. */
  redact(text: string): string;
  /**
   * Returns a stream that masks like `redact`, for text that arrives in pieces. Text must be masked before any part of
   * it is cut off.
   */
  redactStream(): RedactedStream;
  /**
   * Masks every secret known so far, except those passed to `reveal`, in a part of the result before it is cut or
   * wrapped: stdout would recognise neither half of a secret that is split over two lines.
   */
  redactResult(text: string): string;
  /** Runs another command line in this process, with the same runner and clock. Returns its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
  /** True if the command runs for one of several objects, so that it must not open a screen for this one. */
  readonly isOneOfSeveral?: boolean;
}

/** The context of a command that acts for an identity, and reads or writes only the local data of that identity. */
export interface IdentityContext extends Context, Desk {
  /** The caller's identity, and where it was configured. */
  readonly identity: Identity;
}

/** The context of a command that calls the API with the selected identity. */
export interface Session extends IdentityContext {
  readonly api: Api;
}

/** The context of any command. */
export type AnyContext = Context & Partial<Session>;
