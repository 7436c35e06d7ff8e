import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRead, readCode } from '../../src/resources/devices/pairing/code.ts';
import { apiOf, homeFor, teamAndBot } from '../commands/device/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import type { UsedSandbox } from '../support/sandbox.ts';
import { formsIn } from './encodings.ts';

/** A device that waits for a phone, with every value that would let another person take it over. */
export interface Waiting {
  readonly id: string;
  readonly env: Record<string, string>;
  readonly home: string;
  /** Its home, and a directory for its files. */
  readonly files: string;
  /** Returns all secrets so far: the token of the device, and every form of each code. */
  secrets(): Promise<ReadonlyMap<string, string>>;
}

/** Creates a device that waits for a phone, in a sandbox whose phone the test controls. */
export async function waitingDevice(sandbox: UsedSandbox): Promise<Waiting> {
  const env = homeFor(sandbox);
  const api = apiOf(sandbox);
  const { teamId, botId } = await teamAndBot(api);
  const { data } = await api.call('createDevice', {
    body: { team_id: teamId, bot_id: botId, name: 'Reception' },
  });
  const { id } = data;
  await botctl(['device', 'add', id, '--name', 'Reception'], { env });
  await api.call('connectDevice', { path: { id } });
  const known = new Map([['the device token', String(data.token)]]);
  const read = new Set<unknown>();
  const secrets = async (): Promise<ReadonlyMap<string, string>> => {
    const url = (await api.call('getDeviceStatus', { path: { id } })).data.qr_code;
    if (typeof url !== 'string' || read.has(url)) return known;
    read.add(url);
    const code = await readCode(url);
    if (!isRead(code)) throw new Error('the sandbox made a code that nobody can read');
    known.set(`payload ${code.fingerprint}`, code.payload.reveal());
    known.set(`data URL ${code.fingerprint}`, url);
    known.set(`picture ${code.fingerprint}`, code.picture.toString('base64'));
    known.set(`bytes ${code.fingerprint}`, code.picture.toString('latin1'));
    return known;
  };
  await secrets();
  return { id, env, home: env.BOTCTL_CONFIG_DIR ?? '', files: temporaryDirectory(), secrets };
}

/** Returns every place where a secret shows: a stream, or a file below a directory. */
export async function leaks(device: Waiting, ran: Ran): Promise<readonly string[]> {
  const places = new Map<string, string>([
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
  ]);
  for (const directory of [device.home, device.files]) {
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(directory, name);
      if (statSync(path).isFile()) places.set(name, readFileSync(path, 'latin1'));
    }
  }
  return [...(await device.secrets())].flatMap(([secret, value]) =>
    [...places].flatMap(([place, text]) =>
      formsIn(text, value).map((form) => `${secret}, ${form}, in ${place}`),
    ),
  );
}
