import type { Tone } from '../../../terminal/fields.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { reasonInWords } from '../state.ts';
import { span } from '../words.ts';
import type { PairingEvent, ShownCode } from './events.ts';

/** What the waiting screen tells. */
export interface Waiting {
  /** Name of the device, or its id. */
  readonly device: string;
  /** Names of its team and bot, or their ids; undefined where they aren't known. */
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** What happened last; undefined before the first read. */
  readonly event: PairingEvent | undefined;
  /** The code that is still there, whatever happened since. */
  readonly code: ShownCode | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The file that holds the current picture, where there is one. */
  readonly file: string | undefined;
  /** What came of the key that was pressed last. */
  readonly remark: Remark | undefined;
  /** What keys brought that may be copied, the most important first. */
  readonly copies: readonly Copy[];
  /** The key that brought the first of them, where that is to be seen even in the place of the code. */
  readonly insists: string | undefined;
  /** What the keys do at the moment, by key, in the order in which they are told. */
  readonly keys: ReadonlyMap<string, string>;
}

/** What came of a key. */
export interface Remark {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** Something that a person may want to copy, so that it is never broken: an address, a command, a path. */
export interface Copy {
  /** What it is: `The page:`. */
  readonly what: string;
  readonly text: string;
  /** Whether it goes first where there isn't room for everything. */
  readonly isExtra?: boolean;
}

/** A line of words, and what its look means. */
export interface Words {
  readonly text: string;
  /** The same in fewer words. */
  readonly brief?: string;
  readonly tone?: Tone | 'heading' | undefined;
}

/** What to do on the phone. */
export const steps = [
  '1. Open the messaging app.',
  '2. Tap Linked devices.',
  '3. Tap Link a device.',
  '4. Point the camera at the code.',
] as const;

/** The steps in half a line. */
export const inShort = 'messaging app > Linked devices > Link a device';

/** What the screen is about. */
export function title({ device }: Waiting): Words {
  return { text: `Pair ${sanitise(device)}`, tone: 'heading' };
}

/** Whose device it is, as far as that is known. */
export function owners({ team, bot }: Waiting): readonly Words[] {
  return [team !== undefined && `Team ${sanitise(team)}`, bot !== undefined && `Bot ${sanitise(bot)}`]
    .filter((text) => text !== false)
    .map((text) => ({ text }));
}

/** Whether a code is past its time. Of one whose beginning nobody here has seen that isn't known. */
export function isStale({ since, life }: ShownCode, now: number): boolean {
  return life !== undefined && now >= since + life;
}

/** The state in words, a sentence each. */
export function stateWords(waiting: Waiting): readonly Words[] {
  const { event, now, code } = waiting;
  switch (event?.kind) {
    case undefined:
      return [{ text: 'Reading the state of the device.' }];
    case 'stopped':
      return [
        {
          text:
            event.reason === undefined
              ? 'The device is stopped.'
              : `The device is stopped: ${sanitise(reasonInWords(event.reason))}.`,
        },
        { text: 'Waiting for somebody to connect it.' },
      ];
    case 'connecting':
      return event.isPaired ? [offline] : [{ text: 'Connecting: waiting for the code.' }];
    case 'code':
      return [codeState(event, now), ...ageOf(event, now)];
    case 'unreadable':
      return unreadableState(event.problem, waiting);
    case 'scanned':
      return [
        { text: 'Scanned, connecting.', tone: 'good' },
        { text: 'This takes a few seconds; the connection may drop once.' },
        { text: `${span(now - event.since)} so far.` },
      ];
    case 'stalled':
      return [
        { text: `Scanned ${span(now - event.since)} ago, and still not connected.`, tone: 'bad' },
        ...likelyCauses.map((text) => ({ text })),
      ];
    case 'unreachable':
      return [
        { text: sanitise(event.problem), tone: 'bad' },
        { text: 'Trying again.' },
        ...(code ? ageOf(code, now) : []),
      ];
    case 'renewing':
      return [
        { text: "There is no code for the moment; don't scan the last one." },
        { text: `Round ${event.round}, with a new code, begins ${soon(event.at + event.pause - now)}.` },
      ];
    case 'connected':
      return [{ text: 'Connected.', tone: 'good' }];
    case 'lost':
    case 'timeout':
      return [{ text: 'Not paired.', tone: 'bad' }];
    default:
      return [];
  }
}

/** A phone is paired: there is nothing to scan. */
const offline: Words = { text: 'Paired, but offline; it reconnects by itself, so wait.' };

function codeState(code: ShownCode, now: number): Words {
  return isStale(code, now)
    ? { text: 'STALE: past its time, a new code is due.', brief: 'STALE', tone: 'bad' }
    : { text: 'Waiting for the phone.' };
}

/** How old a code is, and when the next one is due. */
function ageOf({ number, round, since, life }: ShownCode, now: number): readonly Words[] {
  const name = `Code ${number}, round ${round}`;
  // Nobody here knows how long it had been there.
  if (life === undefined) return [{ text: `${name}: here for ${span(now - since)}, or longer.` }];
  const left = since + life - now;
  const age = { text: `${name}: ${span(now - since)} old.` };
  const next = { text: `Next code in about ${span(left)}.`, brief: `New code in ${span(left)}` };
  return left > 0 ? [age, next] : [age];
}

function soon(left: number): string {
  return left > 0 ? `in ${span(left)}` : 'now';
}

/** Why a scan comes to nothing. */
export const likelyCauses = [
  'Look at the phone. Likely causes:',
  '- It asks for a passkey or its screen lock: confirm there.',
  '- It has no internet.',
  '- It has four linked devices already: log one out.',
  '- Another app scanned the code.',
] as const;

function unreadableState(problem: string, { file, keys }: Waiting): readonly Words[] {
  return [
    { text: `The service sent a picture that can't be drawn: it ${sanitise(problem)}.`, tone: 'bad' },
    { text: pictureWay(file, keys, { isReadable: false }) },
  ];
}

/** How to get at the picture where no code can be drawn here. */
export function pictureWay(
  file: string | undefined,
  keys: Waiting['keys'],
  {
    isReadable,
    isOther = false,
  }: {
    /** Whether the page can draw it: what can't be read or holds too much can't be drawn there either. */
    readonly isReadable: boolean;
    /** Whether another way is told before it. */
    readonly isOther?: boolean;
  },
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
