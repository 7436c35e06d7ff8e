import type { DeviceStatus } from './device-status.ts';

/** The state of a device, derived from all members of its status. */
export type StateName =
  | 'stopped'
  /** Started, without a code yet. */
  | 'starting'
  /** Shows a code that no phone has scanned. */
  | 'waiting'
  /** A phone has scanned the code; the session is not up yet. */
  | 'connecting'
  /** Paired, and currently offline. */
  | 'reconnecting'
  | 'ready'
  /** A status that the specification doesn't list. */
  | 'other';

/** Derives the state from all members, since none of them decides alone. */
export function stateOf(status: DeviceStatus): StateName {
  const { connected, loggedIn, qrCode } = status;
  if (isStopped(status)) return 'stopped';
  if (connected && loggedIn !== false) return 'ready';
  if (qrCode !== undefined) return 'waiting';
  if (loggedIn) return 'reconnecting';
  if (connected) return 'connecting';
  return status.status?.toLowerCase() === 'started' ? 'starting' : 'other';
}

/** Returns whether a device is stopped, by its status alone. */
export function isStopped({ status }: Pick<DeviceStatus, 'status'>): boolean {
  return status?.toLowerCase() === 'stopped';
}

/** Returns whether a status shows no sign of an earlier connection. */
export function isNew({ lastDisconnectReason, lastDisconnectAt }: DeviceStatus): boolean {
  return lastDisconnectReason === undefined && lastDisconnectAt === undefined;
}

/** The end of a connection, by the reason of the disconnect. */
export type ReasonKind =
  /** All codes were used up. */
  | 'expired'
  /** A person or a program disconnected it. */
  | 'requested'
  /** The messaging app restricts the number. */
  | 'restricted'
  /** The messaging app, or the service, refuses further attempts for now. */
  | 'limited'
  /** The phone doesn't know the device any more. */
  | 'unlinked'
  /** Another session replaced this one. */
  | 'replaced'
  /** It reconnects by itself. */
  | 'passing';

/**
 * Patterns for known reasons. The specification lists none; these are the words and numbers that messaging
 * services use. Other reasons are passed on unchanged.
 */
const knownReasons: readonly (readonly [kind: ReasonKind, pattern: RegExp, words?: string])[] = [
  [
    'expired',
    /qr (refs|code).*(ended|timeout|retries|limit)|max qrcode/i,
    'no phone scanned the code in time',
  ],
  ['requested', /\b(by|on) request\b/i],
  [
    'restricted',
    /\b402\b|(?<!(\b(not|never|no longer)|n['\u2019]t) )\b(ban(ned)?\b|blocked)|tos_block|temporary-ban/i,
    'the messaging app restricts it; sending more makes it worse',
  ],
  [
    'limited',
    /\b429\b|rate.?(over)?limit|too many|\b(cannot|can[\u2019']?t|can not|could(n['\u2019]t| not)|unable to) (be )?link|limit (was )?(reached|exceeded)|try again later/i,
    'no further attempt is accepted for now; wait before the next one',
  ],
  [
    'unlinked',
    /\b(401|403|406)\b|logged?.?out|unlinked|main.device.gone/i,
    'the phone unlinked it, so it has to be paired again',
  ],
  ['replaced', /\b440\b|replaced|conflict/i, 'another session took it over; close that one first'],
  [
    'passing',
    /\b(408|428|500|503|515)\b|connection (was )?(lost|closed|terminated)|restart required|transient/i,
  ],
];

/** Returns the kind of end for a disconnect reason, or undefined if the reason is unknown. */
export function reasonKind(reason: string): ReasonKind | undefined {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[0];
}

/** Returns whether a paired device that is offline is known to reconnect by itself; false for an unknown reason. */
export function comesBack(reason: string | undefined): boolean {
  return reason === undefined || reasonKind(reason) === 'passing';
}

/** A state in which no phone can be paired for now, and another attempt would prolong it. */
export type Limit = 'blocked' | 'limited';

/** Returns the limit that a reason or a message of the service describes, or undefined. */
export function limitIn(words: string | undefined): Limit | undefined {
  const kind = words === undefined ? undefined : reasonKind(words);
  if (kind === 'restricted') return 'blocked';
  return kind === 'limited' ? 'limited' : undefined;
}

/** Returns a disconnect reason in words, or the reason itself if it is clear enough or unknown. */
export function reasonInWords(reason: string): string {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[2] ?? reason;
}

/**
 * Returns whether a device that is logged in and offline was scanned and has not been connected since: expired codes and a
 * requested disconnect belong to an earlier round.
 */
export function isScanned({ lastDisconnectReason: reason }: DeviceStatus): boolean {
  const kind = reason === undefined ? undefined : reasonKind(reason);
  return kind === 'expired' || kind === 'requested';
}
