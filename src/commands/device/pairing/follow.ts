import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { isAccessible } from '../../../terminal/accessible.ts';
import { type Device, readStatus } from '../device.ts';
import { reasonInWords } from '../state.ts';
import { span, typedAs } from '../words.ts';
import type { PairingActions } from './actions.ts';
import { CodePlaces } from './code-places.ts';
import { type Connected, rowOf } from './event-row.ts';
import { type PairingEvent, watchPairing } from './events.ts';
import { awaitNumber, comparison, judgeNumber } from './expected-number.ts';
import type { PictureFile } from './picture-file.ts';
import { pairInRounds, Renewals } from './rounds.ts';
import { startOver } from './start-over.ts';
import type { DrawingWish, PairingView } from './view.ts';

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
  /**
   * How many times to start over by itself when all codes have expired. Where it is not given the device is
   * only looked at, and nobody can ask for a new code.
   */
  readonly rounds?: number;
  /** The number that is to be paired, digits alone. */
  readonly expect?: string | undefined;
  /** Rings when a phone has scanned, and at the end. */
  readonly bell?: boolean;
  /** Draws nothing. */
  readonly noQr?: boolean;
  readonly wish?: DrawingWish;
  /** Opens the web page at once. */
  readonly web?: boolean;
}

/**
 * Follows a pairing to its end: on a terminal on a screen of its own or in plain lines, elsewhere without
 * ever showing a code. Gives a row for each event, or the last one alone where stdout is the terminal that
 * the screen is drawn on.
 * @throws Failure `notReached` where the device is not connected in the end, `otherNumber` where it is so with
 * another number than expected
 */
export async function follow(
  session: Session,
  device: Device,
  options: FollowOptions,
): Promise<Row | AsyncIterable<Row>> {
  const rows = follower(session, device, options);
  if (!session.terminal.interactive || session.io.stdout.isTTY !== true) return rows;
  let last: Row = {};
  for await (const row of rows) last = row;
  return last;
}

async function* follower(session: Session, device: Device, options: FollowOptions): AsyncGenerator<Row> {
  const { expect } = options;
  const places = new CodePlaces(session, device, options.file, expect);
  const renewals = new Renewals();
  let view: PairingView | undefined;
  let last: PairingEvent | undefined;
  try {
    view = await openView(session, device, options, places, renewals);
    const signal = AbortSignal.any([session.signal, view.signal]);
    for await (const seen of eventsOf(session, device, options, renewals, signal)) {
      last = expect === undefined ? seen : await withNumber(seen, session, device, signal);
      await places.show(last);
      await view.show(last);
      if (options.bell) ring(session, last);
      const row = rowOf(last, device, options.revealQr ? session.reveal : undefined);
      yield expect !== undefined && last.kind === 'connected'
        ? { ...row, ...comparison(expect, last.phoneNumber) }
        : row;
    }
  } finally {
    view?.close();
    await places.close();
  }
  if (last?.kind !== 'connected') throw failureAfter(last, device);
  const wrong =
    expect === undefined ? undefined : await judgeNumber(session, device, expect, last.phoneNumber);
  if (wrong) throw wrong;
  const phone = last.phoneNumber ? ` as ${last.phoneNumber}` : '';
  session.terminal.done(`Paired ${device.label}${phone} in ${span(last.took)}.`);
}

/** The events of a pairing. The last one says how it ended, also where the service can't be asked any more. */
async function* eventsOf(
  session: Session,
  device: Device,
  { timeout, fresh, patience, rounds }: FollowOptions,
  renewals: Renewals,
  signal: AbortSignal,
): AsyncGenerator<PairingEvent> {
  const { clock } = session;
  const read = (until: AbortSignal) => readStatus(session, device, until);
  const watching = { read, clock, signal, timeout, fresh, patience };
  try {
    if (rounds === undefined) yield* watchPairing(watching);
    else {
      yield* pairInRounds({
        ...watching,
        rounds,
        renewals,
        startOver: (isAsked, until) => startOver(session, device, isAsked, until),
        random: Math.random,
      });
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    yield { kind: 'lost', at: clock.now(), reason: error.message, because: 'failed' };
    throw error;
  }
}

/** A service may show the number a little later than the connection. */
async function withNumber(
  event: PairingEvent,
  session: Session,
  device: Device,
  signal: AbortSignal,
): Promise<PairingEvent> {
  if (event.kind !== 'connected' || event.phoneNumber !== undefined) return event;
  return { ...event, phoneNumber: await awaitNumber(session, device, signal) };
}

/** Rings at the moments at which a person who looks elsewhere should look back. */
function ring({ io, terminal }: Session, { kind }: PairingEvent): void {
  const isMoment = ['scanned', 'stalled', 'connected', 'lost', 'timeout'].includes(kind);
  if (isMoment && terminal.interactive) io.stderr.write('\x07');
}

async function openView(
  session: Session,
  device: Device,
  options: FollowOptions,
  places: CodePlaces,
  renewals: Renewals,
): Promise<PairingView> {
  const { terminal, io } = session;
  const { wish = { style: 'auto', invert: false }, web = false, rounds } = options;
  const page = web ? await places.page() : undefined;
  const file = options.file?.path;
  if (!terminal.interactive) return openQuietView(session, device, options.file, page);
  const actions: PairingActions = {
    page: () => places.page(),
    file: () => places.file(),
    ...(rounds !== undefined && { renew: () => renewals.request() }),
  };
  if (options.noQr || isAccessible(io.env) || io.env.TERM === 'dumb') {
    const { openPlainLines } = await import('./plain-lines.ts');
    return openPlainLines(session, device, { actions, file, page });
  }
  const { openPairingScreen } = await import('./screen.ts');
  const remark = page === undefined ? undefined : `The page: ${page}`;
  return openPairingScreen(session, device, { wish, actions, file, remark });
}

/** Off a terminal: what happens goes to stdout, and stderr has what scripts don't need. */
function openQuietView(
  session: Session,
  device: Device,
  file: PictureFile | undefined,
  page: string | undefined,
): PairingView {
  const { terminal, signal } = session;
  if (page !== undefined) {
    const [url = '', sshLine = ''] = page.split('\n');
    terminal.note(`The page with the code: ${url}`);
    terminal.note(`To open it on another machine, run there: ${sshLine}`);
  }
  const progress = terminal.progress(`Waiting for ${device.label} to be paired`);
  return {
    signal,
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

/** Why the device is not paired in the end, and what to do. */
function failureAfter(last: Exclude<PairingEvent, Connected> | undefined, device: Device): Failure {
  const name = typedAs(device);
  const notPaired = `${device.label} was not paired`;
  if (last?.kind === 'lost') {
    if (last.because === 'noCode') {
      return new Failure('notReached', `${notPaired}: it is started, and shows ${last.reason}.`, {
        hint: `Stop it and start it again: botctl device repair ${name}`,
      });
    }
    const hint = `Start over with new codes: botctl device connect ${name}`;
    const why = last.reason === undefined ? '' : `: ${reasonInWords(last.reason)}`;
    return last.because === 'expired'
      ? new Failure('notReached', `${notPaired}: every code has expired${why}.`, { hint })
      : new Failure('notReached', `${notPaired}; it is stopped${why}.`, { hint });
  }
  const after = last?.kind === 'timeout' ? ` within ${span(last.after)}` : '';
  return new Failure('notReached', `${notPaired}${after}.`, {
    hint: `Go on waiting with a longer --timeout: botctl device connect ${name} --timeout 30m`,
  });
}
