import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import type { Row } from '../output/fields.ts';
import { codeTimeoutMs, startTimeoutMs } from '../resources/devices/connection-times.ts';
import { type Device, readStatus } from '../resources/devices/device.ts';
import type { DeviceStatus } from '../resources/devices/device-status.ts';
import { serviceSays } from '../resources/devices/device-words.ts';
import { diagnose } from '../resources/devices/diagnosis.ts';
import { type PairingEvent, watchPairing } from '../resources/devices/pairing/watch-pairing.ts';
import { type PictureFile, warnUnreadable } from './code-outputs.ts';
import { pairingRow } from './pairing-row.ts';

/** Options for saving the first code. */
export interface FirstCodeOptions {
  readonly file: PictureFile;
  /** True if the device was connected just before. */
  readonly justConnected: boolean;
  readonly revealQr: boolean;
}

/**
 * Saves the first code of a device, for a caller that doesn't wait for more. A device that reconnects
 * without a code is connected, and has no code to save.
 * @returns the event
 * @throws Failure `notReached` if there is no code
 */
export async function saveFirstCode(
  session: Session,
  device: Device,
  options: FirstCodeOptions,
): Promise<Row> {
  const work = session.terminal.progress(`Waiting for the code of ${device.label}`);
  const event = await firstCode(session, device, options).finally(() => work.stop());
  const { file } = options;
  if (event.kind === 'unreadable') {
    if (event.picture) file.write(event.picture);
    warnUnreadable(session, event, file);
  } else if (event.kind === 'code') {
    file.write(event.code.picture);
    session.terminal.note(
      `The code is in ${file.path}. It expires soon, and the file is not updated. With --wait it is, until the device is paired.`,
    );
  }
  return pairingRow(event, device, options.revealQr ? session.reveal : undefined);
}

type FirstCode = Extract<PairingEvent, { kind: 'code' | 'unreadable' | 'connected' }>;

async function firstCode(
  session: Session,
  device: Device,
  { justConnected }: FirstCodeOptions,
): Promise<FirstCode> {
  const { clock, signal } = session;
  let status: DeviceStatus | undefined;
  let problem: string | undefined;
  const read = async (until: AbortSignal): Promise<DeviceStatus> => {
    status = await readStatus(session, device, until);
    problem = undefined;
    return status;
  };
  const timing = { clock, signal, timeout: codeTimeoutMs, startTimeoutMs };
  for await (const event of watchPairing({ ...timing, read, justConnected, hasAnswered: true })) {
    if (event.kind === 'code' || event.kind === 'unreadable' || event.kind === 'connected') return event;
    if (event.kind === 'unreachable') problem = event.problem;
  }
  throw noCodeFailure(session, device, status, problem);
}

/** Returns the failure if there is no code, with the next command: a paired device needs no code, a stuck one a repair. */
function noCodeFailure(
  { clock }: Session,
  device: Device,
  status: DeviceStatus | undefined,
  problem: string | undefined,
): Failure {
  const message = `${device.label} shows no code`;
  const word = device.word;
  if (!status || problem !== undefined) {
    const hint = remark`Check it again in a minute: ${command('device', 'status', word)}`;
    return new Failure('notReached', `${message} yet: ${problem ?? 'it could not be read.'}`, { hint });
  }
  const { state, text, next } = diagnose(status, device, clock.now());
  if (state === 'starting') {
    const hint = remark`Restart it: ${command('device', 'repair', word)}`;
    const says = status.message === undefined ? '' : ` ${serviceSays(status.message)}`;
    return new Failure('notReached', `${message}, although it is started.${says}`, { hint });
  }
  return new Failure('notReached', `${message}: ${text}.`, { hint: next && remark`Continue with: ${next}` });
}
