import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import { asFailure, Failure } from '../../../errors.ts';
import { errorCode } from '../../../files/error-code.ts';
import { isPlain } from '../../../terminal/accessible.ts';
import { type Device, readStatus } from '../device.ts';
import { reasonInWords } from '../state.ts';
import { span, typedAs } from '../words.ts';
import type { PairingActions } from './actions.ts';
import { CodePlaces } from './code-places.ts';
import { cancelledRow, rowOf } from './event-row.ts';
import { type PairingEnd, type PairingEvent, type ShownCode, watchPairing } from './events.ts';
import { awaitNumber, comparison, judgeNumber } from './expected-number.ts';
import { leftBehind, stateLeft } from './leaving.ts';
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
  const { clock, terminal } = session;
  const begun = clock.now();
  const places = new CodePlaces(session, device, options.file, expect);
  const renewals = new Renewals();
  const toRow = (event: PairingEvent): Row => {
    const row = rowOf(event, device, options.revealQr ? session.reveal : undefined);
    return expect !== undefined && event.kind === 'connected'
      ? { ...row, ...comparison(expect, event.phoneNumber) }
      : row;
  };
  let signal = session.signal;
  let view: PairingView | undefined;
  /** What is told last, the one before it, and what scripts got last. */
  let last: PairingEvent | undefined;
  let before: PairingEvent | undefined;
  let given: PairingEvent | undefined;
  const codes = new Map<string, ShownCode>();
  try {
    view = await openView(session, device, options, places, renewals);
    signal = AbortSignal.any([session.signal, view.signal]);
    for await (const seen of eventsOf(session, device, options, renewals, signal)) {
      before = last;
      last = seen;
      if (seen.kind === 'code') codes.set(seen.code.fingerprint, seen);
      if (expect !== undefined)
        last = await withNumber(seen, session, device, leftOf(options, begun, clock.now()), signal);
      await places.show(last);
      await view.show(last);
      if (options.bell) ring(session, last);
      given = last;
      yield toRow(last);
    }
  } catch (error) {
    const isLeft = signal.aborted && signal.reason instanceof Failure;
    const cause: unknown = signal.aborted ? signal.reason : error;
    // Whoever reads the events learns from the last one how it ended, whatever ended it.
    if (!isEnd(given)) {
      const at = clock.now();
      if (isEnd(last)) yield toRow(last);
      else if (isLeft) yield cancelledRow(device, signal.reason.kind, at, at - begun);
      else yield toRow({ kind: 'lost', at, reason: asFailure(cause).message, because: 'failed' });
    }
    throw isLeft ? leftBehind(signal.reason.kind, device, stateLeft(last, device)) : cause;
  } finally {
    view?.close();
    await places.close();
  }
  if (last?.kind !== 'connected')
    throw failureAfter(last, before, session, device, { ...options, codes: [...codes.values()] });
  const wrong =
    expect === undefined ? undefined : await judgeNumber(session, device, expect, last.phoneNumber);
  if (wrong) throw wrong;
  const phone = last.phoneNumber ? ` as ${last.phoneNumber}` : '';
  terminal.done(`Paired ${device.label}${phone} in ${span(last.took)}.`);
}

function isEnd(event: PairingEvent | undefined): event is PairingEnd {
  return event?.kind === 'connected' || event?.kind === 'lost' || event?.kind === 'timeout';
}

/** Milliseconds that are left; undefined where there is no end. */
function leftOf({ timeout }: FollowOptions, begun: number, now: number): number | undefined {
  return timeout === undefined ? undefined : begun + timeout - now;
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
  const watching = { read, clock, signal, timeout, fresh, patience, random: Math.random };
  try {
    if (rounds === undefined) yield* watchPairing(watching);
    else {
      yield* pairInRounds({
        ...watching,
        rounds,
        renewals,
        startOver: (isAsked, until) => startOver(session, device, isAsked, until),
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
  left: number | undefined,
  signal: AbortSignal,
): Promise<PairingEvent> {
  if (event.kind !== 'connected' || event.phoneNumber !== undefined) return event;
  return { ...event, phoneNumber: await awaitNumber(session, device, left, signal) };
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
  const { page, problem } = web ? await openedPage(places) : {};
  const file = options.file?.path;
  if (!terminal.interactive) {
    if (problem !== undefined) {
      terminal.warn(problem);
      if (file === undefined)
        terminal.note('Nobody sees the code so: leave with Ctrl-C, and start again with --qr-file FILE.');
    }
    return openQuietView(session, device, options.file, page);
  }
  const actions: PairingActions = {
    page: () => refusable(places.page()),
    file: () => refusable(places.file()),
    ...(rounds !== undefined && { renew: () => renewals.request() }),
  };
  if (options.noQr || isPlain(io.env)) {
    const { openPlainLines } = await import('./plain-lines.ts');
    if (problem !== undefined) terminal.warn(problem);
    return openPlainLines(session, device, { actions, file, page });
  }
  const { openPairingScreen } = await import('./screen.ts');
  return openPairingScreen(session, device, { wish, actions, file, page, problem });
}

/** The page that was asked for, or why there is none: the pairing goes on without it. */
async function openedPage(
  places: CodePlaces,
): Promise<{ readonly page?: string; readonly problem?: string }> {
  try {
    return { page: await refusable(places.page()) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { problem: error.message };
  }
}

/** What the system refuses is no bug: it becomes a failure, which whoever asked is told. */
async function refusable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error) === undefined) throw error;
    throw new Failure('usage', `The system refuses: ${error.message}.`, { cause: error });
  }
}

/** Off a terminal: what happens goes to stdout, and stderr has what scripts don't need. */
function openQuietView(
  session: Session,
  device: Device,
  file: PictureFile | undefined,
  page: string | undefined,
): PairingView {
  const { terminal, io, signal } = session;
  if (page !== undefined) {
    const [url = '', sshLine = ''] = page.split('\n');
    terminal.note(`The page with the code: ${url}`);
    terminal.note(`To open it on another machine, run there: ${sshLine}`);
  }
  // In a log it would stand between the events, which say more.
  const progress = io.stderr.isTTY
    ? terminal.progress(`Waiting for ${device.label} to be paired`)
    : undefined;
  return {
    signal,
    async show(event) {
      if (event.kind === 'unreadable') warnUnreadable(session, event, file);
    },
    close: () => progress?.stop(),
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
function failureAfter(
  last: PairingEvent | undefined,
  before: PairingEvent | undefined,
  { terminal }: Session,
  device: Device,
  { rounds, codes }: FollowOptions & { readonly codes: readonly ShownCode[] },
): Failure {
  const name = typedAs(device);
  const notPaired = `${device.label} was not paired`;
  const connect = `botctl device connect ${name}${terminal.interactive ? '' : ' --wait'}`;
  if (last?.kind === 'lost') {
    if (last.because === 'noCode') {
      return new Failure('notReached', `${notPaired}: it is started, and shows ${last.reason}.`, {
        hint: `Stop it and start it again: botctl device repair ${name}`,
      });
    }
    const hint = `Start over with new codes: ${connect}`;
    if (last.because === 'expired')
      return new Failure('notReached', `${notPaired}: nobody scanned ${inWords(codes)}.`, { hint });
    const why = last.reason === undefined ? '' : `: ${reasonInWords(last.reason)}`;
    return new Failure('notReached', `${notPaired}; it is stopped${why}.`, { hint });
  }
  const again = rounds === undefined ? `botctl device status ${name} --watch` : connect;
  const after = last?.kind === 'timeout' ? last.after : 0;
  if (after < shortTime) {
    return new Failure('notReached', `${notPaired}: --timeout left no time for more than one look.`, {
      hint: `Give it time: ${again} --timeout 15m`,
    });
  }
  return new Failure('notReached', `${notPaired} within ${span(after)}${lastly(before)}.`, {
    hint: `Go on waiting with a longer --timeout: ${again} --timeout 30m`,
  });
}

/** Codes that have expired: `any of its 12 codes, in 2 rounds`. */
function inWords(codes: readonly ShownCode[]): string {
  const rounds = new Set(codes.map(({ round }) => round)).size;
  const which = codes.length > 1 ? `any of its ${codes.length} codes` : 'its code';
  return rounds > 1 ? `${which}, in ${rounds} rounds` : `${which} in time`;
}

/** Milliseconds in which nobody scans a code. */
const shortTime = 1000;

/** What stood in the way when the time was up. */
function lastly(before: PairingEvent | undefined): string {
  if (before?.kind === 'unreachable') return `; the last answer: ${before.problem.replace(/\.$/, '')}`;
  if (before?.kind === 'scanned' || before?.kind === 'stalled')
    return ', although a phone has scanned its code';
  return '';
}
