import type { Reply } from '../../client/api.ts';
import { shellWord } from '../../shell-word.ts';
import { phoneOf } from './words.ts';

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

/** A device's state in words, and the command that leads on. */
export interface Verdict {
  readonly text: string;
  readonly next: string | undefined;
}

/** The service may leave members out or send them as another scalar, so none of them decides alone. */
export function stateOf(view: StatusView): StateName {
  const connected = isTrue(view.connected);
  const loggedIn = isTrue(view.logged_in);
  if (view.status === 'stopped') return 'stopped';
  if (connected && (loggedIn || isMissing(view.logged_in))) return 'ready';
  if (pictureOf(view) !== undefined) return 'waiting';
  if (loggedIn) return 'reconnecting';
  if (connected) return 'connecting';
  return view.status === 'started' ? 'starting' : 'other';
}

/** The data URL of the code; undefined where there is none. */
export function pictureOf({ qr_code: picture }: StatusView): string | undefined {
  return typeof picture === 'string' && picture !== '' ? picture : undefined;
}

/** What the service says of the last disconnect, as it says it. */
export function reasonOf({ last_disconnect_reason: reason }: StatusView): string | undefined {
  return isMissing(reason) || reason === '' ? undefined : String(reason);
}

/**
 * What known reasons mean. The specification lists none; these are the words and numbers that messaging
 * services use. Others are passed on as they are.
 */
const knownReasons: readonly (readonly [RegExp, string])[] = [
  [/qr (refs|code).*(ended|timeout|retries|limit)|max qrcode/i, 'nobody scanned a code in time'],
  [/\b(401|403|406)\b|logged.?out|unlinked/i, 'the phone unlinked it, so it has to be paired again'],
  [/\b440\b|replaced|conflict/i, 'another session took it over; close that one first'],
  [/\b402\b|\bban(ned)?\b|blocked/i, 'the messaging app restricts it; sending more makes it worse'],
];

/** What a disconnect reason means, in words; the reason itself where it is not a known one. */
export function reasonInWords(reason: string): string {
  return knownReasons.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
}

/** Says where a device stands, and what to do. */
export function verdictOf(view: StatusView, device: string): Verdict {
  const watch = `botctl device status ${shellWord(device)} --watch`;
  const connect = `botctl device connect ${shellWord(device)}`;
  const reason = reasonOf(view);
  switch (stateOf(view)) {
    case 'ready': {
      const phone = phoneOf(view.phone_number);
      return { text: phone ? `ready, paired as ${phone}` : 'ready', next: undefined };
    }
    case 'waiting':
      return { text: 'waiting for a phone to scan its code', next: watch };
    case 'starting':
      return { text: 'started, its code is not ready yet', next: watch };
    case 'connecting':
      return { text: 'scanned, connecting', next: watch };
    case 'reconnecting': {
      const why = reason ? ` (${reasonInWords(reason)})` : '';
      return { text: `paired, but offline${why}; it reconnects by itself`, next: watch };
    }
    case 'stopped':
      return { text: reason ? `stopped: ${reasonInWords(reason)}` : 'stopped', next: connect };
    default:
      return { text: String(view.status ?? 'unknown'), next: watch };
  }
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true';
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
