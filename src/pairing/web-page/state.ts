import { compareNumbers } from '../../resources/devices/pairing/expected-number.ts';
import type { PairingEvent } from '../../resources/devices/pairing/watch-pairing.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { failedScanWords, sentencesOf, wordsOf } from '../words.ts';
import { type CodePicture, drawPicture } from './code-picture.ts';

/** The look of the page: the person is to scan, botctl is busy, the pairing succeeded, or it failed. */
export type PageTone = 'scan' | 'busy' | 'done' | 'failed';

/** The contents of the page. */
export interface PageState {
  readonly tone: PageTone;
  /** A few words. */
  readonly headline: string;
  /** A sentence or two. */
  readonly detail: string;
  readonly code: PageCode | undefined;
  /** True if nothing follows. */
  readonly ended: boolean;
}

/** A code as the page shows it. */
export interface PageCode {
  readonly picture: CodePicture;
  /** `Code 2`, as the page counts them. */
  readonly title: string;
  /** When it was first seen, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds that it probably lives, if known. */
  readonly life: number | undefined;
}

const fallbackHint = 'Keep the picture with --qr-file, and scan it in a viewer.';

/** The page before the first event. */
export const firstState: PageState = stateOf('busy', 'One moment', 'Reading the state of the device.');

/**
 * Returns the page after an event.
 * @param expect the number that is to be paired, digits alone; undefined for any
 */
export function stateAfter(event: PairingEvent, before: PageState, expect?: string): PageState {
  if (event.kind === 'code') return codeState(event);
  const { headline, sentences } = wordsOf(event, event.at, sanitise);
  const detail = sentences.join(' ');
  switch (event.kind) {
    case 'unreadable':
      return stateOf('busy', headline, `${detail} ${fallbackHint}`);
    case 'unreachable':
      // A read that failed takes no code away.
      return before.code
        ? { ...before, detail: `${headline}. ${detail}` }
        : stateOf('busy', headline, detail);
    case 'connected': {
      const { phoneNumber } = event;
      const wrong = expect === undefined ? undefined : wrongNumber(expect, phoneNumber);
      const isToCheck = phoneNumber !== undefined && expect === undefined;
      return (
        wrong ??
        stateOf('done', headline, isToCheck ? `${detail} See whether that is the right number.` : detail)
      );
    }
    case 'failed':
    case 'timeout':
      return stateOf('failed', headline, detail);
    default:
      return stateOf('busy', headline, detail);
  }
}

/** Returns the last state of the page: how it ended, or that it was given up. */
export function finalState(state: PageState): PageState {
  const isDecided = state.tone === 'done' || state.tone === 'failed';
  const last = isDecided
    ? state
    : stateOf('failed', 'Not paired', 'botctl was left before a phone was paired.');
  return { ...last, detail: `${last.detail} You can close this page.`, ended: true };
}

/**
 * A state as a server-sent event. It carries the age of the code, since the browser's clock is another one.
 * @param now milliseconds since 1970
 */
export function serverSentEvent({ code, ...words }: PageState, now: number): string {
  const message = {
    ...words,
    code: code && {
      title: code.title,
      ...code.picture,
      age: now - code.since,
      life: code.life ?? null,
    },
  };
  return `data: ${JSON.stringify(message)}\n\n`;
}

function codeState(event: Extract<PairingEvent, { kind: 'code' }>): PageState {
  const { code, number, since, life, round, failedScan } = event;
  const picture = drawPicture(code.payload);
  if (!picture) return stateOf('busy', "The code can't be shown", `It is too long to draw. ${fallbackHint}`);
  const title = `Code ${number}${round > 1 ? `, round ${round}` : ''}`;
  return {
    tone: 'scan',
    headline: 'Scan this code',
    detail: failedScan
      ? sentencesOf(failedScanWords(failedScan, sanitise)).join(' ')
      : 'Waiting for the phone.',
    code: { picture, title, since, life },
    ended: false,
  };
}

/** Returns a page without a code. */
function stateOf(tone: PageTone, headline: string, detail: string): PageState {
  return { tone, headline, detail, code: undefined, ended: false };
}

/** Returns the end if another number was paired than expected, or none is shown; undefined if it is the right one. */
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
        'Paired, but with which number?',
        `The service doesn't show it, so it can't be compared with +${expected}. Look at the phone.`,
      );
    default:
      return undefined;
  }
}
