import { shortDuration } from '../lib/time.ts';
import { comesBack, reasonInWords } from '../resources/devices/device-state.ts';
import { serviceSays } from '../resources/devices/device-words.ts';
import { commandText, describeCommand, type ForeignCommand } from '../resources/devices/other-agents.ts';
import type {
  FailedScan,
  PairingEvent,
  ShownCode,
  StartDoubt,
} from '../resources/devices/pairing/watch-pairing.ts';
import type { Tone } from '../terminal/colour.ts';

/** The words for an event, which the screen, plain lines and the web page share. */
export interface EventWords {
  /** A few words, without a full stop. */
  readonly headline: string;
  /** Sentences that follow it. */
  readonly sentences: readonly string[];
  /** The meaning of the headline's colour. */
  readonly tone?: Tone;
}

/** Sanitises text of the service for the place where it is shown. */
type Sanitizer = (text: string) => string;

/**
 * Returns the words for an event, with those of the service last.
 * @param now milliseconds since 1970
 */
export function wordsOf(event: Exclude<PairingEvent, CodeEvent>, now: number, safe: Sanitizer): EventWords {
  const words = ownWordsOf(event, now, safe);
  if (!('words' in event) || event.words === undefined) return words;
  return { ...words, sentences: [...words.sentences, serviceSays(safe(event.words))] };
}

/** Returns the words for an event as sentences. */
export function sentencesOf({ headline, sentences }: EventWords): readonly string[] {
  return [`${headline}.`, ...sentences];
}

/** The event for a code, which each view shows in its own way. */
export type CodeEvent = Extract<PairingEvent, { kind: 'code' }>;

function ownWordsOf(event: Exclude<PairingEvent, CodeEvent>, now: number, safe: Sanitizer): EventWords {
  switch (event.kind) {
    case 'stopped':
      return {
        headline: `The device is stopped${whyStopped(event.reason, safe)}`,
        sentences: ['Waiting until it is connected.'],
      };
    case 'starting':
      return event.doubt === undefined
        ? { headline: 'Starting', sentences: ['Waiting for the code.'] }
        : {
            headline: doubtInWords(event.doubt, safe),
            sentences: ['Still waiting for a code.'],
            tone: 'bad',
          };
    case 'reconnecting':
      return comesBack(event.reason)
        ? { headline: 'Paired, but offline', sentences: ['It reconnects by itself, so wait.'] }
        : {
            headline: `Paired, but offline (${safe(reasonInWords(event.reason ?? ''))})`,
            sentences: ['See that its phone is on and online.'],
          };
    case 'unconfirmed':
      return {
        headline: `The service has not confirmed the code for ${shortDuration(now - event.since)}`,
        sentences: [
          "It may have been replaced. Don't scan the last one.",
          'The code appears again when the service answers.',
        ],
        tone: 'bad',
      };
    case 'scan_failed':
      return failedScanWords(event, safe);
    case 'unreadable':
      return {
        headline: "The code can't be shown",
        sentences: [`The service sent a picture that can't be read: it ${safe(event.problem)}.`],
        tone: 'bad',
      };
    case 'scanned':
      return {
        headline: 'Scanned, connecting',
        sentences: ['This takes a few seconds.', 'Leave the phone unlocked.'],
        tone: 'good',
      };
    case 'stalled':
      return {
        headline: `Scanned ${shortDuration(now - event.since)} ago, but still not connected`,
        sentences: likelyCauses,
        tone: 'bad',
      };
    case 'unreachable':
      return { headline: safe(event.problem).replace(/\.$/, ''), sentences: ['Trying again.'], tone: 'bad' };
    case 'renewing': {
      const left = event.at + event.pause - now;
      const when = left > 0 ? `in ${shortDuration(left)}` : 'now';
      return {
        headline: 'Requesting new codes',
        sentences: ["Don't scan the last one.", `Round ${event.round} starts ${when}, with a new code.`],
      };
    }
    case 'connected': {
      const phone = event.phoneNumber === undefined ? '' : ` as ${safe(event.phoneNumber)}`;
      return {
        headline: `Paired${phone}`,
        sentences: [`It took ${shortDuration(event.took)}.`],
        tone: 'good',
      };
    }
    case 'failed':
      return {
        headline: 'Not paired',
        sentences: [
          ...(event.stoppedBy ? [`${safe(commandText(event.stoppedBy, now))}.`] : []),
          failedInWords(event, safe),
        ],
        tone: 'bad',
      };
    case 'timeout': {
      const sentences = event.problem === undefined ? [] : [safe(event.problem)];
      return { headline: `Not paired within ${shortDuration(event.after)}`, sentences, tone: 'bad' };
    }
  }
}

/** Returns why a device that is not stopped may not be starting. */
function doubtInWords(doubt: StartDoubt, safe: Sanitizer): string {
  switch (doubt.state) {
    case 'blocked':
      return 'The messaging app restricts its number';
    case 'limited':
      return 'Further attempts to pair it are refused for now';
    case 'unknown':
      return doubt.status === undefined
        ? 'The service gives no status'
        : `The service calls its state "${safe(doubt.status)}"`;
  }
}

/** Returns why the pairing failed, as a sentence. */
function failedInWords(
  { reason, because }: Extract<PairingEvent, { kind: 'failed' }>,
  safe: Sanitizer,
): string {
  switch (because) {
    case 'error':
      return safe(reason ?? "The service can't be reached any more.");
    case 'expired':
      return 'All codes expired before a phone scanned one.';
    case 'no_code':
      return `The device is started, but the service has shown ${safe(reason ?? 'no code')}.`;
    case 'blocked':
    case 'limited':
      return `${doubtInWords({ state: because }, safe)}.`;
    case 'unknown':
      return `There is no code: ${safe(reason ?? 'the service gives no status')}.`;
    default:
      return `The device is stopped${whyStopped(reason, safe)}.`;
  }
}

function whyStopped(reason: string | undefined, safe: Sanitizer): string {
  return reason === undefined ? '' : `: ${safe(reasonInWords(reason))}`;
}

/** The likely causes of failed scans. */
const likelyCauses = [
  'Look at the phone. Likely causes:',
  '- It asks for a passkey or the screen lock: confirm it.',
  '- It has no internet.',
  '- It already has four linked devices: log one out.',
  '- Another app scanned the code.',
] as const;

/** The number of failed scans from which on the likely causes are listed. */
const minSuspiciousScans = 2;

/** Returns the words for a failed scan: to scan again, and from the second one on the likely causes. */
export function failedScanWords({ scans, reason }: FailedScan, safe: Sanitizer): EventWords {
  const why = reason === undefined ? '' : ` (${safe(reason)})`;
  const again =
    scans < minSuspiciousScans
      ? ['Scan again.']
      : [`That was scan ${scans}.`, ...likelyCauses.slice(0, -1), 'Then scan again.'];
  return { headline: `The scan failed${why}`, sentences: again, tone: 'bad' };
}

/** Returns whether a code has expired. That is unknown for a code that was there before botctl looked. */
export function isStale({ since, life }: ShownCode, now: number): boolean {
  return life !== undefined && now >= since + life;
}

/** Returns the warning before a code is replaced that another user may be scanning. */
export function sharedCodeWords(other: ForeignCommand, safe: Sanitizer): string {
  return `${safe(describeCommand(other))} may be scanning this code.`;
}

/** Returns the state of a code: when the next one is due, or its age. */
export function codeInWords(code: ShownCode, now: number): { readonly text: string; readonly tone?: Tone } {
  const { number, round, since, life } = code;
  const name = `Code ${number}, round ${round}`;
  if (life === undefined) return { text: `${name}: seen for ${shortDuration(now - since)}, may be older.` };
  return isStale(code, now)
    ? { text: `STALE: ${name} has expired, a new one is due.`, tone: 'bad' }
    : { text: `${name}: a new one in about ${shortDuration(since + life - now)}.` };
}

/** The steps on the phone. */
export const steps = [
  '1. Open the messaging app.',
  '2. Tap Linked devices.',
  '3. Tap Link a device.',
  '4. Point the camera at the code.',
] as const;

/** The steps on one line. */
export const stepsSummary = 'On the phone: messaging app > Linked devices > Link a device';

/** The address of the web page with the code. */
export interface PageAddress {
  readonly url: string;
  /** The command that makes the page reachable from another machine, at the same address. */
  readonly sshLine: string;
}

/** Returns the address of the web page as lines. */
export function pageLines({ url, sshLine }: PageAddress): readonly string[] {
  return [`Page with the code: ${url}`, `To open it on another machine, run this there: ${sshLine}`];
}
