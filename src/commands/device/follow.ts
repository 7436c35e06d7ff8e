import type { Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import type { Secret } from '../../secret.ts';
import { shellWord } from '../../shell-word.ts';
import { type Device, readStatus } from './device.ts';
import { type PairingEvent, watchPairing } from './pairing.ts';
import { canShow, openPairingScreen, type PairingScreen } from './pairing-screen.ts';
import type { PictureFile } from './picture-file.ts';
import { reasonInWords } from './state.ts';
import { span } from './words.ts';

/** How a pairing is followed. */
export interface FollowOptions {
  /** Milliseconds; for ever where not given. */
  readonly timeout: number | undefined;
  /** Whether the device was connected just now. */
  readonly fresh: boolean;
  /** Milliseconds that a stopped device is given to start. */
  readonly patience: number;
  readonly file: PictureFile | undefined;
  /** Puts what the codes say into the rows. */
  readonly revealQr: boolean;
}

/**
 * Follows a pairing to its end: on a terminal on a screen of its own, elsewhere without ever showing a
 * code. Gives a row for each event, or the last one alone where stdout is the terminal that the screen
 * is drawn on.
 * @throws Failure `notReached` where the device is not connected in the end
 */
export async function follow(
  session: Session,
  device: Device,
  options: FollowOptions,
): Promise<Row | AsyncIterable<Row>> {
  const rows = follower(session, device, options);
  if (!canShow(session) || session.io.stdout.isTTY !== true) return rows;
  let last: Row = {};
  for await (const row of rows) last = row;
  return last;
}

async function* follower(session: Session, device: Device, options: FollowOptions): AsyncGenerator<Row> {
  const { clock, terminal } = session;
  const { file, timeout, fresh, patience } = options;
  const view = await openView(session, device, file);
  let last: PairingEvent | undefined;
  file?.guard();
  try {
    const signal = AbortSignal.any([session.signal, view.signal]);
    const read = () => readStatus(session, device, signal);
    for await (const event of watchPairing({ read, clock, signal, timeout, fresh, patience })) {
      last = event;
      const picture = pictureIn(event);
      if (picture) file?.write(picture);
      await view.show(event);
      yield rowOf(event, device, options.revealQr ? session.reveal : undefined);
    }
  } finally {
    view.close();
    file?.remove();
  }
  if (last?.kind !== 'connected') throw notConnected(last, device);
  terminal.done(
    `Paired ${device.label}${last.phoneNumber ? ` as ${last.phoneNumber}` : ''} in ${span(last.took)}.`,
  );
}

function pictureIn(event: PairingEvent): Buffer | undefined {
  if (event.kind === 'code') return event.code.picture;
  return event.kind === 'unreadable' ? event.picture : undefined;
}

/** Where there is no screen, a line of progress and warnings have to do. */
async function openView(
  session: Session,
  device: Device,
  file: PictureFile | undefined,
): Promise<PairingScreen> {
  if (canShow(session)) return openPairingScreen(session, device.label, file?.path);
  if (session.terminal.interactive) {
    const way = file ? `It is kept in ${file.path}` : 'Add --qr-file FILE to keep its picture';
    session.terminal.note(`This terminal can't draw a code (TERM=dumb). ${way}; Ctrl-C leaves.`);
  }
  const progress = session.terminal.progress(`Waiting for ${device.label} to be paired`);
  return {
    signal: session.signal,
    async show(event) {
      if (event.kind === 'unreadable') warnUnreadable(session, event, file);
    },
    close: () => progress.stop(),
  };
}

/** Says why there is no code, and the way out. */
export function warnUnreadable(
  { terminal }: Session,
  { problem, picture }: { readonly problem: string; readonly picture: Buffer | undefined },
  file: PictureFile | undefined,
): void {
  terminal.warn(`The service sent a picture that can't be read: it ${problem}.`);
  if (file && picture) terminal.note(`It is in ${file.path}: open that in a viewer, and scan it there.`);
  else if (!file) terminal.note('Add --qr-file FILE to keep the picture, and open it in a viewer.');
}

/**
 * An event as scripts get it. Members that don't belong to it are missing.
 * @param reveal gives what a code says, where that is wanted
 */
export function rowOf(
  event: PairingEvent,
  device: Device,
  reveal: ((secret: Secret) => string) | undefined,
): Row {
  return {
    event: event.kind,
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    ...detailOf(event, reveal),
    at: new Date(event.at).toISOString(),
  };
}

function detailOf(event: PairingEvent, reveal: ((secret: Secret) => string) | undefined): Row {
  switch (event.kind) {
    case 'code':
      return {
        fingerprint: event.code.fingerprint,
        number: event.number,
        age: inSeconds(event.at - event.since),
        ...(reveal && { payload: reveal(event.code.payload) }),
      };
    case 'connected':
      return { phone_number: event.phoneNumber ?? null, took: inSeconds(event.took) };
    case 'unreadable':
      return { reason: `The picture ${event.problem}.` };
    case 'unreachable':
      return { reason: event.problem };
    case 'stopped':
    case 'lost':
      return { reason: event.reason ?? null };
    default:
      return {};
  }
}

/** Whole tenths of a second. */
function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

function notConnected(last: PairingEvent | undefined, device: Device): Failure {
  const name = shellWord(device.label);
  if (last?.kind === 'lost') {
    const why = last.reason === undefined ? '' : `: ${reasonInWords(last.reason)}`;
    return new Failure('notReached', `${device.label} was not paired; it is stopped${why}.`, {
      hint: `Start over with new codes: botctl device connect ${name}`,
    });
  }
  const after = last?.kind === 'timeout' ? ` within ${span(last.after)}` : '';
  return new Failure('notReached', `${device.label} was not paired${after}.`, {
    hint: `Go on waiting with a longer --timeout: botctl device connect ${name} --timeout 15m`,
  });
}
