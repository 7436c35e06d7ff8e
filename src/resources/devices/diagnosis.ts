import type { Refusal } from '../../desk/device-book.ts';
import type { Failure } from '../../lib/errors.ts';
import { type CommandLine, command } from '../../lib/text/remark.ts';
import { durationInWords, shortDuration } from '../../lib/time.ts';
import { codeTimeoutMs } from './connection-times.ts';
import type { Device } from './device.ts';
import {
  comesBack,
  isNew,
  isScanned,
  limitIn,
  type ReasonKind,
  reasonInWords,
  reasonKind,
  stateOf,
} from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';
import { type DiagnosedState, serviceQuote } from './device-words.ts';
import { isCurrentRefusal } from './refusal.ts';

/** The state of a device, and the next command. */
export interface Diagnosis {
  readonly state: DiagnosedState;
  /** As a sentence. */
  readonly text: string;
  /** Undefined if nothing needs to be done. */
  readonly next: CommandLine | undefined;
  /** A refused send that is shown with the state. */
  readonly refusal?: Refusal | undefined;
}

/** Returns the value in place of the state of a device that couldn't be read. */
export function unreadState({ kind }: Failure): 'not_found' | 'unreachable' {
  return kind === 'notFound' ? 'not_found' : 'unreachable';
}

/** A device that is offline for longer usually doesn't reconnect without its phone. */
const maxReconnectMs = 60_000;

/**
 * Returns the state of a device, and what to do. The reason of the last disconnect counts only if the device
 * has been disconnected since: if it was started again, the reason is out of date. The current status decides; a
 * refused send is shown with it while it still applies.
 * @param now milliseconds since 1970
 */
export function diagnose(
  status: DeviceStatus,
  device: Pick<Device, 'word' | 'refusal'>,
  now: number,
): Diagnosis {
  const shown = diagnosisOf(status, device.word, now);
  const { refusal } = device;
  const isTold = shown.state === 'ready' || shown.state === 'reconnecting';
  if (!refusal || !isTold || !isCurrentRefusal(refusal, status)) return shown;
  const said = `sending was refused at ${refusal.at} ("${refusal.because}")`;
  return { ...shown, text: `${shown.text}; ${said}`, refusal };
}

/** Returns the diagnosis by the status alone. */
function diagnosisOf(status: DeviceStatus, word: string, now: number): Diagnosis {
  const commands: Commands = {
    connect: command('device', 'connect', word),
    watch: command('device', 'watch', word),
    repair: command('device', 'repair', word),
  };
  const state = stateOf(status);
  const isPaired = state === 'ready' || state === 'reconnecting';
  if (isPaired && status.blocked) return diagnosed(restricted, commands.watch);
  const reason = status.lastDisconnectReason;
  const hasCode = state === 'waiting' || status.qrCode !== undefined;
  const isContradictory = state === 'stopped' && status.connected === true;
  const limit = state === 'ready' || hasCode || isContradictory ? undefined : limitIn(status.message);
  const wait = state === 'stopped' ? commands.connect : commands.watch;
  if (limit !== undefined)
    return withWords(diagnosed(limit === 'blocked' ? restricted : limited, wait), status);
  switch (state) {
    case 'ready': {
      const phone = status.phoneNumber;
      return { state, text: phone ? `ready, paired as ${phone}` : 'ready', next: undefined };
    }
    case 'waiting':
      return {
        state,
        text: `waiting for a phone to scan its code${precedingText(reason)}`,
        next: commands.watch,
      };
    case 'starting': {
      const text = `started, its code is not ready yet${precedingText(reason)}; if there is none within ${shortDuration(codeTimeoutMs)}, repair it`;
      return withWords({ state, text, next: commands.watch }, status);
    }
    case 'connecting': {
      const text = 'connecting: its code was scanned just now, or is not ready yet';
      return withWords({ state, text, next: commands.watch }, status);
    }
    case 'reconnecting': {
      const shown =
        endedDiagnosis(reason, commands.repair, commands.watch) ??
        offlineDiagnosis(status, reason, now, commands.watch);
      // A known reason is more specific than the message.
      return reason === undefined || reasonKind(reason) === undefined ? withWords(shown, status) : shown;
    }
    case 'stopped':
      return stoppedDiagnosis(status, reason, commands);
    default: {
      const why = reason === undefined ? '' : ` (${reasonInWords(reason)})`;
      const said = status.status;
      const text = said === undefined ? 'the service reports no status' : `the service calls it "${said}"`;
      return withWords({ state: 'unknown', text: `${text}${why}`, next: commands.watch }, status);
    }
  }
}

/** Adds the service's own words to a diagnosis: while there is no code, they may be the only explanation. */
function withWords(diagnosis: Diagnosis, { message }: DeviceStatus): Diagnosis {
  if (message === undefined) return diagnosis;
  return { ...diagnosis, text: `${diagnosis.text}; ${serviceQuote(message)}` };
}

type Commands = Readonly<Record<'connect' | 'watch' | 'repair', CommandLine>>;

function stoppedDiagnosis(
  status: DeviceStatus,
  reason: string | undefined,
  { connect, repair }: Commands,
): Diagnosis {
  if (status.connected) {
    const text = 'its state is contradictory: stopped, but connected';
    return { state: 'contradictory', text, next: repair };
  }
  const end = endedDiagnosis(reason, connect, connect);
  if (end) return end;
  if (isNew(status)) return { state: 'never_connected', text: 'never connected', next: connect };
  const why = reason === undefined ? '' : `: ${reasonInWords(reason)}`;
  return { state: 'stopped', text: `stopped${why}`, next: connect };
}

/** The end of a connection that is not restored by itself. */
interface End {
  readonly state: DiagnosedState;
  readonly text: string;
  /** The text about an earlier connection, before the next one. */
  readonly before: string;
}

const restricted: End = {
  state: 'blocked',
  text: 'blocked: the messaging app restricts its number; stop sending, and check in the app how long',
  before: 'the messaging app had restricted it',
};
const limited: End = {
  state: 'limited',
  text: 'further attempts to pair it are refused for now; wait before the next one',
  before: 'further attempts had been refused',
};
const unlinked: End = {
  state: 'unlinked',
  text: 'unlinked from the phone; pair it again',
  before: 'the phone had unlinked it',
};
const replaced: End = {
  state: 'taken_over',
  text: 'another session took it over; close that one, then pair it again',
  before: 'another session had taken it over',
};
const ends: Readonly<Partial<Record<ReasonKind, End>>> = { restricted, limited, unlinked, replaced };

/** Returns the end for a reason, or undefined if the device may reconnect. */
function endIn(reason: string | undefined): End | undefined {
  const kind = reason === undefined ? undefined : reasonKind(reason);
  return kind && ends[kind];
}

/**
 * Returns the diagnosis for a device that is offline for good, or undefined if it may reconnect.
 * @param pairAgain the command for a new pairing
 * @param wait the command for when only time helps
 */
function endedDiagnosis(
  reason: string | undefined,
  pairAgain: CommandLine,
  wait: CommandLine,
): Diagnosis | undefined {
  const end = endIn(reason);
  return end && diagnosed(end, end === restricted || end === limited ? wait : pairAgain);
}

function diagnosed({ state, text }: End, next: CommandLine): Diagnosis {
  return { state, text, next };
}

function offlineDiagnosis(
  status: DeviceStatus,
  reason: string | undefined,
  now: number,
  next: CommandLine,
): Diagnosis {
  if (isScanned(status)) {
    const text =
      'scanned, connecting: this takes a few seconds; if it takes longer, check whether the phone asks something';
    return { state: 'connecting', text, next };
  }
  const why = reason === undefined ? '' : ` (${reasonInWords(reason)})`;
  const since = status.lastDisconnectAt?.getTime() ?? now;
  const time = now - since;
  const isLong = time > maxReconnectMs;
  const state = `paired, but offline${isLong ? ` for ${durationInWords(time / 1000)}` : ''}${why}`;
  const look = `${state}: make sure that its phone is on and online`;
  if (!comesBack(reason)) return { state: 'reconnecting', text: look, next };
  const text = isLong
    ? `${look}; it reconnects automatically`
    : `${state}; it reconnects automatically, so wait`;
  return { state: 'reconnecting', text, next };
}

/** Returns how an earlier connection ended, if the user should know that before the next one. */
function precedingText(reason: string | undefined): string {
  const end = endIn(reason);
  return end ? ` (${end.before})` : '';
}
