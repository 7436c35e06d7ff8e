import type { Api } from './client/api.ts';
import type { Redactor } from './client/redact.ts';
import type { GlobalOptions } from './input/global-options.ts';
import { type Clock, type Io, isInteractive } from './io.ts';
import type { Secret } from './secret.ts';
import { originOf } from './settings/base-url.ts';
import type { NameNotes, Sighting } from './settings/names.ts';
import { namesForClient } from './settings/profile-settings.ts';
import { createSettings, type Identity, type Settings } from './settings/settings.ts';
import { createPrompts, type Prompts } from './terminal/prompts.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

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
  /**
   * Gives a secret that is the result of the command. From now on stdout shows it; stderr masks it all the
   * same, and so does stdout with every other secret (design, Secrets).
   */
  reveal(secret: Secret): string;
  /**
   * From now on stdout shows whatever is written to it, secrets and bytes that are no text included: for
   * `api`, whose result is what the service answers (design, Secrets). stderr masks as before.
   */
  revealResult(): void;
  /** Masks every secret that is known by now in a text that goes to a file, which nothing else looks at. */
  redact(text: string): string;
  /**
   * Masks every secret that is known by now, but for those that `reveal` gave, in a part of the result that
   * is going to be cut or wrapped: of a secret on two lines stdout would see neither half.
   */
  redactResult(text: string): string;
  /** Runs another command line in this process through the same runner. Gives its exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** The context of a command that needs a session: the API is open, with the identity that won. */
export interface Session extends Context {
  readonly api: Api;
  /** Who calls, and whence that is known. */
  readonly identity: Identity;
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
 * Makes the context of one command line.
 * @param redactor what masks the streams of `io`
 */
export function createContext(
  io: Io,
  options: GlobalOptions,
  run: Context['run'],
  redactor: Redactor,
  clock: Clock = systemClock,
): Context {
  const terminal = createTerminal(io, options, (text) => redactor.text(text));
  const settings = createSettings(io, options);
  return {
    io,
    clock,
    signal: io.signal,
    options,
    terminal,
    settings,
    prompts: createPrompts(io, options),
    reveal: (secret) => redactor.reveal(secret),
    revealResult: () => redactor.revealResult(),
    redact: (text) => redactor.text(text),
    redactResult: (text) => redactor.result(text),
    run,
    async openApi(identity) {
      const { openApi } = await import('./client/open.ts');
      const notes = notesFor(identity, settings, io);
      const { queryNames, pageSize, caFile } = identity.settings ?? {};
      const api = openApi({
        identity,
        clock,
        tokens: settings.tokens,
        env: io.env,
        signal: io.signal,
        requestTimeout: options.requestTimeout,
        retries: options.retries,
        maxRps: options.maxRps,
        caFile: options.caFile ?? caFile,
        pageSize,
        queryNames: namesForClient(queryNames),
        insecureHttp: options.insecureHttp,
        redactor,
        onNote: (text) => terminal.note(text),
        onDebug: options.debug ? (text) => terminal.note(text) : undefined,
        onSighting: notes && ((sighting) => noteUnlessSecret(notes, sighting, redactor)),
      });
      if (!notes) return api;
      const close = async (): Promise<void> => {
        notes.save();
        await api.close();
      };
      return { ...api, close };
    },
  };
}

/** A name is the service's word: one that holds a secret is not for a file, and masked it would name nothing. */
function noteUnlessSecret(notes: NameNotes, sighting: Sighting, redactor: Redactor): void {
  const { name } = sighting;
  if (name === undefined || redactor.text(name) === name) notes.see(sighting);
}

/**
 * What takes down names for completion: where a person is there to complete them, and not of a service that
 * is none of theirs, such as the tour's.
 */
function notesFor({ profile, baseUrl }: Identity, settings: Settings, io: Io): NameNotes | undefined {
  if (!isInteractive(io)) return undefined;
  if (profile !== undefined) {
    const stored = settings.profiles.get(profile);
    if (!stored || originOf(stored.baseUrl) !== originOf(baseUrl)) return undefined;
  }
  return settings.names.notes(baseUrl);
}
