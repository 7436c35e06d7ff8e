import { span } from '../../../lib/time.ts';
import { reasonInWords } from '../../../resources/devices/device-state.ts';
import type { PairingEvent, ShownCode } from '../../../resources/devices/pairing/machine.ts';
import type { Tone } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import type { PageAddress } from './actions.ts';

/** A pairing as the waiting screen shows it. */
export interface Waiting {
  /** Name of the device, or its id. */
  readonly device: string;
  /** Names of its team and bot, or their ids, if known. */
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** What happened last; undefined before the first read. */
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
  /** What the keys do at the moment, by key, in the order in which they are shown. */
  readonly keys: ReadonlyMap<string, string>;
}

/** What a person is told on the screen, mostly in answer to a key. */
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

/** The heading of the screen. */
export function title({ device }: Waiting): TextLine {
  return { text: `Pair ${sanitise(device)}`, tone: 'heading' };
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

/** The status of the pairing, a sentence each. */
export function statusLines(waiting: Waiting): readonly TextLine[] {
  const { event, now, code } = waiting;
  switch (event?.kind) {
    case undefined:
      return lines(undefined, 'Reading the state of the device.');
    case 'stopped': {
      const why = event.reason === undefined ? '' : `: ${sanitise(reasonInWords(event.reason))}`;
      return lines(undefined, `The device is stopped${why}.`, 'Waiting for somebody to connect it.');
    }
    case 'starting':
      return lines(undefined, 'Starting: waiting for the code.');
    case 'reconnecting':
      return [offline];
    case 'code':
      return [codeStatus(event, now), ...codeAge(event, now)];
    case 'unreadable':
      return lines(
        'bad',
        `The service sent a picture that can't be drawn: it ${sanitise(event.problem)}.`,
        fallbackHint(waiting, { isReadable: false }),
      );
    case 'scanned': {
      const elapsed = `${span(now - event.since)} so far.`;
      const note = 'This takes a few seconds; the connection may drop once.';
      return lines('good', 'Scanned, connecting.', note, elapsed);
    }
    case 'stalled': {
      const elapsed = span(now - event.since);
      return lines('bad', `Scanned ${elapsed} ago, and still not connected.`, ...likelyCauses);
    }
    case 'unreachable':
      return [...lines('bad', sanitise(event.problem), 'Trying again.'), ...(code ? codeAge(code, now) : [])];
    case 'renewing': {
      const left = event.at + event.pause - now;
      const start = left > 0 ? `in ${span(left)}` : 'now';
      return lines(
        undefined,
        "There is no code for the moment; don't scan the last one.",
        `Round ${event.round}, with a new code, begins ${start}.`,
      );
    }
    case 'connected':
      return lines('good', 'Connected.');
    case 'failed':
    case 'timeout':
      return lines('bad', 'Not paired.');
  }
}

/** Texts as lines, of which the first has the tone. */
function lines(tone: Tone | undefined, ...texts: readonly string[]): readonly TextLine[] {
  return texts.map((text, at) => (at === 0 ? { text, tone } : { text }));
}

/** A phone is paired: there is nothing to scan. */
const offline: TextLine = { text: 'Paired, but offline; it reconnects by itself, so wait.' };

function codeStatus(code: ShownCode, now: number): TextLine {
  return isStale(code, now)
    ? { text: 'STALE: past its time, a new code is due.', brief: 'STALE', tone: 'bad' }
    : { text: 'Waiting for the phone.' };
}

/** How old a code is, and when the next one is due. */
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
export const likelyCauses = [
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
 * How to get at the picture if no code can be drawn here.
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
