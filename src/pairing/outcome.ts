import { asFailure, Failure, type FailureKind } from '../lib/errors.ts';
import { type CommandLine, command, remark } from '../lib/text/remark.ts';
import { span } from '../lib/time.ts';
import type { Row } from '../output/fields.ts';
import type { Device } from '../resources/devices/device.ts';
import { reasonInWords } from '../resources/devices/device-state.ts';
import { hintAtLimit, serviceSays } from '../resources/devices/device-words.ts';
import { eventRow, inSeconds } from '../resources/devices/event-row.ts';
import type { PairingEnd, PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import { pairingRow } from './pairing-row.ts';

/** The events that decide how a pairing ended: the last two, and all of its codes. */
export interface SeenEvents {
  readonly last: PairingEvent | undefined;
  readonly previous: PairingEvent | undefined;
  /** The round of each code, by fingerprint. */
  readonly codeRounds: ReadonlyMap<string, number>;
}

export const nothingSeen: SeenEvents = { last: undefined, previous: undefined, codeRounds: new Map() };

/** Returns what was seen, with one more event. */
export function withEvent({ last, previous, codeRounds }: SeenEvents, event: PairingEvent): SeenEvents {
  const isCode = event.kind === 'code';
  return {
    last: event,
    // That the code is in doubt says less than the answer before it.
    previous: last?.kind === 'unconfirmed' && previous?.kind === 'unreachable' ? previous : last,
    codeRounds: isCode ? new Map([...codeRounds, [event.code.fingerprint, event.round]]) : codeRounds,
  };
}

/** True if nothing follows the event. */
export function isEnd(event: PairingEvent | undefined): event is PairingEnd {
  return event?.kind === 'connected' || event?.kind === 'failed' || event?.kind === 'timeout';
}

/** The words for the kinds of failure by which a command is left, for people and for scripts. */
const waysToLeave: Partial<
  Readonly<Record<FailureKind, { readonly text: string; readonly reason: string }>>
> = {
  declined: { text: 'Left.', reason: 'left' },
  interrupted: { text: 'Interrupted.', reason: 'interrupted' },
  terminated: { text: 'Terminated.', reason: 'terminated' },
};

/**
 * Returns the last row and the error of work on a device that an error or a signal broke off. Scripts learn from the
 * last row how it ended, whatever ended it: when it was cancelled, `reason` is `left` (q), `interrupted` (Ctrl-C) or
 * `terminated` (SIGTERM).
 * @param last the event by which the state is known that the device is left in
 * @param begun when the work began, in milliseconds since 1970
 */
export function brokenOff(
  error: unknown,
  signal: AbortSignal,
  last: Pick<PairingEvent, 'kind'> | undefined,
  device: Device,
  begun: number,
  now: number,
): { readonly row: Row; readonly error: unknown } {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (!signal.aborted || !(cause instanceof Failure)) {
    const reason = asFailure(cause).message;
    return {
      row: pairingRow({ kind: 'failed', at: now, reason, because: 'error' }, device, undefined),
      error: isForbidden(cause)
        ? cause.withHint(remark`See what this key may do: ${command('doctor')}`)
        : cause,
    };
  }
  const { kind } = cause;
  const { text, reason } = waysToLeave[kind] ?? { text: 'Ended.', reason: kind };
  const hint = remark`Look at it again: ${command('device', 'watch', device.word)}`;
  return {
    row: eventRow('cancelled', device, now, { reason, took: inSeconds(now - begun) }),
    error: new Failure(kind, `${text} ${remainingState(last, device)}`, { hint }),
  };
}

/** True if the service refuses to answer this key, and nothing says yet what to do. */
function isForbidden(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.status === 403 && cause.hint === undefined;
}

/** Returns the state that a device is left in, by the last event. */
function remainingState(last: Pick<PairingEvent, 'kind'> | undefined, { label }: Device): string {
  switch (last?.kind) {
    case 'code':
    case 'unconfirmed':
    case 'scan_failed':
    case 'unreadable':
      return `${label} goes on waiting for a phone until its codes have expired.`;
    case 'scanned':
    case 'stalled':
      return `A phone has scanned the code of ${label}, which may still be paired.`;
    case 'renewing':
      return `${label} was being started over, and may be stopped.`;
    case 'connected':
      return `${label} is connected; its number was not compared.`;
    default:
      return `${label} stays as it is.`;
  }
}

/** Milliseconds in which no person can scan a code. */
const minUsefulMs = 1000;

/**
 * Returns why a device is not paired in the end, with the command to go on with.
 * @param canConnect true if the pairing was begun by this command, false if it only looked at the device
 * @param interactive true if a person is at the terminal
 */
export function failureAfter(
  { last, previous, codeRounds }: SeenEvents,
  device: Device,
  { canConnect, interactive }: { readonly canConnect: boolean; readonly interactive: boolean },
): Failure {
  const word = device.word;
  const notPaired = `${device.label} was not paired`;
  const connect = (...more: readonly string[]): CommandLine =>
    command('device', 'connect', word, ...(interactive ? [] : ['--wait']), ...more);
  const says =
    last !== undefined && 'words' in last && last.words !== undefined ? ` ${serviceSays(last.words)}` : '';
  if (last?.kind === 'failed') {
    const restart = remark`Stop it and start it again: ${command('device', 'repair', word)}`;
    if (last.because === 'no_code') {
      const message = `${notPaired}: it is started, and shows ${last.reason}.${says}`;
      return new Failure('notReached', message, { hint: restart });
    }
    if (last.because === 'unknown') {
      const why = last.reason ?? 'the service gives no status';
      return new Failure('notReached', `${notPaired}: ${why}.${says}`, { hint: restart });
    }
    if (last.because === 'blocked' || last.because === 'limited') {
      const why = last.because === 'blocked' ? 'its number is restricted' : 'further attempts are refused';
      return new Failure('notReached', `${notPaired}: ${why} for now.${says}`, {
        hint: hintAtLimit(word),
      });
    }
    const hint = remark`Start over with new codes: ${connect()}`;
    if (last.because === 'expired') {
      const which = codesInWords([...codeRounds.values()]);
      return new Failure('notReached', `${notPaired}: nobody scanned ${which}.`, { hint });
    }
    const why = last.reason === undefined ? '' : `: ${reasonInWords(last.reason)}`;
    return new Failure('notReached', `${notPaired}; it is stopped${why}.${says}`, { hint });
  }
  const again = (timeout: string): CommandLine =>
    canConnect ? connect('--timeout', timeout) : command('device', 'watch', word, '--timeout', timeout);
  const after = last?.kind === 'timeout' ? last.after : 0;
  if (after < minUsefulMs) {
    return new Failure('notReached', `${notPaired}: --timeout left no time for more than one look.`, {
      hint: remark`Give it time: ${again('15m')}`,
    });
  }
  return new Failure('notReached', `${notPaired} within ${span(after)}${lastProblem(previous)}.${says}`, {
    hint: remark`Go on waiting with a longer --timeout: ${again('30m')}`,
  });
}

/** Codes that have expired: `any of its 12 codes, in 2 rounds`. @param roundOfEach the round of each code */
function codesInWords(roundOfEach: readonly number[]): string {
  const rounds = new Set(roundOfEach).size;
  const which = roundOfEach.length > 1 ? `any of its ${roundOfEach.length} codes` : 'its code';
  return rounds > 1 ? `${which}, in ${rounds} rounds` : `${which} in time`;
}

/** Returns the obstacle that was there when the time was up; empty if there was none. */
function lastProblem(previous: PairingEvent | undefined): string {
  if (previous?.kind === 'unreachable') return `; the last answer: ${previous.problem.replace(/\.$/, '')}`;
  if (previous?.kind === 'unconfirmed') return '; the service did not answer any more';
  return previous?.kind === 'scanned' || previous?.kind === 'stalled'
    ? ', although a phone has scanned its code'
    : '';
}
