import type { Reply } from '../../client/api.ts';

/** What the status read answers, in the contract's loose form. */
export type StatusView = Reply<'getDeviceStatus'>['data'];

/** Where a device stands, worked out from all members of its status view together. */
export type StateName =
  | 'stopped'
  /** Started, and its code is not there yet. */
  | 'starting'
  /** Carries a code that nobody has scanned. */
  | 'waiting'
  /** The phone has scanned; the session is not up yet. */
  | 'connecting'
  /** Paired, and offline for the moment. */
  | 'reconnecting'
  | 'ready'
  /** A status that the specification doesn't list. */
  | 'other';

/** The service may leave members out or send them as another scalar, so none of them decides alone. */
export function stateOf(view: StatusView): StateName {
  const connected = isTrue(view.connected);
  const loggedIn = isTrue(view.logged_in);
  if (statusOf(view) === 'stopped') return 'stopped';
  if (connected && (loggedIn || isMissing(view.logged_in))) return 'ready';
  if (pictureOf(view) !== undefined) return 'waiting';
  if (loggedIn) return 'reconnecting';
  if (connected) return 'connecting';
  return statusOf(view) === 'started' ? 'starting' : 'other';
}

/** The status in lower case; empty where there is none. */
export function statusOf({ status }: StatusView): string {
  return isMissing(status) ? '' : String(status).trim().toLowerCase();
}

/** The data URL of the code; undefined where there is none. */
export function pictureOf({ qr_code: picture }: StatusView): string | undefined {
  return typeof picture === 'string' && picture !== '' ? picture : undefined;
}

/** What the service says of the last disconnect, as it says it. */
export function reasonOf({ last_disconnect_reason: reason }: StatusView): string | undefined {
  return isMissing(reason) || String(reason).trim() === '' ? undefined : String(reason).trim();
}

/** What became of a connection, as far as the reason of a disconnect tells. */
export type ReasonKind =
  /** All codes were used up. */
  | 'expired'
  /** Somebody disconnected it. */
  | 'requested'
  /** The messaging app restricts the number. */
  | 'restricted'
  /** The phone doesn't know the device any more. */
  | 'unlinked'
  /** Another session took the place of this one. */
  | 'replaced'
  /** It comes back by itself. */
  | 'passing';

/**
 * What known reasons mean. The specification lists none; these are the words and numbers that messaging
 * services use. Others are passed on as they are.
 */
const knownReasons: readonly (readonly [kind: ReasonKind, pattern: RegExp, words?: string])[] = [
  ['expired', /qr (refs|code).*(ended|timeout|retries|limit)|max qrcode/i, 'nobody scanned a code in time'],
  ['requested', /\b(by|on) request\b/i],
  [
    'restricted',
    /\b402\b|\bban(ned)?\b|blocked|tos_block|temporary-ban/i,
    'the messaging app restricts it; sending more makes it worse',
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

/** What kind of end a disconnect reason tells of; undefined for one that nobody knows. */
export function reasonKind(reason: string): ReasonKind | undefined {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[0];
}

/** What a disconnect reason means, in words; the reason itself where that is clear enough, or not a known one. */
export function reasonInWords(reason: string): string {
  return knownReasons.find(([, pattern]) => pattern.test(reason))?.[2] ?? reason;
}

/** Whether a disconnect reason says that all codes of a connection were used up. */
export function isExpiry(reason: string): boolean {
  return reasonKind(reason) === 'expired';
}

/**
 * Whether a device that is logged in and down was scanned, and never up since: codes that were used up, and a
 * disconnect on request, belong to an earlier round.
 */
export function isScanned(view: StatusView): boolean {
  const reason = reasonOf(view);
  const kind = reason === undefined ? undefined : reasonKind(reason);
  return kind === 'expired' || kind === 'requested';
}

/** Whether a disconnect reason says that the messaging app restricts the number. */
export function isRestriction(reason: unknown): boolean {
  return reasonKind(String(reason ?? '')) === 'restricted';
}

/** Whether a flag is set, whatever scalar the service sends for it. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(true|1|yes)$/i.test(value.trim()));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
