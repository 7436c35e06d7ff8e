import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';

/** The sandbox of a test file. */
export interface UsedSandbox extends Omit<Sandbox, 'reset' | 'stop'> {
  /** What botctl needs in its environment to be at home here. */
  readonly env: Readonly<Record<'BOTCTL_BASE_URL' | 'BOTCTL_KEY_ID' | 'BOTCTL_KEY_SECRET', string>>;
  /** Sets the sandbox's time forward, until the next test. */
  advance(milliseconds: number): void;
  /** Takes what the service did not expect so far. What is left at the end of a test fails it. */
  takeUnexpected(): readonly unknown[];
}

/**
 * Runs one sandbox for a test file, on a free port and in a directory of its own, empty before each test.
 * Call it at the top of the file or of a `describe`; its members are there once tests run.
 */
export function useSandbox(options: Partial<SandboxOptions> = {}): UsedSandbox {
  let running: Sandbox | undefined;
  let home: string | undefined;
  let ahead = 0;
  let unexpected: unknown[] = [];

  const sandbox = (): Sandbox => {
    if (!running) throw new Error('the sandbox runs only while tests run');
    return running;
  };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'botctl-sandbox-'));
    running = await startSandbox({
      host: '127.0.0.1',
      port: 0,
      data: join(home, 'data'),
      phone: 'auto',
      machineTime: () => Date.now() + ahead,
      onError: (error) => unexpected.push(error),
      ...options,
    });
  });
  beforeEach(async () => {
    ahead = 0;
    unexpected = [];
    await sandbox().reset();
  });
  afterEach(() => {
    expect(unexpected).toEqual([]);
  });
  afterAll(async () => {
    await running?.stop();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });

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
    get control() {
      return sandbox().control;
    },
    get env() {
      const { baseUrl, keyId, keySecret } = sandbox();
      return { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: keyId, BOTCTL_KEY_SECRET: keySecret.reveal() };
    },
    advance(milliseconds) {
      ahead += milliseconds;
    },
    takeUnexpected: () => unexpected.splice(0),
  };
}
