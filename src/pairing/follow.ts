import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { shortDuration } from '../lib/time.ts';
import type { Row } from '../output/fields.ts';
import { type CodeStyle, codeStyles } from '../qr/styles.ts';
import { startTimeoutMs } from '../resources/devices/connection-times.ts';
import { type Device, readStatus } from '../resources/devices/device.ts';
import { noteScanFailed } from '../resources/devices/note-history.ts';
import {
  type ForeignCommand,
  recentPairingOfOthers,
  stopByOthers,
} from '../resources/devices/other-agents.ts';
import { awaitNumber, comparison } from '../resources/devices/pairing/expected-number.ts';
import { pairInRounds, Renewals } from '../resources/devices/pairing/rounds.ts';
import { isEnd, type PairingEvent, watchPairing } from '../resources/devices/pairing/watch-pairing.ts';
import { startOver } from '../resources/devices/transition.ts';
import { isPlain } from '../terminal/accessible.ts';
import { checkNumber } from './check-number.ts';
import { CodeOutputs, type PictureFile, warnUnreadable } from './code-outputs.ts';
import { type EventView, eventsOrLast, type PairingView } from './event-view.ts';
import { failureAfter, interruptedResult } from './outcome.ts';
import type { PairingInput } from './pairing-options.ts';
import { pairingRow } from './pairing-row.ts';
import { type PageAddress, pageLines } from './words.ts';

/** Options for following a pairing. */
export interface FollowOptions extends Partial<PairingInput> {
  /** The file with the current picture, if the user named one. */
  readonly file: PictureFile | undefined;
  /** Milliseconds, or undefined for no limit. */
  readonly timeout: number | undefined;
  /** When the work with this timeout began, if that was before `follow`. */
  readonly startedAt?: number | undefined;
  /** True if the device was connected just before. */
  readonly justConnected: boolean;
  /** False if it could not be read yet. */
  readonly hasAnswered?: boolean;
  /** The command of another person that began the pairing, if the history has one. */
  readonly others?: ForeignCommand | undefined;
  /**
   * How often to start over automatically when all codes have expired. If undefined, the device is only
   * observed, and no new code can be requested.
   */
  readonly rounds?: number;
}

/**
 * Follows a pairing to its end: on a terminal with a screen or in plain lines, elsewhere without
 * ever showing a code.
 * @returns a row for each event, or only the last one if stdout is the terminal with the screen
 * @throws Failure `notReached` if the device is not connected in the end, `otherNumber` if it is connected with
 * another number than expected
 */
export async function follow(
  session: Session,
  device: Device,
  options: FollowOptions,
): Promise<Row | AsyncIterable<Row>> {
  return eventsOrLast(session, true, pairingRows(session, device, options));
}

/**
 * Yields a row for each event of a pairing. While a screen covers the terminal, rows are delayed,
 * since stdout may go to the terminal too, for example with `tee`.
 * @throws Failure as `follow`
 */
export async function* pairingRows(
  session: Session,
  device: Device,
  options: FollowOptions,
): AsyncGenerator<Row> {
  const { expect, rounds, timeout } = options;
  const { clock } = session;
  const outputs = new CodeOutputs(session, device, options.file, expect);
  const renewals = new Renewals();
  const toRow = (event: PairingEvent): Row => {
    const row = pairingRow(event, device, options.revealQr ? session.reveal : undefined);
    return expect !== undefined && event.kind === 'connected'
      ? { ...row, ...comparison(expect.digits, event.phoneNumber) }
      : row;
  };
  const { startedAt = clock.now() } = options;
  let signal = session.signal;
  let view: EventView<PairingEvent> | undefined;
  let last: PairingEvent | undefined;
  let others = options.others;
  let lastCode: Extract<PairingEvent, { kind: 'code' }> | undefined;
  let isEndTold = false;
  const held: Row[] = [];
  let failed: { readonly error: unknown } | undefined;
  try {
    view = await openView(session, device, options, {
      outputs,
      renewals: rounds === undefined ? undefined : renewals,
      others: () => others,
    });
    signal = AbortSignal.any([session.signal, view.signal]);
    for await (const event of eventsOf(session, device, options, renewals, signal)) {
      last = event;
      if (event.kind === 'scan_failed') await noteScanFailed(session, device.id, event.at, event.reason);
      if (expect !== undefined && event.kind === 'connected' && event.phoneNumber === undefined) {
        // A service may show the number with a delay after the connection.
        const left = timeout === undefined ? undefined : startedAt + timeout - clock.now();
        last = { ...event, phoneNumber: await awaitNumber(session, device, left, signal) };
      }
      if (last.kind === 'failed' && last.because === 'stopped')
        last = { ...last, stoppedBy: await stopByOthers(session, device, clock.now() - startedAt) };
      if (last.kind === 'code') {
        if (lastCode && lastCode.code.fingerprint !== last.code.fingerprint) {
          const restartedBy = await recentPairingOfOthers(session, device, clock.now() - lastCode.since);
          others = restartedBy ?? others;
          last = { ...last, restartedBy };
        }
        lastCode = last;
      }
      await outputs.show(last);
      await view.show(last);
      ringBell(session, last);
      isEndTold = isEnd(last);
      if (view.coversTerminal) held.push(toRow(last));
      else yield toRow(last);
    }
  } catch (error) {
    const end = interruptedResult(error, signal, last, device, startedAt, clock.now());
    if (!isEndTold) held.push(last && isEnd(last) ? toRow(last) : end.row);
    failed = end;
  } finally {
    view?.close();
    await outputs.close();
  }
  yield* held;
  if (failed) throw failed.error;
  if (last) await conclude(session, device, options, last);
}

/**
 * Reports the paired number.
 * @throws Failure if the device is not connected in the end, or with another number than expected
 */
async function conclude(
  session: Session,
  device: Device,
  { expect, rounds }: FollowOptions,
  end: PairingEvent,
): Promise<void> {
  const { terminal } = session;
  if (end.kind === 'failed' || end.kind === 'timeout')
    throw failureAfter(end, device, { canConnect: rounds !== undefined, interactive: terminal.interactive });
  if (end.kind !== 'connected') return;
  const wrong =
    expect === undefined ? undefined : await checkNumber(session, device, expect.digits, end.phoneNumber);
  if (wrong) throw wrong;
  const phone = end.phoneNumber ? ` as ${end.phoneNumber}` : '';
  terminal.done(`Paired ${device.label}${phone} in ${shortDuration(end.took)}.`);
}

/** Yields the events of a pairing. The last one reports how it ended, even if the service can't be reached any more. */
async function* eventsOf(
  session: Session,
  device: Device,
  { timeout, startedAt, justConnected, hasAnswered = true, rounds }: FollowOptions,
  renewals: Renewals,
  signal: AbortSignal,
): AsyncGenerator<PairingEvent> {
  const { clock } = session;
  const read = (until: AbortSignal) => readStatus(session, device, until);
  const watching = {
    read,
    clock,
    signal,
    timeout,
    startedAt,
    justConnected,
    startTimeoutMs,
    hasAnswered,
  };
  try {
    // Another process may connect it at any time.
    if (rounds === undefined) yield* watchPairing({ ...watching, startTimeoutMs: Number.POSITIVE_INFINITY });
    else {
      yield* pairInRounds({
        ...watching,
        rounds,
        renewals,
        startOver: (requestedByUser, until) => startOver(session, device, requestedByUser, until),
      });
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    yield { kind: 'failed', at: clock.now(), reason: error.message, because: 'error' };
    throw error;
  }
}

/** Rings the terminal bell when the user is needed: the phone needs help, or the pairing has ended. */
function ringBell({ io, terminal }: Session, event: PairingEvent): void {
  if (terminal.interactive && (event.kind === 'stalled' || isEnd(event))) io.stderr.write('\x07');
}

/** The dependencies of a view. */
interface ViewParts extends Pick<PairingView, 'others'> {
  readonly outputs: CodeOutputs;
  /** Handles requests for a new code; undefined if that is not possible. */
  readonly renewals: Renewals | undefined;
}

/** Opens the view of a pairing: a screen or plain lines on a terminal, otherwise only progress. */
async function openView(
  session: Session,
  device: Device,
  { qr, qrWeb, expect, file }: FollowOptions,
  { outputs, renewals, others }: ViewParts,
): Promise<EventView<PairingEvent>> {
  const { terminal, io } = session;
  let page: PageAddress | undefined;
  let problem: string | undefined;
  try {
    if (qrWeb) page = await outputs.page();
  } catch (error) {
    // The pairing goes on without it.
    if (!(error instanceof Failure)) throw error;
    problem = error.message;
  }
  const view: PairingView = {
    actions: {
      page: () => outputs.page(),
      file: () => outputs.file(),
      ...(renewals && { renew: () => renewals.request() }),
    },
    expected: expect?.shown,
    others,
    file: file?.path,
    page,
  };
  const open = async (): Promise<EventView<PairingEvent>> => {
    if (!terminal.interactive) return openQuietView(session, device, file, page);
    if (qr === false || isPlain(io.env)) {
      const { PlainLines } = await import('./plain-lines.ts');
      return new PlainLines(session, device, view);
    }
    const { openPairingScreen } = await import('./screen.ts');
    return openPairingScreen(session, device, { ...view, style: qr || usualStyle(session) });
  };
  const opened = await open();
  // An open screen shows it, too.
  if (problem !== undefined) terminal.warn(problem);
  if (problem !== undefined && !terminal.interactive && file === undefined)
    terminal.note('The code is not shown anywhere. Press Ctrl-C, and start again with --qr-file FILE.');
  return opened;
}

/** Returns the configured style of codes: from the environment or the profile. */
function usualStyle({ io: { env }, identity, terminal }: Session): CodeStyle {
  const wanted = env.BOTCTL_QR || identity.settings?.qr;
  const style = codeStyles.find((one) => one === wanted);
  // A wrong style must not prevent a pairing.
  if (wanted !== undefined && style === undefined)
    terminal.warn(`Unknown style "${wanted}" of codes. The styles are ${codeStyles.join(', ')}.`);
  return style ?? 'auto';
}

/** Opens the view without a terminal: the events go to stdout, and stderr has details that scripts don't need. */
function openQuietView(
  session: Session,
  device: Device,
  file: PictureFile | undefined,
  page: PageAddress | undefined,
): EventView<PairingEvent> {
  const { terminal, io, signal } = session;
  for (const line of page ? pageLines(page) : []) terminal.note(line);
  // In a log, progress lines would be mixed with the events, which say more.
  const progress = io.stderr.isTTY
    ? terminal.progress(`Waiting for ${device.label} to be paired`)
    : undefined;
  return {
    signal,
    show(event) {
      if (event.kind === 'unreadable') warnUnreadable(session, event, file);
    },
    close: () => progress?.stop(),
  };
}
