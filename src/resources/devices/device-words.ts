import { command, type Remark, remark } from '../../lib/text/remark.ts';
import { oneLine } from '../../lib/text/sentence.ts';

/**
 * The values of `state` and `event` in results. A value that is in both columns means the same:
 *
 * | state          | events of a pairing while it lasts                                                    |
 * | -------------- | ------------------------------------------------------------------------------------- |
 * | `stopped`      | `stopped`                                                                             |
 * | `starting`     | `starting`; with `blocked`, `limited` or `unknown` beside it if the service says so   |
 * | `waiting`      | `code`, `unreadable`, `unconfirmed`, `scan_failed`                                    |
 * | `connecting`   | `scanned`, and `stalled` if it takes long                                             |
 * | `reconnecting` | `reconnecting`                                                                        |
 * | `ready`        | `connected`, the last one                                                             |
 * | any            | `renewing`, `unreachable`; at the end `failed` with `because`, `timeout`, `cancelled` |
 *
 * Each event of a pairing includes the state. A command that only reports the state of a device uses it as the event: `waiting`,
 * `connecting`, `ready`. `lost` is neither: `--until lost` waits until a paired device is in a state from which it doesn't
 * reconnect by itself.
 */
export const stateWords = {
  never_connected: 'it is stopped, and nothing shows that it was ever connected',
  stopped: 'it is stopped',
  starting: 'it is started, and its code is not ready yet',
  waiting: 'it shows a code that no phone has scanned',
  connecting: 'its code was scanned, and it is not connected yet',
  reconnecting: 'it is paired, and offline at the moment',
  ready: 'it is paired and connected',
  unlinked: 'the phone unlinked it',
  taken_over: 'another session took its place',
  blocked: 'the messaging app restricts its number',
  limited: 'further attempts to pair are refused for now',
  contradictory: 'its status contradicts its flags',
  unknown: 'the service reports no status, or one that the specification does not list',
} as const;

/** The state of a device, as a value that scripts can rely on. */
export type DiagnosedState = keyof typeof stateWords;

/** The events of a device, as values that scripts can rely on. */
export const eventWords = {
  stopped: stateWords.stopped,
  starting: stateWords.starting,
  reconnecting: stateWords.reconnecting,
  code: 'it shows a new code',
  unreadable: 'it shows a picture without a readable code',
  unconfirmed: 'its code could not be read again for 20 s, so it may have been replaced',
  scanned: 'a phone scanned its code',
  scan_failed: 'a phone scanned its code and logged in, and then it showed a code again',
  stalled: 'a phone scanned its code, and it is not connected after a long time',
  unreachable: 'its status could not be read; botctl tries again',
  renewing: 'a new round of codes begins',
  connected: 'it became ready',
  failed: 'the command failed; `because` is the reason in one word',
  timeout: 'the timeout was reached',
  cancelled: 'the command was interrupted',
  waiting: stateWords.waiting,
  connecting: stateWords.connecting,
  ready: stateWords.ready,
  found: 'a repair begins, with this state',
  disconnected: 'the service was asked to stop it',
  started: 'the service was asked to start it',
  state: 'its state changed to `state`',
  added: 'it was added to the device book, so it is watched from now on',
  forgotten: 'it was removed from the device book, so it is not watched any more',
  reached: 'all devices are in the expected state',
} as const;

/** An event of a device. */
export type EventWord = keyof typeof eventWords;

/** Why a command ended without success: a final state, or one of these. */
export type FailedBecause =
  | DiagnosedState
  /** Every code of the connection has expired. */
  | 'expired'
  /** No code appeared at all. */
  | 'no_code'
  /** The service doesn't have the device. */
  | 'not_found'
  /** Something failed; see `reason`. */
  | 'error';

/** States that a command can wait for. */
export const goals = ['ready', 'stopped', 'lost'] as const;

/**
 * A state to wait for. `lost`: it was paired and doesn't reconnect by itself. A stopped device counts as lost, since the
 * service doesn't show whether it was paired before.
 */
export type Goal = (typeof goals)[number];

/** The maximum length of a quote of the service's words: two lines with the text before them. */
const maxWords = 100;

/** Returns the service's words as a clause, without a full stop: `the service says: rate-overlimit`. */
export function serviceQuote(words: string): string {
  return `the service says: ${oneLine(words, maxWords).replace(/\.$/, '')}`;
}

/** Returns the service's words as a sentence: `The service says: rate-overlimit.` */
export function serviceSays(words: string): string {
  return `${serviceQuote(words).replace(/^t/, 'T')}.`;
}

/** Returns the hint for when the service, or the messaging app, refuses further attempts. @param word of the device */
export function hintAtLimit(word: string): Remark {
  return remark`Wait before you try again: each attempt may prolong it. Check its state: ${command('device', 'status', word)}`;
}
