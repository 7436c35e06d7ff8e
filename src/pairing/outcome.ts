import { asFailure, Failure } from '../lib/errors.ts';
import { type CommandLine, command, type Remark, remark } from '../lib/text/remark.ts';
import { capitalised } from '../lib/text/sentence.ts';
import { shortDuration } from '../lib/time.ts';
import type { Row } from '../output/fields.ts';
import type { Device } from '../resources/devices/device.ts';
import { hintAtLimit } from '../resources/devices/device-words.ts';
import { eventRow, inSeconds } from '../resources/devices/event-row.ts';
import type { PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import { pairingRow } from './pairing-row.ts';
import { wordsOf } from './words.ts';

/**
 * Returns the last row and the error of work on a device that an error or a signal interrupted. The last row always
 * shows scripts how it ended: when it was cancelled, `reason` is `left` (q), `interrupted` (Ctrl-C) or `terminated`
 * (SIGTERM).
 * @param last the last event, which shows the remaining state of the device
 * @param startedAt when the work began, in milliseconds since 1970
 */
export function interruptedResult(
  error: unknown,
  signal: AbortSignal,
  last: Pick<PairingEvent, 'kind'> | undefined,
  device: Device,
  startedAt: number,
  now: number,
): { readonly row: Row; readonly error: unknown } {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (!signal.aborted || !(cause instanceof Failure)) {
    const reason = asFailure(cause).message;
    return {
      row: pairingRow({ kind: 'failed', at: now, reason, because: 'error' }, device, undefined),
      error: isForbidden(cause)
        ? cause.withHint(remark`Check what this key may do: ${command('doctor')}`)
        : cause,
    };
  }
  const { kind } = cause;
  const reason = kind === 'declined' ? 'left' : kind;
  const hint = remark`Watch it again: ${command('device', 'watch', device.word)}`;
  return {
    row: eventRow('cancelled', device, now, { reason, took: inSeconds(now - startedAt) }),
    error: new Failure(kind, `${capitalised(reason)}. ${remainingState(last, device)}`, { hint }),
  };
}

/** Returns whether the service rejects this key, and there is no hint yet. */
function isForbidden(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.status === 403 && cause.hint === undefined;
}

/** Returns the remaining state of a device, by the last event. */
function remainingState(last: Pick<PairingEvent, 'kind'> | undefined, { label }: Device): string {
  switch (last?.kind) {
    case 'code':
    case 'unconfirmed':
    case 'scan_failed':
    case 'unreadable':
      return `${label} waits for a phone until its codes expire.`;
    case 'scanned':
    case 'stalled':
      return `A phone has scanned the code of ${label}, so it may still be paired.`;
    case 'renewing':
      return `${label} was being restarted, so it may be stopped.`;
    case 'connected':
      return `${label} is connected; its number was not compared.`;
    default:
      return `${label} was not changed.`;
  }
}

/**
 * Returns why a device is not paired in the end, with the next command.
 * @param canConnect true if this command began the pairing, false if it only observed the device
 * @param interactive true if a user is at the terminal
 */
export function failureAfter(
  end: Extract<PairingEvent, { kind: 'failed' | 'timeout' }>,
  { label, word }: Device,
  { canConnect, interactive }: { readonly canConnect: boolean; readonly interactive: boolean },
): Failure {
  const connect = (...more: readonly string[]): CommandLine =>
    command('device', 'connect', word, ...(interactive ? [] : ['--wait']), ...more);
  const { sentences } = wordsOf(end, end.at, (text) => text);
  const within = end.kind === 'timeout' ? ` within ${shortDuration(end.after)}` : '';
  const message = [`${label} was not paired${within}.`, ...sentences].join(' ');
  const nextStep = (): Remark => {
    if (end.kind === 'timeout') {
      const longer = ['--timeout', '30m'];
      const again = canConnect ? connect(...longer) : command('device', 'watch', word, ...longer);
      return remark`Wait longer, with a longer --timeout: ${again}`;
    }
    switch (end.because) {
      case 'no_code':
      case 'unknown':
        return remark`Restart it: ${command('device', 'repair', word)}`;
      case 'blocked':
      case 'limited':
        return hintAtLimit(word);
      default:
        return remark`Try again with new codes: ${connect()}`;
    }
  };
  return new Failure('notReached', message, { hint: nextStep() });
}
