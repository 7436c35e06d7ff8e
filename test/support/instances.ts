import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { createDatabase, type TestDatabase } from './database-server.ts';

/** The properties of an instance that calls need. */
export type Instance = Pick<Sandbox, 'baseUrl' | 'keyId' | 'keySecret' | 'control' | 'reset'>;

/** Sandboxes that share one database, each with its own data directory. */
export interface Instances {
  readonly database: TestDatabase;
  /** The directory of the uploaded files. */
  readonly files: string;
  readonly all: readonly [Instance, Instance, ...Instance[]];
  /** The first instance's key, with the address of another instance at each access. */
  readonly inTurn: Instance;
  /** Returns and clears the unexpected errors so far. Those left at the end of a test fail it. */
  takeUnexpected(): readonly unknown[];
}

/**
 * Gives a `describe` two or more instances, which are reset before each test and use the database's time. The result
 * can be read only once tests run.
 */
export function useInstances(count: number): Instances {
  const sandboxes: Sandbox[] = [];
  const unexpected: unknown[] = [];
  let database: TestDatabase | undefined;
  let home = '';
  beforeAll(async () => {
    database = await createDatabase();
    home = mkdtempSync(join(inject('sharedHome'), 'instances-'));
    const server = { url: new URL(database.url), files: join(home, 'uploads') };
    for (let index = 0; index < count; index += 1) {
      const data = join(home, `instance-${index}`);
      const onError = (error: unknown): unknown => unexpected.push(error);
      sandboxes.push(
        await startSandbox({ host: '127.0.0.1', port: 0, data, server, phone: 'manual', onError }),
      );
    }
  });
  beforeEach(() => sandbox(0).reset());
  afterEach(() => expect(unexpected.splice(0)).toEqual([]));
  afterAll(async () => {
    for (const one of sandboxes) await one.stop();
    await database?.drop();
  });

  const sandbox = (index: number): Sandbox => {
    const found = sandboxes[index];
    if (!found) throw new Error('the instances run only while tests run');
    return found;
  };
  const lazily = (place: () => Sandbox, address = place): Instance => ({
    get baseUrl() {
      return address().baseUrl;
    },
    get keyId() {
      return place().keyId;
    },
    get keySecret() {
      return place().keySecret;
    },
    get control() {
      return address().control;
    },
    reset: () => address().reset(),
  });
  const at = (index: number): Instance => lazily(() => sandbox(index));
  let turn = 0;
  return {
    get database() {
      if (!database) throw new Error('the instances run only while tests run');
      return database;
    },
    get files() {
      return join(home, 'uploads', 'files');
    },
    all: [at(0), at(1), ...Array.from({ length: count - 2 }, (_, index) => at(index + 2))],
    inTurn: lazily(
      () => sandbox(0),
      () => sandbox(turn++ % count),
    ),
    takeUnexpected: () => unexpected.splice(0),
  };
}
