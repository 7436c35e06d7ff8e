import { compareNumbers } from '../../resources/devices/pairing/expected-number.ts';
import type { PairingEvent } from '../../resources/devices/pairing/watch-pairing.ts';
import type { Secret } from '../../secrets/secret.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { matrixOf } from '../code-drawing.ts';
import { failedScanWords, sentencesOf, wordsOf } from '../words.ts';

/** The look of the page: the user should scan, botctl is busy, the pairing succeeded, or it failed. */
export type PageTone = 'scan' | 'busy' | 'done' | 'failed';

/** The contents of the page. */
export interface PageState {
  readonly tone: PageTone;
  /** A few words. */
  readonly headline: string;
  /** A sentence or two. */
  readonly detail: string;
  readonly code: PageCode | undefined;
  /** True for the last state. */
  readonly ended: boolean;
}

/** A code on the page. */
interface PageCode {
  readonly picture: CodePicture;
  /** When it was first seen, in milliseconds since 1970. */
  readonly since: number;
  /** Its expected lifetime in milliseconds, if known. */
  readonly life: number | undefined;
}

/** A code as a vector drawing, in modules. */
export interface CodePicture {
  /** Modules per side, including the quiet zone. */
  readonly side: number;
  /** The dark modules, as an SVG path. */
  readonly path: string;
}

/** A state at a point in time: in the loaded page, and in the responses that its script polls. */
export interface PageContent {
  readonly tone: PageTone;
  readonly headline: string;
  readonly detail: string;
  /** The age or expected lifetime of the code; empty without a code. */
  readonly age: string;
  readonly code: CodePicture | null;
  readonly ended: boolean;
}

/** Returns the contents of the page for a state. @param now milliseconds since 1970 */
export function pageContentAt({ code, ...words }: PageState, now: number): PageContent {
  if (!code) return { ...words, age: '', code: null };
  const { since, life, picture } = code;
  if (life === undefined)
    return { ...words, age: `It is ${Math.round((now - since) / 1000)} s old.`, code: picture };
  const left = Math.ceil((since + life - now) / 1000);
  if (left > 0) return { ...words, age: `A new one in about ${left} s.`, code: picture };
  const due = 'This one has expired and may not work any more.';
  return { ...words, tone: 'busy', headline: 'A new code is due', detail: due, age: '', code: picture };
}

const fallbackHint = 'Save the picture with --qr-file, and scan it in a viewer.';

/** The page before the first event. */
export const firstState: PageState = stateOf('busy', 'One moment', 'Reading the state of the device.');

/**
 * Returns the page after an event.
 * @param expect the expected number, digits only; undefined for any
 */
export function stateAfter(event: PairingEvent, before: PageState, expect?: string): PageState {
  if (event.kind === 'code') return codeState(event);
  const { headline, sentences } = wordsOf(event, event.at, sanitise);
  const detail = sentences.join(' ');
  switch (event.kind) {
    case 'unreadable':
      return stateOf('busy', headline, `${detail} ${fallbackHint}`);
    case 'unreachable':
      // A failed read leaves the code.
      return before.code
        ? { ...before, detail: `${headline}. ${detail}` }
        : stateOf('busy', headline, detail);
    case 'connected': {
      const { phoneNumber } = event;
      const wrong = expect === undefined ? undefined : wrongNumber(expect, phoneNumber);
      const isToCheck = phoneNumber !== undefined && expect === undefined;
      return (
        wrong ??
        stateOf('done', headline, isToCheck ? `${detail} Check that it is the right number.` : detail)
      );
    }
    case 'failed':
    case 'timeout':
      return stateOf('failed', headline, detail);
    default:
      return stateOf('busy', headline, detail);
  }
}

/** Returns the last state of the page: how it ended, or that it was abandoned. */
export function finalState(state: PageState): PageState {
  const isDecided = state.tone === 'done' || state.tone === 'failed';
  const last = isDecided
    ? state
    : stateOf('failed', 'Ended', 'botctl has stopped following the pairing. Look at the terminal.');
  return { ...last, detail: `${last.detail} You can close this page.`.trim(), ended: true };
}

function codeState(event: Extract<PairingEvent, { kind: 'code' }>): PageState {
  const { code, number, since, life, round, failedScan } = event;
  const picture = drawPicture(code.payload);
  if (!picture) return stateOf('busy', "The code can't be shown", `It is too long to draw. ${fallbackHint}`);
  const title = `Code ${number}${round > 1 ? `, round ${round}` : ''}`;
  return {
    tone: 'scan',
    headline: 'Scan this code',
    // A screen reader distinguishes codes by their number.
    detail: `${title}. ${failedScan ? sentencesOf(failedScanWords(failedScan, sanitise)).join(' ') : 'Waiting for the phone.'}`,
    code: { picture, since, life },
    ended: false,
  };
}

/** Returns a page without a code. */
function stateOf(tone: PageTone, headline: string, detail: string): PageState {
  return { tone, headline, detail, code: undefined, ended: false };
}

/** Returns the end if another number was paired than expected, or none is shown; undefined if it is the expected one. */
function wrongNumber(expected: string, shown: string | undefined): PageState | undefined {
  switch (compareNumbers(expected, shown)) {
    case 'other':
      return stateOf(
        'failed',
        'Another number was paired',
        `It is ${sanitise(shown ?? '')}, not +${expected}. Look at the terminal.`,
      );
    case 'unknown':
      return stateOf(
        'failed',
        'Paired, number unknown',
        `The service doesn't show it, so it can't be compared with +${expected}. Look at the phone.`,
      );
    default:
      return undefined;
  }
}

/** Light modules around the code, as ISO/IEC 18004 requires. */
const quietZone = 4;

/** Draws a code, or returns undefined if it is too long to draw. */
export function drawPicture(payload: Secret): CodePicture | undefined {
  const matrix = matrixOf(payload);
  if (!matrix) return undefined;
  const path = matrix
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : [])),
    )
    .join('');
  return { side: matrix.length + 2 * quietZone, path };
}
