import type { Tone } from '../../terminal/fields.ts';
import { parseTime, timeSpan } from '../../terminal/time.ts';
import { isScanned, isTrue, reasonInWords, reasonKind, reasonOf, type StatusView, stateOf } from './state.ts';
import { phoneOf, typedAs } from './words.ts';

/** Where a device stands, in a word that scripts can rely on. */
export const verdictStates = [
  'never_connected',
  'stopped',
  /** Started, and its code is not there yet. */
  'starting',
  /** Shows a code that nobody has scanned. */
  'waiting',
  /** Its code was scanned, and it is not paired yet. */
  'connecting',
  /** Paired, and offline for the moment. */
  'reconnecting',
  'ready',
  /** The phone doesn't know it any more. */
  'unlinked',
  /** Another session took its place. */
  'taken_over',
  /** The messaging app restricts its number, or the service refuses to send through it. */
  'blocked',
  /** Its status says one thing, and its flags another. */
  'contradictory',
  /** A status that the specification doesn't list, or none. */
  'unknown',
] as const;

/** One of them. */
export type VerdictState = (typeof verdictStates)[number];

const tones: Readonly<Record<VerdictState | 'unreachable' | 'not_found', Tone | undefined>> = {
  never_connected: 'quiet',
  stopped: 'quiet',
  starting: 'warning',
  waiting: 'warning',
  connecting: 'warning',
  reconnecting: 'warning',
  ready: 'good',
  unlinked: 'bad',
  taken_over: 'bad',
  blocked: 'bad',
  contradictory: 'bad',
  unknown: undefined,
  unreachable: 'bad',
  not_found: 'bad',
};

/** The tone of a state, given as the word for it. */
export function stateTone(state: unknown): Tone | undefined {
  return Object.entries(tones).find(([word]) => word === state)?.[1];
}

/** Where a device stands, and the command that leads on. */
export interface Verdict {
  readonly state: VerdictState;
  /** In words. */
  readonly text: string;
  /** Undefined where nothing is left to do. */
  readonly next: string | undefined;
}

/** What is known of a device beside its status view. */
export interface Subject {
  /** As it is told to a person, and typed unless it is ambiguous: then its id is. */
  readonly label: string;
  readonly id?: string;
  readonly ambiguous?: boolean;
  /** When the service last refused to send through it, and hasn't accepted anything since; ISO 8601. */
  readonly refusedAt?: string | undefined;
}

/** Milliseconds after which a device that is offline doesn't come back without its phone, as a rule. */
const reconnectTime = 60_000;

/**
 * Says where a device stands, and what to do. A reason of the last disconnect decides only where the device
 * has been disconnected since: of one that is started anew it is history.
 * @param now milliseconds since 1970
 */
export function verdictOf(view: StatusView, subject: Subject, now: number): Verdict {
  const name = typedAs(subject);
  const commands: Commands = {
    connect: `botctl device connect ${name}`,
    watch: `botctl device status ${name} --watch`,
    repair: `botctl device repair ${name}`,
  };
  const state = stateOf(view);
  const isPaired = state === 'ready' || state === 'reconnecting';
  if (isPaired && isTrue(view.blocked)) return restricted(commands.watch);
  if (isPaired && subject.refusedAt !== undefined) return refused(subject.refusedAt, commands.watch);
  const reason = reasonOf(view);
  switch (state) {
    case 'ready': {
      const phone = phoneOf(view.phone_number);
      return { state, text: phone ? `ready, paired as ${phone}` : 'ready', next: undefined };
    }
    case 'waiting':
      return { state, text: `waiting for a phone to scan its code${before(reason)}`, next: commands.watch };
    case 'starting': {
      const text = `started, its code is not ready yet${before(reason)}; if none comes in 15 s, repair it`;
      return { state, text, next: commands.watch };
    }
    case 'connecting':
      return {
        state,
        text: 'connecting: its code was scanned just now, or is not there yet',
        next: commands.watch,
      };
    case 'reconnecting':
      return ended(reason, commands.repair, commands.watch) ?? offline(view, reason, now, commands.watch);
    case 'stopped':
      return stopped(view, reason, commands);
    default: {
      const why = reason === undefined ? '' : ` (${reasonInWords(reason)})`;
      const said = String(view.status ?? '').trim();
      const text = said === '' ? 'the service does not say how it stands' : `the service calls it "${said}"`;
      return { state: 'unknown', text: `${text}${why}`, next: commands.watch };
    }
  }
}

interface Commands {
  readonly connect: string;
  readonly watch: string;
  readonly repair: string;
}

function stopped(view: StatusView, reason: string | undefined, { connect, repair }: Commands): Verdict {
  if (isTrue(view.connected)) {
    return {
      state: 'contradictory',
      text: 'its state contradicts itself: stopped, and connected',
      next: repair,
    };
  }
  const end = ended(reason, connect, connect);
  if (end) return end;
  if (reason !== undefined)
    return { state: 'stopped', text: `stopped: ${reasonInWords(reason)}`, next: connect };
  const hasHistory = parseTime(view.last_disconnect_at) !== undefined;
  return hasHistory
    ? { state: 'stopped', text: 'stopped', next: connect }
    : { state: 'never_connected', text: 'never connected', next: connect };
}

/**
 * What a reason says of a device that is down for good; undefined where it may come back.
 * @param anew the command that leads to a new pairing
 * @param wait the command that leads on where nothing but time helps
 */
function ended(reason: string | undefined, anew: string, wait: string): Verdict | undefined {
  switch (reason === undefined ? undefined : reasonKind(reason)) {
    case 'unlinked':
      return { state: 'unlinked', text: 'unlinked from the phone; pair it again', next: anew };
    case 'replaced': {
      const text = 'another session took it over; close that one, then pair it again';
      return { state: 'taken_over', text, next: anew };
    }
    case 'restricted':
      return restricted(wait);
    default:
      return undefined;
  }
}

function restricted(next: string): Verdict {
  const text = 'blocked: the messaging app restricts its number; stop sending, and see in the app until when';
  return { state: 'blocked', text, next };
}

function refused(at: string, next: string): Verdict {
  const text = `blocked: the service refused to send through it (FORBIDDEN, ${at}); stop sending for now`;
  return { state: 'blocked', text, next };
}

function offline(view: StatusView, reason: string | undefined, now: number, next: string): Verdict {
  if (isScanned(view)) {
    const text = 'scanned, connecting: this takes a few seconds; if it stays so, answer what the phone asks';
    return { state: 'connecting', text, next };
  }
  const why = reason === undefined ? '' : ` (${reasonInWords(reason)})`;
  const since = parseTime(view.last_disconnect_at);
  const time = since === undefined ? 0 : now - since;
  const text =
    time > reconnectTime
      ? `paired, but offline for ${timeSpan(time / 1000)}${why}: see that its phone is on and online; it reconnects by itself`
      : `paired, but offline${why}; it reconnects by itself, so wait`;
  return { state: 'reconnecting', text, next };
}

/** What an earlier connection ended with, where a person should know it before the next one. */
function before(reason: string | undefined): string {
  switch (reason === undefined ? undefined : reasonKind(reason)) {
    case 'unlinked':
      return ' (the phone had unlinked it)';
    case 'replaced':
      return ' (another session had taken it over)';
    case 'restricted':
      return ' (the messaging app had restricted it)';
    default:
      return '';
  }
}
