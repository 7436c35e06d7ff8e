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
  /** The names of `--confirm` that have answered no question yet. A question takes its answer out. */
  readonly answers: string[];
  /** The command's own options as they were typed, each with its value if it takes one, for lines that repeat them. */
  readonly typed: readonly (readonly string[])[];
  /** Output for a person beside the result: notes, warnings, progress, screens. All on stderr. */
  readonly terminal: Terminal;
  /** The part of `terminal` that layers below the commands may use: remarks and progress. */
  readonly reporter: Reporter;
  /** The files on the user's machine. */
  readonly settings: Settings;
  /** Questions to a person. Off a terminal each fails, naming the option that answers it. */
  readonly prompts: Prompts;
  /** True if `--allow` has the word; the command declares that it heeds it. */
  allows(word: Allowance): boolean;
  /**
   * Asks which of several things a name means. Returns undefined if questions may not be asked, or if stdout
   * is no terminal: what a script takes from there must not depend on a guess.
   */
  readonly askWhich: AskWhich;
  /** Opens the API with an identity that need not be the one that `settings` finds, as `login` does. */
  openApi(
    identity: Identity,
    limits?: Pick<OpenOptions, 'retries' | 'graceMs' | 'onSend'> &
      Partial<Pick<OpenOptions, 'signal' | 'tokens'>>,
  ): Promise<Api>;
  /**
   * Returns a secret that is the result of the command. From now on stdout shows it; stderr masks it all the
   * same, and so does stdout with every other secret.
   */
  reveal(secret: Secret): string;
  /**
   * From now on stdout prints everything unmasked, secrets and binary data included: for `api`, which prints the
   * service's response. stderr masks as before.
   */
  revealResult(): void;
  /** Masks every secret that is known by now in a text that goes to a file, which nothing else looks at. */
  redact(text: string): string;
  /** Returns a stream that masks as `redact` does what comes in pieces, before a part of it is cut away. */
  redactStream(): RedactedStream;
  /**
   * Masks every secret that is known by now, but for those that `reveal` gave, in a part of the result that
   * is going to be cut or wrapped: of a secret on two lines stdout would see neither half.
   */
  redactResult(text: string): string;
  /** Runs another command line in this process through the same runner, by the same clock. Returns its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
  /** The command runs for one of several things, so that a screen for it alone is out of place. */
  readonly isOneOfSeveral?: boolean;
}

/** The context of a command that acts for an identity, and reads or writes only what this machine stores for it. */
export interface IdentityContext extends Context, Desk {
  /** The caller's identity, and where it was configured. */
  readonly identity: Identity;
}

/** The context of a command that calls the API, with the identity that won. */
export interface Session extends IdentityContext {
  readonly api: Api;
}

/** The context of any command. */
export type AnyContext = Context & Partial<Session>;
