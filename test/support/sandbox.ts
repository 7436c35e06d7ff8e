import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { DifferingService } from './behaviour.ts';
import { createDatabase, testServer } from './database-server.ts';
import { keepTokens } from './kept-tokens.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The sandbox of a test file. */
export interface UsedSandbox extends Omit<Sandbox, 'reset' | 'lost' | 'drainDelay' | 'stop' | 'stopped'> {
  /** The directory of the uploaded files. */
  readonly files: string;
  /** The environment variables with which botctl uses this sandbox. */
  readonly env: Readonly<Record<'BOTCTL_BASE_URL' | 'BOTCTL_KEY_ID' | 'BOTCTL_KEY_SECRET', string>>;
  /** Stops the sandbox's time until the next test, except for `advance`. Returns it, in milliseconds since 1970. */
  freeze(): number;
  /** Advances the sandbox's time until the next test. */
  advance(milliseconds: number): void;
  /** Makes the sandbox respond as a service that made other choices, until the next test. */
  behave(choices: Parameters<DifferingService['choose']>[0]): void;
  /** Returns and clears the unexpected errors so far. Those left at the end of a test fail it. */
  takeUnexpected(): readonly unknown[];
}

/** A sandbox, and the surroundings that the current test has set. */
interface World {
  readonly sandbox: Sandbox;
  readonly files: string;
  readonly around: Around;
  readonly differing: DifferingService;
}

interface Around {
  machineTime: () => number;
  /** Milliseconds by which the sandbox's time is ahead. */
  ahead: number;
  /** The service's unexpected errors. */
  unexpected: unknown[];
}

/** The options in which the sandboxes of the tests differ. */
type Kind = Pick<SandboxOptions, 'phone' | 'rateLimit'>;

/** This process's sandboxes by their kind. They are reused until it ends because starting one takes a second. */
const running = new Map<string, Promise<World>>();

function sandboxOf(kind: Partial<Kind>): Promise<World> {
  const key = JSON.stringify(kind);
  const world = running.get(key) ?? start(kind);
  running.set(key, world);
  return world;
}

/** Returns the path of a data directory that does not exist yet; it is removed with the test. */
export function newData(): string {
  return join(temporaryDirectory(), 'data');
}

/** Starts a sandbox on a free port with its own directory, and with its own database if the tests have a server. */
async function start(kind: Partial<Kind>): Promise<World> {
  const home = mkdtempSync(join(inject('sharedHome'), 'sandbox-'));
  const data = join(home, 'data');
  const database = testServer === undefined ? undefined : await createDatabase();
  const around: Around = { machineTime: Date.now, ahead: 0, unexpected: [] };
  const differing = new DifferingService();
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    data,
    server: database && { url: new URL(database.url), files: join(home, 'uploads') },
    phone: 'auto',
    machineTime: () => around.machineTime() + around.ahead,
    onError: (error) => around.unexpected.push(error),
    wrap: differing.wrap,
    ...kind,
  });
  return { sandbox, around, differing, files: join(database ? join(home, 'uploads') : data, 'files') };
}

/** Resets a sandbox and its surroundings. */
async function begin({ sandbox, around, differing }: World, machineTime: () => number): Promise<void> {
  Object.assign(around, { machineTime, ahead: 0 });
  differing.choose({ reset: true });
  await sandbox.reset();
  around.unexpected = [];
}

/**
 * Gives a test file a sandbox that is reset before each test. Call it at the top of the file or of a `describe`; its
 * members can be read only once tests run.
 */
export function useSandbox({
  machineTime = Date.now,
  ...kind
}: Partial<Kind> & Pick<Partial<SandboxOptions>, 'machineTime'> = {}): UsedSandbox {
  let world: World | undefined;
  const used = (): World => {
    if (!world) throw new Error('the sandbox runs only while tests run');
    return world;
  };
  const sandbox = (): Sandbox => used().sandbox;

  beforeAll(async () => {
    world = await sandboxOf(kind);
  });
  beforeEach(async () => {
    const isAhead = used().around.ahead !== 0 || machineTime !== Date.now;
    await begin(used(), machineTime);
    keepTokens(environment(), { anew: isAhead });
  });
  // Keeps background work from running into the tests of the next file.
  afterAll(() => begin(used(), Date.now));
  afterEach(() => {
    expect(used().around.unexpected).toEqual([]);
  });

  const environment = (): UsedSandbox['env'] => {
    const { baseUrl, keyId, keySecret } = sandbox();
    return { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: keyId, BOTCTL_KEY_SECRET: keySecret.reveal() };
  };

  return {
    get baseUrl() {
      return sandbox().baseUrl;
    },
    get keyId() {
      return sandbox().keyId;
    },
    get keySecret() {
      return sandbox().keySecret;
    },
    get data() {
      return sandbox().data;
    },
    get files() {
      return used().files;
    },
    get control() {
      return sandbox().control;
    },
    get env() {
      return environment();
    },
    freeze() {
      const { around } = used();
      const now = around.machineTime();
      around.machineTime = () => now;
      return now + around.ahead;
    },
    advance(milliseconds) {
      used().around.ahead += milliseconds;
    },
    behave: (choices) => used().differing.choose(choices),
    takeUnexpected: () => used().around.unexpected.splice(0),
  };
}
