import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import { statementTimeout } from '../database/pool.ts';
import { systemClock } from '../lib/clock.ts';
import { databaseLabel } from '../lib/database-address.ts';
import { errorCode, messageOf } from '../lib/errors.ts';
import { hostAndPort, type ListenAddress, listen } from '../lib/listen.ts';
import { openClock } from './clock.ts';
import { startControl } from './control/control-server.ts';
import { removeOrphans, removePartialUploads } from './document-files.ts';
import { isReachable, requireCallerKey } from './exposure.ts';
import { Faults } from './faults/faults.ts';
import { createInterference } from './faults/interference.ts';
import { deleteAllBut, ensureFirstKey, firstKeyRow } from './first-key.ts';
import { createNetwork } from './messaging-network.ts';
import { SandboxProblem } from './problem.ts';
import type { Problem } from './problem-facts.ts';
import { LogFiles } from './request-log/log-files.ts';
import type { AnySandbox, Sandbox, SandboxOptions } from './sandbox.ts';
import { createApiServer } from './server.ts';
import type { Service } from './service.ts';
import { readControlFile, removeControlFile } from './store/control-file.ts';
import { settleEmails } from './store/emails.ts';
import { openStore } from './store/open.ts';
import { dataFailure, publishControlFile } from './store/ownership.ts';
import { serverFailure } from './store/postgresql.ts';

/**
 * Milliseconds that calls in flight may take to end; with a database server they may wait for locks, and for the
 * server.
 */
const usualDrainTime = 2000;
const serverDrainTime = statementTimeout + 10_000;

/** Milliseconds in which a load balancer that probes every second or two notices that a service is stopping. */
const usualDrainDelay = 5000;

/**
 * Minimum milliseconds, and half of the maximum, from the start of a process to its removal of orphaned files, if other
 * processes serve the same database: first calls are served before that, and processes that start together sweep at
 * different times.
 */
const sweepDelayMs = 5000;

/** Maximum bytes of the request log. */
const logSize = 64 * 1024 * 1024;

/**
 * Starts the service with the contents of its data directory.
 * @throws Failure `invalidInput` for a public host without the required options, or a port or data directory in use;
 * `network` for a database that is unavailable or busy
 */
export function startSandbox(
  options: SandboxOptions & {
    readonly insecureHttp?: false | undefined;
  },
): Promise<Sandbox>;
export function startSandbox(options: SandboxOptions): Promise<AnySandbox>;
export async function startSandbox(options: SandboxOptions): Promise<AnySandbox> {
  const isPublic = isReachable(options);
  const closers: (() => Promise<void>)[] = [];
  /** Closes in the reverse order of opening; continues if closing one fails. */
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const close of closers.toReversed()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= closeAll();
    return stopping;
  };
  // Registered first, so it is called last.
  const stopped = new Promise<void>((resolve) => closers.push(async () => resolve()));
  const { machineTime = Date.now } = options;
  const data = resolve(options.data);
  try {
    const store = await openStore(data, options).catch((error: unknown) => {
      throw dataFailure(error, options.data);
    });
    closers.push(() => store.close());
    await settleEmails(store, options);
    const clock = await openClock(store, options.machineTime);
    const firstKey = isPublic ? undefined : await ensureFirstKey(store, clock, data, options);
    /** Returns the key that a reset keeps. */
    const lastingKey = async (createdAt: Date): ReturnType<typeof requireCallerKey> =>
      firstKey ? firstKeyRow(createdAt, firstKey) : requireCallerKey(store, clock, options);
    const { key_id: keyId } = await lastingKey(clock.now());
    // This process receives no uploads yet. If others may, partial uploads are recognised by their age, at any time.
    if (!store.isShared) await removePartialUploads(store);

    let baseUrl = '';
    const service: Service = {
      get baseUrl() {
        return baseUrl;
      },
      isPublic,
      store,
      clock,
      network: createNetwork(store, clock, {
        secret: derive(store.signingKey, 'pairing codes'),
        phone: options.phone,
      }),
      tokenSecret: derive(store.signingKey, 'access tokens'),
    };
    const onError = options.onError ?? (() => undefined);
    const requestLog = new LogFiles(join(data, 'request-log'), {
      size: logSize,
      onError(cause) {
        const message = `The request log can't be written: ${messageOf(cause)}. The sandbox keeps running.`;
        onError(new Error(message, { cause }));
      },
    });
    closers.push(async () => requestLog.close());
    const faults = new Faults();
    const { rateLimit, wrap } = options;
    const interference = createInterference({ faults, clock, rateLimit, wrap, machineTime });
    const { drainTime = options.server ? serverDrainTime : usualDrainTime } = options;
    const { drainDelay = isPublic ? usualDrainDelay : 0 } = options;
    const api = createApiServer(service, { onError, interference, log: requestLog, drainTime });
    const port = await listen(api.server, options).catch((error: unknown) => {
      throw portFailure(error, options);
    });
    closers.push(() => api.close());
    baseUrl = `http://${hostAndPort(options.host, port)}`;
    /** Orphaned files are harmless, so a failure to remove them is only reported. */
    const sweep = async (signal?: AbortSignal): Promise<void> => {
      try {
        if (store.isShared) await removePartialUploads(store);
        await removeOrphans(store, signal);
      } catch (error) {
        if (!signal?.aborted) onError(error);
      }
    };
    const reset = async (): Promise<void> => {
      // The clock is reset after its data is deleted, so that it stays if deletion fails, for example on a full disk.
      await deleteAllBut(
        store,
        await lastingKey(clock.unset()),
        firstKey !== undefined && !options.hasPassingKey,
      );
      await clock.reload();
      faults.reset();
      await sweep();
    };
    const about = {
      data,
      database: options.server ? databaseLabel(options.server.url) : null,
      log: options.log ?? null,
      phone: options.phone,
      keyId,
      startedAt: new Date(),
    };
    const control = await startControl({ service, faults, requestLog, about, reset, stop });
    closers.push(() => control.close());
    // The start doesn't wait for the sweep: there may be hundreds of thousands of files.
    const leaving = new AbortController();
    const pause = store.isShared ? sweepDelayMs * (1 + systemClock.random()) : 0;
    const swept = systemClock.sleep(pause, leaving.signal).then(
      () => sweep(leaving.signal),
      () => undefined,
    );
    closers.push(() => {
      leaving.abort();
      return swept;
    });
    publishControlFile(data, {
      url: control.url,
      token: control.token.reveal(),
      pid: process.pid,
      base_url: baseUrl,
    });
    closers.push(async () => {
      // If the directory was moved and replaced, another sandbox has written its own control file.
      if (readControlFile(data)?.pid === process.pid) removeControlFile(data);
    });
    // The control channel stays available as long as the API is served.
    closers.push(async () => {
      api.drain();
      await systemClock.sleep(drainDelay);
    });

    return {
      baseUrl,
      keyId,
      keySecret: firstKey?.keySecret,
      data,
      control: { url: control.url, token: control.token },
      reset,
      drainDelay,
      stop,
      stopped,
    };
  } catch (error) {
    await closeAll().catch(() => undefined);
    throw options.server ? serverFailure(error, options.server.url) : error;
  }
}

/** Derives a key for one purpose from the data directory's secret (RFC 5869). */
function derive(signingKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', signingKey, 'botctl sandbox', purpose, 32));
}

function portFailure(error: unknown, { host, port }: ListenAddress): unknown {
  const failure = (message: string, problem: Problem) =>
    new SandboxProblem(message, problem, { cause: error });
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return failure(`Port ${port} is in use.`, { code: 'portInUse', port });
    case 'EACCES':
      return failure(`You are not allowed to listen on port ${port}.`, { code: 'portForbidden' });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return failure(`This machine has no address ${host}.`, { code: 'hostUnknown' });
    default:
      return error;
  }
}
