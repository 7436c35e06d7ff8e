/**
 * The service of the group `service`, in a process of its own that ends with its parent: the same API on the same data,
 * with and without what stands around its routes. Tells its parent the `Served`, and answers each message of it
 * with the CPU time that the process has taken so far, in milliseconds.
 *
 *     service-case.cjs DIRECTORY
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { openClock } from '../../src/sandbox/clock.ts';
import { Behaviour } from '../../src/sandbox/faults/behaviour.ts';
import { Faults } from '../../src/sandbox/faults/faults.ts';
import { createInterference } from '../../src/sandbox/faults/interference.ts';
import type { Interference } from '../../src/sandbox/http/exchange.ts';
import { createNetwork } from '../../src/sandbox/messaging-network.ts';
import { createProvider } from '../../src/sandbox/provider.ts';
import { openLogFiles } from '../../src/sandbox/request-log/log-files.ts';
import type { RequestLog } from '../../src/sandbox/request-log/request-log.ts';
import { createApiServer } from '../../src/sandbox/server.ts';
import { ownLists, type Service } from '../../src/sandbox/service.ts';
import { freeSpaceOf } from '../../src/sandbox/store/disk.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { issueToken, tokenSecretOf } from '../../src/sandbox/tokens.ts';

const fail = (error: unknown): void => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
};

async function serve(directory: string): Promise<void> {
  const store = await openStore(directory);
  const clock = await openClock(store, Date.now);
  const tokenSecret = await tokenSecretOf(randomBytes(32));
  const service: Service = {
    baseUrl: 'http://127.0.0.1',
    store,
    clock,
    provider: createProvider(),
    network: createNetwork(store, clock, { secret: randomBytes(32), phone: 'manual' }),
    tokenSecret,
    lists: ownLists,
  };
  const now = clock.now();
  const key = {
    key_id: 'bench',
    secret_hash: randomBytes(32),
    name: 'bench',
    scope: 'global',
    is_active: true,
  };
  await store.db
    .insertInto('api_keys')
    .values({ ...key, created_at: now })
    .execute();

  const open = async (interference?: Interference, log?: RequestLog): Promise<number> => {
    const { server } = createApiServer(service, {
      onError: fail,
      interference,
      log,
      drainTime: 0,
    });
    // Never in the middle of a case.
    server.keepAliveTimeout = 600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const faults = new Faults();
  const behaviour = new Behaviour(false, { isShared: async () => false, share: async () => true });
  const idle = createInterference({ faults, behaviour, clock, machineTime: Date.now });
  const size = 64 * 1024 * 1024;
  const freeSpace = (): number => freeSpaceOf(directory);
  const log = openLogFiles(join(directory, 'request-log'), { size, freeSpace, onError: fail });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  });
  process.send?.({
    plain: await open(),
    faults: await open(idle),
    log: await open(undefined, log),
    token: await issueToken(tokenSecret, key.key_id, now),
  });
}

process.once('disconnect', () => process.exit());
serve(process.argv[2] ?? '').catch(fail);
