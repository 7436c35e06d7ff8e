import { type Clock, systemClock } from '../lib/clock.ts';
import { type Io, isInteractive } from '../lib/io.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { originOf } from '../settings/base-url.ts';
import type { NameCacheWriter, NamedResource } from '../settings/completion-cache.ts';
import { namesForClient } from '../settings/profile-settings.ts';
import { createSettings, type Identity, type Settings } from '../settings/settings.ts';
import { createPrompts } from '../terminal/prompts.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { createAskWhich } from './ask-which.ts';
import type { Effect } from './command.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';

/**
 * Creates the context of one command line.
 * @param redactor masks the streams of `io`
 * @param effect the side effect of the command
 * @param typed the command's own options as typed
 */
export function createContext(
  io: Io,
  options: GlobalOptions,
  run: Context['run'],
  redactor: Redactor,
  clock: Clock = systemClock,
  effect: Effect = 'reads',
  typed: Context['typed'] = [],
): Context {
  const prompts = createPrompts(io, options);
  const terminal = createTerminal(io, options, (text) => redactor.text(text));
  const settings = createSettings(io, options);
  return {
    io,
    clock,
    signal: io.signal,
    options,
    answers: [...options.confirm],
    typed,
    terminal,
    reporter: terminal,
    settings,
    prompts,
    allows: (word) => options.allow.has(word),
    askWhich: createAskWhich({ prompts, io, isCareful: effect === 'destroys' }),
    reveal: (secret) => redactor.reveal(secret),
    revealResult: () => redactor.revealResult(),
    redact: (text) => redactor.text(text),
    redactStream: () => redactor.stream(),
    redactResult: (text) => redactor.result(text),
    run,
    async openApi(identity, limits = {}) {
      const { openApi } = await import('../client/open.ts');
      const notes = nameCacheFor(identity, settings, io);
      const { queryNames, pageSize, firstPage, unsent, caFile } = identity.settings ?? {};
      const api = openApi({
        identity,
        clock,
        tokens: limits.tokens ?? settings.tokens,
        env: io.env,
        signal: limits.signal ?? io.signal,
        urgent: io.urgent,
        requestTimeout: options.requestTimeout,
        retries: limits.retries ?? options.retries,
        graceMs: limits.graceMs,
        onSend: limits.onSend,
        maxRps: options.maxRps,
        caFile: options.caFile ?? caFile,
        pageSize,
        firstPage,
        queryNames: namesForClient(queryNames),
        unsent,
        insecureHttp: options.insecureHttp,
        redactor,
        onNote: (text) => terminal.note(text),
        onWait: (text, restMs) => terminal.note(text, restMs),
        onDebug: options.debug ? (text) => terminal.note(text) : undefined,
        onResource: notes && ((resource) => cacheUnlessSecret(notes, resource, redactor)),
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

/**
 * Caches a name unless it contains a secret. Names come from the service, a secret must not get into a file, and a
 * masked name would be useless.
 */
function cacheUnlessSecret(notes: NameCacheWriter, resource: NamedResource, redactor: Redactor): void {
  const { name } = resource;
  if (name === undefined || redactor.text(name) === name) notes.add(resource);
}

/**
 * Returns the writer of the name cache for completion. Returns undefined if the session is not interactive, or if the
 * stored profile is missing or is for another service, as in the tour.
 */
function nameCacheFor(
  { profile, baseUrl }: Identity,
  settings: Settings,
  io: Io,
): NameCacheWriter | undefined {
  if (!isInteractive(io)) return undefined;
  if (profile !== undefined) {
    const stored = settings.profiles.get(profile);
    if (!stored || originOf(stored.baseUrl) !== originOf(baseUrl)) return undefined;
  }
  return settings.names.notes(baseUrl);
}
