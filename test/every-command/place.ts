/**
 * The place in which the first example of each command has to succeed unchanged:
 *
 * - The service has the team "Aurora Coffee" with the plan "starter", its bots "Front desk" (published, with both
 *   documents) and "Night desk", each with two questions and actions, its documents "menu.txt" and "drinks.txt", and
 *   the API key "ci".
 * - Its devices "Reception" (paired; it has sent a message), "Counter" (never connected) and "Back office" (waits for
 *   its phone), all of "Front desk", are in the device book, and were seen when they were paired.
 * - The sandbox has a fault that no call triggers.
 * - This machine has the campaign "spring" of "Reception" and the campaign "summer" with a row of unknown outcome, and
 *   +5511977776666 has opted out.
 * - An assistant has updated "Front desk".
 * - The profile "sandbox" is the current one; its sandbox is found without `--data`.
 * - The working directory has menu.txt, handbook/hours.txt, prompt.txt, bot.yaml, tenants/aurora.yaml (the team "Aurora
 *   Coffee" with its bot "Front desk"), staging.lock.json (the state after it was applied elsewhere), old.lock.json
 *   (the state file of that team at another address), draft.yaml (a tenant with mistakes), people.csv (two recipients),
 *   optouts.csv (a number), key.secret (the secret of the current key), check.sh (which succeeds if it has a key) and
 *   pair.png (the code with which "Back office" waits).
 * - The user's editor turns one sentence into two.
 * - The shell variables $URL and $ID are the address of the service and the id of that key.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { campaignFile } from '../../src/campaigns/store/file.ts';
import { fileHistory } from '../../src/desk/device-history.ts';
import { exitCodes, Failure } from '../../src/lib/errors.ts';
import { WriteLog } from '../../src/mcp/writes.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { botctl, type Ran, type RunOptions } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { storeAt } from '../support/campaign-stores.ts';
import { copyDirectory } from '../support/copy-directory.ts';
import { booksIn } from '../support/device-books.ts';
import { scanPicture } from '../support/scan.ts';
import { createCampaign } from '../support/stored-campaign.ts';
import { type Front, startFront } from './front.ts';
import { type Contents, fill, openService, type Service, type Size } from './service.ts';
import { makeWorkingDirectory } from './working-files.ts';

/** The place where commands run. */
export interface Place {
  /** The proxy between botctl and the sandbox. */
  readonly front: Front;
  /** The values with which a shell would replace `$NAME`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The same with an address where nothing listens. */
  readonly variablesDown: Readonly<Record<string, string>>;
  /** Fills the service to a size, unless it already has it unchanged. */
  enter(size: Size): Promise<void>;
  /**
   * Creates objects beyond a size; their devices are recorded in the device book and as seen when paired. The next size
   * is filled again.
   */
  arrange(make: (service: Service) => Promise<Contents['devices']>): Promise<void>;
  /** Runs a command in a home and a working directory of its own. */
  run(args: readonly string[], options?: PlacedRun): Promise<Ran>;
  /** Returns and clears the unexpected errors of the sandbox. */
  takeUnexpected(): readonly unknown[];
}

interface OpenPlace extends Place {
  /** Fills the service again for the next size. */
  forget(): void;
}

/** Options of a run in the place. */
export interface PlacedRun extends Omit<RunOptions, 'signal'> {
  /** Nothing listens at the profile's address, and no sandbox is found. */
  readonly network?: 'down';
  /** The command is invalid, so the sandbox that it would stop is not started. */
  readonly isWrong?: boolean;
  /** Interrupts the command, like Ctrl-C, after its first output. */
  readonly stays?: boolean;
}

/** Edits a file as the user would. */
const editor = 'sed -i "s/one sentence/two sentences/"';

/** Commands of `sandbox` that do not change the running one: they read, or start or stop another one. */
const controlsNothing: ReadonlySet<string | undefined> = new Set([
  'log',
  'messages',
  'openapi',
  'run',
  'start',
  'status',
  'stop',
]);

/** Milliseconds after which a command that hangs is interrupted, so that the test can name it. */
const patience = 45_000;

/** The recorded state of a device on this machine. */
const paired = { at: '2026-01-01T00:00:00.000Z', event: 'paired', phoneNumber: '+5511912345678' } as const;

/** Pairing codes expire if they are not scanned; the service is filled again before that. */
const freshness = 40_000;

/** The place of this process. Its sandbox is reused until the process ends: starting and filling one takes a second. */
let opened: Promise<OpenPlace> | undefined;

/**
 * Gives a test file the place of its process. Call it at the top; its members can be read only once tests run.
 * @param filledAnew the newest calls are those that filled the service
 */
export function usePlace({ filledAnew = false } = {}): Place {
  let place: OpenPlace | undefined;
  const used = (): OpenPlace => {
    if (!place) throw new Error('the place is there only while tests run');
    return place;
  };
  beforeAll(async () => {
    opened ??= openPlace(mkdtempSync(join(inject('sharedHome'), 'place-'))).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    place = await opened;
    place.front.live();
    place.front.refuse(undefined);
    if (filledAnew) place.forget();
  });
  // A file's unexpected errors must fail that file.
  afterAll(() => {
    expect(place?.takeUnexpected()).toEqual([]);
  });
  return {
    get front() {
      return used().front;
    },
    get variables() {
      return used().variables;
    },
    get variablesDown() {
      return used().variablesDown;
    },
    enter: (size) => used().enter(size),
    arrange: (make) => used().arrange(make),
    run: (args, options) => used().run(args, options),
    takeUnexpected: () => used().takeUnexpected(),
  };
}

/** Starts the sandbox of a place in an existing directory. */
async function openPlace(base: string): Promise<OpenPlace> {
  let size: Size | undefined;
  let filledAt = 0;
  let contents: Contents = { devices: [], picture: Buffer.alloc(0) };
  const unexpected: unknown[] = [];
  const sandbox = await startSandboxIn(join(base, 'data'), (error) => unexpected.push(error));
  const front = await startFront(sandbox.baseUrl);
  const closed = 'http://127.0.0.1:1';
  const { keyId, keySecret } = sandbox;
  const credentials = { keyId, keySecret: keySecret.reveal() };
  for (const [kind, baseUrl] of [['up', front.url] as const, ['down', closed] as const]) {
    const profile = { name: 'sandbox', baseUrl, keyId, keySecret, writtenBy: 'sandbox' as const };
    await createProfiles(join(base, kind)).save(profile, { use: true });
    await recordWrite(join(base, kind, 'data'), baseUrl);
  }
  mkdirSync(join(base, 'up', 'data', 'sandbox'), { recursive: true });
  copyFileSync(join(base, 'data', 'control.json'), join(base, 'up', 'data', 'sandbox', 'control.json'));

  /** Fills the reset service, and the homes that are copied for each run. */
  const fillAnew = async (wanted: Size): Promise<void> => {
    await sandbox.reset();
    contents = { devices: [], picture: Buffer.alloc(0) };
    if (wanted !== 'empty') {
      contents = await fill({
        front,
        credentials,
        scan: (picture) => scanPicture(sandbox.control, picture),
        publish: (bot) => callControl(sandbox.control, '/publish', { bot }),
      });
    }
    if (wanted === 'many')
      await callControl(sandbox.control, '/seed', { teams: 120, bots: 120, documents: 120 });
    const others = Array.from({ length: wanted === 'many' ? 120 : 0 }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      name: `Table ${index}`,
    }));
    const reception = contents.devices.find(({ name }) => name === 'Reception');
    const service = reception && (await openService({ front, credentials }));
    const status = await service?.('GET', `/devices/${reception?.id}/status`);
    for (const [kind, origin] of [['up', front.url] as const, ['down', closed] as const]) {
      const directory = join(base, kind, 'data');
      rmSync(join(directory, 'devices.ndjson'), { force: true });
      const book = booksIn(directory);
      for (const device of [...contents.devices, ...others])
        await book.record(origin, { ...device, seenAt: '2026-01-01T00:00:00.000Z' });
      rmSync(join(directory, 'device-history.ndjson'), { force: true });
      for (const { id } of contents.devices) await fileHistory(directory, origin).note(id, () => paired);
      rmSync(campaignFile(directory), { force: true });
      if (reception) await keepOwn(directory, origin, reception.id, String(status?.phone_number));
    }
    // Signs in once: the token stays in the cache, which is copied with every home.
    await botctlIn(join(base, 'up'), ['whoami']);
    filledAt = Date.now();
  };

  const enter = async (wanted: Size): Promise<void> => {
    front.refuse(undefined);
    if (size === wanted && Date.now() - filledAt < freshness) return;
    size = undefined;
    await fillAnew(wanted);
    if (wanted !== 'empty')
      await callControl(sandbox.control, '/fault/add', { target: 'createKey', delay: 1, after: 1_000_000 });
    front.refuse(undefined);
    size = wanted;
  };

  const arrange = async (make: (service: Service) => Promise<Contents['devices']>): Promise<void> => {
    front.refuse(undefined);
    const devices = await make(await openService({ front, credentials }));
    const book = booksIn(join(base, 'up', 'data'));
    const history = fileHistory(join(base, 'up', 'data'), front.url);
    for (const device of devices) {
      await book.record(front.url, { ...device, seenAt: '2026-01-01T00:00:00.000Z' });
      await history.note(device.id, () => paired);
    }
    size = undefined;
  };

  const run = async (args: readonly string[], options: PlacedRun = {}): Promise<Ran> => {
    const { network, isWrong = false, stays = false, ...rest } = options;
    const { changes } = front;
    // An invalid command does nothing, so all of them share one home.
    const own = isWrong ? join(base, 'wrong') : mkdtempSync(join(base, 'run-'));
    const home = join(own, 'home');
    const directory = join(own, 'work');
    if (!existsSync(home)) {
      copyDirectory(join(base, network ?? 'up'), home);
      makeWorkingDirectory(directory, { ...contents, keySecret: credentials.keySecret });
    }
    // `sandbox stop` stops a separate sandbox instead of the shared one.
    const isEnding = args[0] === 'sandbox' && args[1] === 'stop' && network !== 'down' && !isWrong;
    const ended = isEnding ? await startSandboxIn(join(home, 'data', 'sandbox')) : undefined;
    const before = process.cwd();
    process.chdir(directory);
    try {
      const ran = await botctlIn(home, args, { ...rest, stays });
      // The front cannot see control calls, so every command that uses the control channel may have changed something.
      const isControlling = args[0] === 'sandbox' && network !== 'down' && !controlsNothing.has(args[1]);
      if (isControlling && ran.exitCode !== exitCodes.usage) size = undefined;
      return ran;
    } finally {
      process.chdir(before);
      await ended?.stop();
      if (!isWrong) rmSync(own, { recursive: true, force: true });
      if (front.changes > changes) size = undefined;
    }
  };

  return {
    front,
    variables: { URL: front.url, ID: keyId },
    variablesDown: { URL: closed, ID: keyId },
    enter,
    arrange,
    run,
    takeUnexpected: () => unexpected.splice(0),
    forget() {
      size = undefined;
    },
  };
}

/** Records that an assistant has updated a bot. */
async function recordWrite(directory: string, origin: string): Promise<void> {
  const log = new WriteLog(directory, { now: () => Date.parse('2026-01-01T00:00:00.000Z') });
  const input = { bot: 'Front desk', temperature: 0.3 };
  const write = { client: 'Assistant', profile: 'sandbox', origin, tool: 'bots_update', input };
  await log.end(await log.begin(write, input), 'done');
}

/** Stores the campaigns and the opt-out of a machine. */
async function keepOwn(directory: string, origin: string, id: string, number: string): Promise<void> {
  const store = storeAt(directory);
  const { campaign, rows } = springCampaign(origin);
  const devices = campaign.devices.map((device) => ({
    ...device,
    id,
    number: `+${number.replace(/\D/g, '')}`,
  }));
  const made = { ...campaign, devices };
  await createCampaign(store, { campaign: made, rows });
  const unsettled = rows.slice(0, 1).map((row) => ({ ...row, state: 'unknown' as const }));
  await createCampaign(store, { campaign: { ...made, name: 'summer' }, rows: unsettled });
  await storeAt(directory)
    .optOuts(origin)
    .add([{ number: '5511977776666', added_at: '2026-01-01T00:00:00.000Z' }]);
}

/** Starts a sandbox in a directory, and replaces its contents. */
async function startSandboxIn(data: string, onError?: (error: unknown) => void): Promise<Sandbox> {
  rmSync(data, { recursive: true, force: true });
  return startSandbox({ host: '127.0.0.1', port: 0, data, phone: 'manual', ...(onError && { onError }) });
}

async function botctlIn(
  home: string,
  args: readonly string[],
  { stays = false, env, ...options }: Omit<PlacedRun, 'network' | 'isWrong'> = {},
): Promise<Ran> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Failure('interrupted', 'Interrupted.'));
  const timer = setTimeout(interrupt, patience);
  return botctl(args, {
    ...options,
    signal: stop.signal,
    ...(stays && { onOutput: interrupt }),
    env: { BOTCTL_CONFIG_DIR: home, EDITOR: editor, ...env },
  }).finally(() => clearTimeout(timer));
}
