import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { allowFailure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import type { Reporter } from '../lib/reporter.ts';
import { originOf } from '../settings/base-url.ts';
import { deskDatabase, type NamedDatabase } from '../settings/database-name.ts';
import type { Identity, Settings } from '../settings/settings.ts';
import { type Actor, actorOf } from './actor.ts';
import { deskDirectory } from './desk-directory.ts';
import { type BookLog, createDeviceBook, type DeviceBook, fileLog } from './device-book.ts';
import { type DeviceHistory, fileHistory } from './device-history.ts';
import type { SharedDesk } from './shared-desk.ts';
import { usedNames } from './used-names.ts';

/** The device book and the history of the devices of a service. */
export interface Desk {
  readonly devices: DeviceBook;
  readonly history: DeviceHistory;
  /** Returns the database that several machines share; undefined if the desk is only on this machine. */
  readonly shared: (() => Promise<SharedDesk>) | undefined;
}

/** Dependencies of a desk. */
export interface DeskContext {
  readonly io: Pick<Io, 'env' | 'assistant'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'now'>;
  readonly settings: Pick<Settings, 'paths'>;
  readonly identity: Pick<Identity, 'baseUrl'> & Partial<Pick<Identity, 'settings'>>;
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
  /** Masks secrets. */
  redact(text: string): string;
}

/**
 * Returns the device book and the history of the service of an identity: in the desk's database that its profile or the
 * environment names, or else in files. Nothing is read before it is needed.
 * @throws Failure `invalidInput` if the environment variable does not contain a database address
 */
export function openDesk(context: DeskContext): Desk {
  const { settings, identity, signal } = context;
  const { baseUrl } = identity;
  const { data } = settings.paths;
  const address = deskDatabase({ io: context.io, identity: { settings: identity.settings } });
  if (address !== undefined) return openShared(context, address);
  return {
    devices: createDeviceBook(fileLog(data, signal), baseUrl, usedNames(data, baseUrl, signal)),
    history: fileHistory(data, baseUrl, {
      signal,
      now: () => context.clock.now(),
      actor: actorOnce(context),
    }),
    shared: undefined,
  };
}

/** Returns a function that determines the actor at its first call. */
function actorOnce(context: DeskContext): () => Actor {
  let actor: Actor | undefined;
  return () => {
    actor ??= actorOf(context);
    return actor;
  };
}

/** The modules of the database are loaded at its first use. */
function openShared(context: DeskContext, address: NamedDatabase): Desk {
  const { settings, clock, identity, signal, reporter } = context;
  const { data } = settings.paths;
  const directory = deskDirectory(data, address.url);
  const actor = actorOnce(context);
  const open = async () => {
    const [{ requireMove }, { SharedDesk }, { sharedLog }, { sharedHistory }] = await Promise.all([
      import('./require-move.ts'),
      import('./shared-desk.ts'),
      import('./shared-book.ts'),
      import('./shared-history.ts'),
    ]);
    const { baseUrl } = identity;
    requireMove(data, originOf(baseUrl), address.url);
    const desk = new SharedDesk({ address, data, actor: actor(), clock, signal, reporter });
    const now = () => clock.now();
    const history = sharedHistory(desk, { baseUrl, now, signal, reporter });
    return { desk, log: sharedLog(desk, now), history };
  };
  let opening: ReturnType<typeof open> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  const log: BookLog = {
    file: join(directory, 'book.ndjson'),
    read: async () => (await opened()).log.read(),
    change: async (records, isSynced) => (await opened()).log.change(records, isSynced),
    unwritable: async () => (await opened()).log.unwritable(),
  };
  return {
    devices: createDeviceBook(log, identity.baseUrl, usedNames(data, identity.baseUrl, signal)),
    history: {
      actor,
      now: async () => (await opened()).history.now(),
      list: async (...args) => (await opened()).history.list(...args),
      preload: async (...args) => (await opened()).history.preload(...args),
      async *recent(...args) {
        yield* (await opened()).history.recent(...args);
      },
      note: async (...args) => (await opened()).history.note(...args),
      forget: async (...args) => (await opened()).history.forget(...args),
    },
    shared: async () => (await opened()).desk,
  };
}

/**
 * Returns the desk of the current identity if it belongs to the service, or else the files of this machine for the
 * service.
 */
export async function deskAt(
  context: Omit<DeskContext, 'identity'> & { readonly settings: Pick<Settings, 'paths' | 'identity'> },
  baseUrl: string,
): Promise<Desk> {
  // Without an identity no profile names a database.
  const identity = await allowFailure(context.settings.identity(), [
    'authentication',
    'usage',
    'invalidInput',
  ]);
  const isItsOwn = identity !== undefined && originOf(identity.baseUrl) === originOf(baseUrl);
  return openDesk({ ...context, identity: isItsOwn ? identity : { baseUrl } });
}
