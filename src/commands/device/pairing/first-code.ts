import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { type Device, readStatus } from '../device.ts';
import type { StatusView } from '../state.ts';
import { verdictOf } from '../verdict.ts';
import { typedAs } from '../words.ts';
import { rowOf } from './event-row.ts';
import { type PairingEvent, watchPairing } from './events.ts';
import { warnUnreadable } from './follow.ts';
import type { PictureFile } from './picture-file.ts';

/** Milliseconds that a started device may take to show its first code. */
const codePatience = 15_000;

/** How the first code is saved. */
export interface FirstCodeOptions {
  readonly file: PictureFile;
  /** Whether the device was connected just now. */
  readonly fresh: boolean;
  /** Milliseconds that a stopped device is given to start. */
  readonly patience: number;
  readonly revealQr: boolean;
}

/**
 * Saves the first code that a device shows, for a caller that doesn't wait for more. Gives the event. A device
 * that comes back without a code is connected, and has none to save.
 * @throws Failure `notReached` where there is none
 */
export async function saveFirstCode(
  session: Session,
  device: Device,
  options: FirstCodeOptions,
): Promise<Row> {
  const work = session.terminal.progress(`Waiting for the code of ${device.label}`);
  const event = await firstCode(session, device, options).finally(() => work.stop());
  if (event.kind !== 'connected') save(session, event, options.file);
  return rowOf(event, device, options.revealQr ? session.reveal : undefined);
}

type FirstCode = Extract<PairingEvent, { kind: 'code' | 'unreadable' | 'connected' }>;

async function firstCode(
  session: Session,
  device: Device,
  { fresh, patience }: FirstCodeOptions,
): Promise<FirstCode> {
  const { clock, signal } = session;
  let view: StatusView | undefined;
  let problem: string | undefined;
  const read = async (until: AbortSignal): Promise<StatusView> => {
    view = await readStatus(session, device, until);
    problem = undefined;
    return view;
  };
  const watching = { read, clock, signal, timeout: codePatience, fresh, patience, random: Math.random };
  for await (const event of watchPairing(watching)) {
    if (event.kind === 'code' || event.kind === 'unreadable' || event.kind === 'connected') return event;
    if (event.kind === 'unreachable') problem = event.problem;
  }
  throw noCode(session, device, view, problem);
}

/** Why there is no code, and what leads on: one that is paired needs none, and one that is stuck is repaired. */
function noCode(
  { clock }: Session,
  device: Device,
  view: StatusView | undefined,
  problem: string | undefined,
): Failure {
  const message = `${device.label} shows no code`;
  const name = typedAs(device);
  if (!view || problem !== undefined) {
    const hint = `Look at it in a minute: botctl device status ${name}`;
    return new Failure('notReached', `${message} so far: ${problem ?? 'it could not be read.'}`, { hint });
  }
  const { state, text, next } = verdictOf(view, device, clock.now());
  if (state === 'starting') {
    const hint = `Stop it and start it again: botctl device repair ${name}`;
    return new Failure('notReached', `${message}, although it is started.`, { hint });
  }
  return new Failure('notReached', `${message}: ${text}.`, { hint: next && `Go on with: ${next}` });
}

function save(session: Session, event: Exclude<FirstCode, { kind: 'connected' }>, file: PictureFile): void {
  if (event.kind === 'unreadable') {
    if (event.picture) file.write(event.picture);
    warnUnreadable(session, event, file);
    return;
  }
  file.write(event.code.picture);
  session.terminal.note(`The code is in ${file.path}. It is replaced soon, and the file isn't.`);
}
