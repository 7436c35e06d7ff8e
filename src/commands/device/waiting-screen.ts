import {
  type Drawing,
  drawCode,
  halfBlocks,
  plainHalfBlocks,
  type Room,
  roomFor,
  type Style,
  spaces,
} from '../../qr/draw.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { cut, type Ruler, wrap } from '../../terminal/width.ts';
import type { PairingEvent } from './pairing.ts';
import { reasonInWords } from './state.ts';
import { span } from './words.ts';

/** What the waiting screen shows. */
export interface Waiting {
  /** Name of the device, or its id. */
  readonly device: string;
  /** What happened last; undefined before the first read. */
  readonly event: PairingEvent | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The file that holds the current picture, where there is one. */
  readonly file: string | undefined;
}

/** The way to draw codes that a terminal can show; undefined where there is none. */
export function styleFor({
  colorLevel,
  unicode,
}: Pick<Terminal, 'colorLevel' | 'unicode'>): Style | undefined {
  if (colorLevel > 0) return unicode ? halfBlocks : spaces;
  return unicode ? plainHalfBlocks : undefined;
}

/** Columns that the words need beside a code, and the gap before them. */
const leastWords = 28;
const gap = 2;

/** Columns beyond which text is tiring to read. */
const mostWords = 60;

/**
 * Lays out the waiting screen: the code with the words beside it, above and below it, or in two lines
 * around it, whichever leaves it the widest quiet zone.
 */
export function drawWaiting(
  waiting: Waiting,
  screen: Room,
  style: Style | undefined,
  ruler: Ruler,
): readonly string[] {
  const { event } = waiting;
  if (event?.kind !== 'code') return words(waiting, [], screen, ruler);
  const payload = event.code.payload.reveal();
  const layouts = style ? layoutsFor(waiting, payload, screen, style, ruler) : [];
  const [best] = layouts.sort((one, other) => other.drawing.quietZone - one.drawing.quietZone);
  return best?.lines() ?? words(waiting, tooSmall(payload, screen, style, waiting.file), screen, ruler);
}

interface Layout {
  readonly drawing: Drawing;
  lines(): readonly string[];
}

function layoutsFor(waiting: Waiting, payload: string, screen: Room, style: Style, ruler: Ruler): Layout[] {
  const layouts: Layout[] = [];
  const beside = drawCode(payload, { columns: screen.columns - gap - leastWords, rows: screen.rows }, style);
  if (beside) {
    const width = Math.min(screen.columns - beside.columns - gap, mostWords);
    const text = paragraphs(waiting, [], width, ruler);
    if (text.length <= screen.rows) layouts.push({ drawing: beside, lines: () => sideBySide(beside, text) });
  }
  const above = [title(waiting), ...steps].map((line) => fitted(line, screen, ruler));
  const state = stateLines(waiting).join(' ');
  const below = [state, leaveLine].map((line) => fitted(line, screen, ruler));
  const stacked = drawCode(payload, roomWithout(screen, above.length + below.length), style);
  if (stacked) layouts.push({ drawing: stacked, lines: () => [...above, ...stacked.lines, ...below] });
  const framed = drawCode(payload, roomWithout(screen, 2), style);
  if (framed) {
    const head = fitted(`${title(waiting)}: ${inShort}`, screen, ruler);
    const foot = fitted(`${state} q leaves.`, screen, ruler);
    layouts.push({ drawing: framed, lines: () => [head, ...framed.lines, foot] });
  }
  return layouts;
}

function roomWithout({ columns, rows }: Room, lines: number): Room {
  return { columns, rows: rows - lines };
}

function sideBySide(drawing: Drawing, text: readonly string[]): readonly string[] {
  const rows = Math.max(drawing.rows, text.length);
  const blank = ' '.repeat(drawing.columns);
  return Array.from({ length: rows }, (_, row) => {
    const code = drawing.lines[row] ?? blank;
    const words = text[row] ?? '';
    return words === '' ? code : `${code}${' '.repeat(gap)}${words}`;
  });
}

/** A screen of words alone. */
function words(waiting: Waiting, remarks: readonly string[], screen: Room, ruler: Ruler): readonly string[] {
  const text = paragraphs(waiting, remarks, Math.min(screen.columns, mostWords), ruler);
  return text.slice(0, screen.rows);
}

const steps = [
  '1. Open the messaging app.',
  '2. Tap Linked devices.',
  '3. Tap Link a device.',
  '4. Point the camera here.',
] as const;

/** The steps in half a line. */
const inShort = 'messaging app > Linked devices > Link a device';

const leaveLine = 'Press q to leave.';

function title({ device }: Waiting): string {
  return `Pair ${sanitise(device)}`;
}

function paragraphs(
  waiting: Waiting,
  remarks: readonly string[],
  width: number,
  ruler: Ruler,
): readonly string[] {
  const hasCode = waiting.event?.kind === 'code' && remarks.length === 0;
  const parts = [[title(waiting)], hasCode ? steps : [], remarks, stateLines(waiting), [leaveLine]];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.flatMap((line) => wrap(ruler, line, width)))
    .flatMap((part, index) => (index === 0 ? part : ['', ...part]));
}

function fitted(line: string, { columns }: Room, ruler: Ruler): string {
  return cut(ruler, line, columns, '...');
}

/** The state in words, a sentence each. */
function stateLines({ event, now, file }: Waiting): readonly string[] {
  switch (event?.kind) {
    case undefined:
      return ['Reading the state of the device.'];
    case 'stopped':
      return [
        event.reason === undefined
          ? 'The device is stopped.'
          : `The device is stopped: ${sanitise(reasonInWords(event.reason))}.`,
        'Waiting for somebody to connect it.',
      ];
    case 'connecting':
      return ['Connecting: waiting for the code.'];
    case 'code':
      return [
        'Waiting for the phone.',
        `Code ${event.number}, ${span(now - event.since)} old${prospect(event, now)}.`,
      ];
    case 'unreadable':
      return [
        `The service sent a picture that can't be drawn: it ${sanitise(event.problem)}.`,
        file === undefined
          ? 'Leave, and start again with --qr-file FILE to open the picture in a viewer.'
          : `It is in ${sanitise(file)}: open that in a viewer, and scan it there.`,
      ];
    case 'scanned':
      return ['Scanned, connecting. This takes a few seconds.'];
    case 'unreachable':
      return [sanitise(event.problem), 'Trying again.'];
    default:
      return [];
  }
}

/** When the next code is due. Nothing is said where the beginning of this one wasn't seen. */
function prospect(
  { since, life }: { readonly since: number; readonly life: number | undefined },
  now: number,
): string {
  if (life === undefined) return '';
  const left = since + life - now;
  return left > 0 ? `; a new one in about ${span(left)}` : '; it may have expired, a new one is due';
}

function tooSmall(
  payload: string,
  screen: Room,
  style: Style | undefined,
  file: string | undefined,
): readonly string[] {
  const wayOut =
    file === undefined
      ? 'Or start again with --qr-file FILE and scan the picture in a viewer.'
      : `Or scan the picture in ${sanitise(file)}.`;
  if (!style) {
    return ['This terminal shows neither colours nor block characters, so the code can’t be drawn.', wayOut];
  }
  const needed = roomFor(payload, style);
  return [
    `The code needs a window of ${needed.columns} x ${needed.rows + 2}; this one has ${screen.columns} x ${screen.rows}.`,
    'Enlarge the window, or make its letters smaller.',
    wayOut,
  ];
}
