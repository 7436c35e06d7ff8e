import { span } from '../lib/time.ts';
import { comesBack, reasonInWords } from '../resources/devices/device-state.ts';
import { serviceSays } from '../resources/devices/device-words.ts';
import type { FailedScan, PairingEvent, ShownCode } from '../resources/devices/pairing/watch-pairing.ts';
import type { Tone } from '../terminal/colour.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { PageAddress } from './pairing-view.ts';

/** A pairing as the waiting screen shows it. */
export interface Waiting {
  /** Name of the device, or its id. */
  readonly device: string;
  /** Names of its team and bot, or their ids, if known. */
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** The number that is to be paired, and whose it is, if that matters. */
  readonly expected: string | undefined;
  /** The last event; undefined before the first read. */
  readonly event: PairingEvent | undefined;
  /** The code that is still there, whatever happened since. */
  readonly code: ShownCode | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The file that holds the current picture, if any. */
  readonly file: string | undefined;
  /** The answer to the key that was pressed last. */
  readonly message: Message | undefined;
  /** Addresses and paths that keys brought, the newest first. */
  readonly copyable: readonly CopyableText[];
  /** The key that brought the first of them, if that is to be seen even in the place of the code. */
  readonly pinnedKey: string | undefined;
  /** The labels of the keys that do something at the moment, in the order in which they are shown. */
  readonly keys: ReadonlyMap<string, string>;
}

/** A message on the screen, mostly in answer to a key. */
export interface Message {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** True if it goes with the next event. */
  readonly isTransient?: boolean;
  /** True if it is of use only while a code is drawn. */
  readonly isAboutDrawing?: boolean;
}

/** Something that a person may want to copy, so that it is never broken: an address, a command, a path. */
export interface CopyableText {
  /** Says what it is: `The page:`. */
  readonly label: string;
  readonly text: string;
  /** True if it goes first when there isn't room for everything. */
  readonly isOptional?: boolean;
}

/** A line of text, and what its colour means. */
export interface TextLine {
  readonly text: string;
  /** The same in fewer words. */
  readonly brief?: string;
  readonly tone?: Tone | 'heading' | undefined;
}

/** The steps on the phone. */
export const steps = [
  '1. Open the messaging app.',
  '2. Tap Linked devices.',
  '3. Tap Link a device.',
  '4. Point the camera at the code.',
] as const;

/** The steps in half a line. */
export const stepsSummary = 'messaging app > Linked devices > Link a device';

/** The heading of the screen. There is nothing to pair where the device is stopped, or paired. */
export function title({ device, event }: Pick<Waiting, 'device' | 'event'>): TextLine {
  const isWatched = event?.kind === 'stopped' || event?.kind === 'reconnecting';
  return { text: `${isWatched ? 'Watch' : 'Pair'} ${sanitise(device)}`, tone: 'heading' };
}

/** The number that is to be paired, if one is expected. */
export function expectation({ expected }: Pick<Waiting, 'expected'>): readonly TextLine[] {
  return expected === undefined ? [] : [{ text: `for ${sanitise(expected)}` }];
}

/** The team and the bot of the device, as far as they are known. */
export function owners({ team, bot }: Waiting): readonly TextLine[] {
  return [team !== undefined && `Team ${sanitise(team)}`, bot !== undefined && `Bot ${sanitise(bot)}`]
    .filter((text) => text !== false)
    .map((text) => ({ text }));
}

/** True if a code is past its time. For one that was there before botctl looked, that isn't known. */
export function isStale({ since, life }: ShownCode, now: number): boolean {
  return life !== undefined && now >= since + life;
}

/** The words for an event, where nothing of a code is shown. */
export interface EventText {
  /** On the screen, a sentence each. */
  readonly screen: readonly string[];
  /** The meaning of the colour of the first of them. */
  readonly tone?: Tone;
  /** In plain lines, which can be read aloud; those of the screen in one line if not given. */
  readonly spoken?: readonly string[];
  /** On the web page, in a few words. */
  readonly headline: string;
  /** On the web page, in a sentence or two. */
  readonly detail: string;
}

/**
 * Returns the words for an event in every place that shows it, followed by those of the service.
 * @param now milliseconds since 1970
 * @param safe makes what the service says fit for the place
 */
export function textOf(
  event: Exclude<PairingEvent, { kind: 'code' }>,
  now: number,
  safe: (text: string) => string,
): EventText {
  const text = ownTextOf(event, now, safe);
  if (!('words' in event) || event.words === undefined) return text;
  const says = serviceSays(safe(event.words));
  return {
    ...text,
    screen: [...text.screen, says],
    ...(text.spoken && { spoken: [...text.spoken, says] }),
    detail: `${text.detail} ${says}`,
  };
}

function ownTextOf(
  event: Exclude<PairingEvent, { kind: 'code' }>,
  now: number,
  safe: (text: string) => string,
): EventText {
  switch (event.kind) {
    case 'stopped': {
      const why = whyStopped(event.reason, safe);
      return {
        screen: [`The device is stopped${why}.`, 'Waiting for somebody to connect it.'],
        headline: 'The device is stopped',
        detail: `Waiting for somebody to connect it${why}.`,
      };
    }
    case 'starting': {
      const { doubt } = event;
      if (doubt !== undefined) {
        const problem = doubtInWords(doubt, safe);
        const detail = 'Waiting for a code all the same.';
        return { screen: [problem, detail], tone: 'bad', headline: problem.replace(/\.$/, ''), detail };
      }
      return {
        screen: ['Starting: waiting for the code.'],
        spoken: ['Starting. Waiting for the code.'],
        headline: 'Starting',
        detail: 'Waiting for the code.',
      };
    }
    case 'unconfirmed': {
      const time = span(now - event.since);
      const detail = `The service has not confirmed the code for ${time}: it may have been replaced.`;
      const advice = "Don't scan the last one. The code is back once the service answers.";
      return {
        screen: [detail, advice],
        tone: 'bad',
        headline: 'The code is in doubt',
        detail: `${detail} ${advice}`,
      };
    }
    case 'scan_failed': {
      const [detail, ...causes] = failedScanLines(event, safe);
      return {
        screen: [detail, ...causes],
        tone: 'bad',
        spoken: [detail, ...causes],
        headline: 'The scan did not hold',
        detail,
      };
    }
    case 'reconnecting':
      if (!comesBack(event.reason)) {
        const why = `Paired, but offline (${safe(reasonInWords(event.reason ?? ''))}).`;
        const look = 'See that its phone is on and online.';
        return { screen: [why, look], headline: 'Paired, but offline', detail: `${why} ${look}` };
      }
      return {
        screen: ['Paired, but offline; it reconnects by itself, so wait.'],
        spoken: ['Paired, but offline. It reconnects by itself, so wait.'],
        headline: 'Paired, but offline',
        detail: 'It reconnects by itself, so wait.',
      };
    case 'unreadable': {
      const detail = `The service sent a picture that can't be read: it ${safe(event.problem)}.`;
      const screen = [`The service sent a picture that can't be drawn: it ${safe(event.problem)}.`];
      return { screen, tone: 'bad', spoken: [detail], headline: "The code can't be shown", detail };
    }
    case 'scanned': {
      const note = 'This takes a few seconds; the connection may drop once.';
      return {
        screen: ['Scanned, connecting.', note, `${span(now - event.since)} so far.`],
        tone: 'good',
        spoken: ['Scanned, connecting. This takes a few seconds.'],
        headline: 'Scanned, connecting',
        detail: 'This takes a few seconds. Leave the phone unlocked.',
      };
    }
    case 'stalled':
      return {
        screen: [`Scanned ${span(now - event.since)} ago, and still not connected.`, ...likelyCauses],
        tone: 'bad',
        spoken: ['Scanned, and still not connected.', ...likelyCauses],
        headline: 'Scanned, but not connected yet',
        detail:
          'Look at the phone: it may ask for a passkey or its screen lock, have no internet, or have four ' +
          'linked devices already.',
      };
    case 'unreachable': {
      const screen = [safe(event.problem), 'Trying again.'];
      return { screen, tone: 'bad', headline: "The service doesn't answer", detail: screen.join(' ') };
    }
    case 'renewing': {
      const { round, at, pause } = event;
      const left = at + pause - now;
      const seconds = Math.round(pause / 1000);
      return {
        screen: [
          "There is no code for the moment; don't scan the last one.",
          `Round ${round}, with a new code, begins ${left > 0 ? `in ${span(left)}` : 'now'}.`,
        ],
        spoken: [
          `The last code is not to be scanned any more. Round ${round}, with new codes, begins ${seconds > 0 ? `in ${seconds} seconds` : 'now'}.`,
        ],
        headline: 'Asking for new codes',
        detail: pause > 0 ? `They come in about ${span(pause)}.` : 'They come at once.',
      };
    }
    // The command says in the end how it ended.
    case 'connected': {
      const phone = event.phoneNumber === undefined ? '' : ` as ${safe(event.phoneNumber)}`;
      const detail = `It took ${span(event.took)}.`;
      return { screen: ['Connected.'], tone: 'good', spoken: [], headline: `Paired${phone}`, detail };
    }
    case 'failed':
      return { ...notPaired, detail: failedText(event, safe) };
    case 'timeout':
      return { ...notPaired, detail: `That didn't happen within ${span(event.after)}.` };
  }
}

/** Returns why a device that is not stopped may not be starting, as a sentence. */
function doubtInWords(
  doubt: NonNullable<Extract<PairingEvent, { kind: 'starting' }>['doubt']>,
  safe: (text: string) => string,
): string {
  switch (doubt.state) {
    case 'blocked':
      return 'The messaging app restricts its number.';
    case 'limited':
      return 'Further attempts to pair it are refused for now.';
    case 'unknown':
      return doubt.status === undefined
        ? 'The service gives no status.'
        : `The service calls its state "${safe(doubt.status)}".`;
  }
}

/** Number of failed scans from which on the likely causes are listed. */
const minSuspiciousScans = 2;

/** Returns the lines about a scan that did not hold: to scan again, and from the second one on the likely causes. */
export function failedScanLines(
  { scans, reason }: FailedScan,
  safe: (text: string) => string,
): readonly [string, ...(readonly string[])] {
  const why = reason === undefined ? '' : ` (${safe(reason)})`;
  const said = `The scan did not hold${why}.`;
  if (scans < minSuspiciousScans) return [`${said} Scan again.`];
  return [`${said} That was scan ${scans}.`, ...likelyCauses.slice(0, -1), 'Then scan again.'];
}

const notPaired = { screen: ['Not paired.'], tone: 'bad', spoken: [], headline: 'Not paired' } as const;

/** Why the pairing failed, as a sentence. */
function failedText(
  { reason, because }: Extract<PairingEvent, { kind: 'failed' }>,
  safe: (text: string) => string,
): string {
  switch (because) {
    case 'error':
      return safe(reason ?? "The service can't be asked any more.");
    case 'expired':
      return 'Every code has expired before a phone scanned one.';
    case 'no_code':
      return 'The service has shown no code.';
    case 'blocked':
    case 'limited':
      return doubtInWords({ state: because }, safe);
    case 'unknown':
      return `There is no code: ${safe(reason ?? 'the service gives no status')}.`;
    default:
      return `The device is stopped${whyStopped(reason, safe)}.`;
  }
}

function whyStopped(reason: string | undefined, safe: (text: string) => string): string {
  return reason === undefined ? '' : `: ${safe(reasonInWords(reason))}`;
}

/** Returns the status of the pairing on the screen, a sentence each. */
export function statusLines(waiting: Waiting): readonly TextLine[] {
  const { event, now, code } = waiting;
  if (event === undefined) return [{ text: 'Reading the state of the device.' }];
  if (event.kind === 'code') return [codeStatus(event, now), ...codeAge(event, now)];
  const { screen, tone } = textOf(event, now, sanitise);
  const lines = screen.map((text, at) => (at === 0 ? { text, tone } : { text }));
  if (event.kind === 'unreadable') return [...lines, { text: fallbackHint(waiting, { isReadable: false }) }];
  return event.kind === 'unreachable' && code ? [...lines, ...codeAge(code, now)] : lines;
}

function codeStatus(code: ShownCode, now: number): TextLine {
  return isStale(code, now)
    ? { text: 'STALE: past its time, a new code is due.', brief: 'STALE', tone: 'bad' }
    : { text: 'Waiting for the phone.' };
}

/** Returns the age of a code, and the time until the next one is due. */
function codeAge({ number, round, since, life }: ShownCode, now: number): readonly TextLine[] {
  const name = `Code ${number}, round ${round}`;
  // It was there before botctl looked, for how long is unknown.
  if (life === undefined) return [{ text: `${name}: here for ${span(now - since)}, or longer.` }];
  const left = since + life - now;
  const age = { text: `${name}: ${span(now - since)} old.` };
  const next = { text: `Next code in about ${span(left)}.`, brief: `New code in ${span(left)}` };
  return left > 0 ? [age, next] : [age];
}

/** Why a scan may not lead to a connection. */
const likelyCauses = [
  'Look at the phone. Likely causes:',
  '- It asks for a passkey or its screen lock: confirm there.',
  '- It has no internet.',
  '- It has four linked devices already: log one out.',
  '- Another app scanned the code.',
] as const;

/** The address of the web page, in lines. */
export function pageLines({ url, sshLine }: PageAddress): readonly string[] {
  return [`The page with the code: ${url}`, `To open it on another machine, run there: ${sshLine}`];
}

/**
 * Returns the way to the picture if no code can be drawn here.
 * @param isReadable true if the page can draw it: what can't be read or holds too much can't be drawn there either
 * @param isOther true if another way stands before it
 */
export function fallbackHint(
  { file, keys }: Pick<Waiting, 'file' | 'keys'>,
  { isReadable, isOther = false }: { readonly isReadable: boolean; readonly isOther?: boolean },
): string {
  if (file !== undefined)
    return `The picture is in ${sanitise(file)}: open it in a viewer, and scan it there.`;
  const ways = [
    isReadable && keys.get('w') === 'web page' && 'w for a web page',
    keys.get('f') === 'file' && 'f for a picture file',
  ].filter((way) => way !== false);
  if (ways.length > 0) return `${isOther ? 'Or press' : 'To scan it elsewhere press'} ${ways.join(', or ')}.`;
  return isOther
    ? 'Or start again with --qr-file FILE, and scan it in a viewer.'
    : 'To scan it in a viewer start again with --qr-file FILE.';
}
