import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { botctl, type RunOptions } from './botctl.ts';
import { createLine } from './campaign.ts';
import { storeAt } from './campaign-stores.ts';
import { openDirect } from './direct.ts';
import { FakeClock } from './fake-clock.ts';
import { useSandbox } from './sandbox.ts';
import { storedCampaign } from './stored-campaign.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The call that sends a message, as faults name it. */
export const sendCall = 'POST /api/openapi/v1/send';

/** Gives each test of a file a connected device in a sandbox, and a campaign directory of its own. */
export function useCampaignsOnFiles() {
  const sandbox = useSandbox();
  const service = openDirect(sandbox);
  const { signal } = new AbortController();
  /** The directory, the device that sends, and its team, for the current test. */
  const at = { home: '', teamId: '', deviceId: '' };
  beforeEach(async () => {
    at.home = temporaryDirectory();
    at.teamId = await service.team('Aurora Coffee');
    const bot = await service.createBot(at.teamId, 'Front desk');
    at.deviceId = await service.device(at.teamId, bot, 'Reception');
    await service.connect(at.deviceId);
  });
  afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

  const data = () => join(at.home, 'data');
  const store = () => storeAt(data());
  const origin = () => new URL(sandbox.baseUrl).origin;
  const stored = async (name = 'spring') => {
    const found = await storedCampaign(store(), origin(), name);
    if (!found) throw new Error(`there is no campaign ${name}`);
    return found;
  };
  /** Runs a command with a clock on which sleeping takes no time, unless another clock is set. */
  const botctlHere = (args: readonly string[], options: RunOptions = {}) => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: at.home, ...options.env };
    return botctl(args, { clock: new FakeClock(), ...options, env });
  };
  return {
    ...{ sandbox, service, signal, at, data, store, origin, botctlHere },
    /** Returns the stored campaign "spring". */
    spring: async () => (await stored()).campaign,
    states: async (name?: string) => (await stored(name)).rows.map(({ state }) => state),
    /** Creates a campaign with this many rows, by default without a pause. */
    async create(rows: number, name = 'spring', ...more: readonly string[]): Promise<void> {
      const { args, stdin } = createLine({ rows, name, device: at.deviceId }, more);
      const made = await botctlHere(args, { stdin });
      expect(made.exitCode, made.stderr).toBe(0);
    },
    run: (options: RunOptions = {}, ...more: readonly string[]) =>
      botctlHere(['campaigns', 'run', 'spring', '--yes', '-o', 'json', ...more], options),
    /** Returns the messages that the service accepted for the device, in its order. */
    async sent() {
      const { rows } = await callControl(sandbox.control, '/messages', { limit: 100 });
      return rows.filter((row) => row.device_id === at.deviceId);
    },
    /** Makes this many of the next messages fail, or all. */
    fails: (effect: FaultEffect, times?: number) =>
      callControl(sandbox.control, '/fault/add', { target: sendCall, effect, ...(times && { times }) }),
  };
}
