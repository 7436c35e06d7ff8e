import { span } from '../../../../lib/time.ts';
import { reasonInWords } from '../../../../resources/devices/device-state.ts';
import { compareNumbers } from '../../../../resources/devices/pairing/expected-number.ts';
import type { PairingEvent } from '../../../../resources/devices/pairing/machine.ts';
import { sanitise } from '../../../../terminal/sanitise.ts';
import { type CodePicture, drawPicture } from './code-picture.ts';

/** The look of the page: the person is to scan, botctl is busy, the pairing succeeded, or it failed. */
export type Tone = 'scan' | 'busy' | 'done' | 'failed';

/** The contents of the page. */
export interface PageState {
  readonly tone: Tone;
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
export const firstState: PageState = busyState('One moment', 'Reading the state of the device.');

/**
 * Returns the page after an event.
 * @param expect the number that is to be paired, digits alone; undefined for any
 */
export function stateAfter(event: PairingEvent, before: PageState, expect?: string): PageState {
  switch (event.kind) {
    case 'stopped': {
      const why = event.reason === undefined ? '' : `: ${reasonText(event.reason)}`;
      return busyState('The device is stopped', `Waiting for somebody to connect it${why}.`);
    }
    case 'starting':
      return busyState('Starting', 'Waiting for the code.');
    case 'reconnecting':
      return busyState('Paired, but offline', 'It reconnects by itself, so wait.');
    case 'code':
      return codeState(event);
    case 'unreadable':
      return busyState(
        "The code can't be shown",
        `The service sent a picture that can't be read: it ${sanitise(event.problem)}. ${fallbackHint}`,
      );
    case 'scanned':
      return busyState('Scanned, connecting', 'This takes a few seconds. Leave the phone unlocked.');
    case 'stalled':
      return busyState(
        'Scanned, but not connected yet',
        'Look at the phone: it may ask for a passkey or its screen lock, have no internet, or have four ' +
          'linked devices already.',
      );
    case 'unreachable': {
      const problem = `${sanitise(event.problem)} Trying again.`;
      // A read that failed takes no code away.
      return before.code ? { ...before, detail: problem } : busyState("The service doesn't answer", problem);
    }
    case 'renewing':
      return busyState(
        'Asking for new codes',
        event.pause > 0 ? `They come in about ${span(event.pause)}.` : 'They come at once.',
      );
    case 'connected': {
      const wrong = expect === undefined ? undefined : wrongNumber(expect, event.phoneNumber);
      if (wrong) return wrong;
      const who = event.phoneNumber === undefined ? '' : ` as ${sanitise(event.phoneNumber)}`;
      const check =
        event.phoneNumber === undefined || expect !== undefined
          ? ''
          : ' See whether that is the right number.';
      return endState('done', `Paired${who}`, `It took ${span(event.took)}.${check}`);
    }
    case 'failed':
      return endState('failed', 'Not paired', failedText(event));
    case 'timeout':
      return endState('failed', 'Not paired', `That didn't happen within ${span(event.after)}.`);
  }
}

/** Returns the last state of the page: how it ended, or that it was given up. */
export function finalState(state: PageState): PageState {
  const isDecided = state.tone === 'done' || state.tone === 'failed';
  const last = isDecided
    ? state
    : endState('failed', 'Not paired', 'botctl was left before a phone was paired.');
  return { ...last, detail: `${last.detail} You can close this page.`, ended: true };
}

/**
 * A state as a server-sent event. It carries the age of the code, since the browser's clock is another one.
 * @param now milliseconds since 1970
 */
export function messageOf({ code, ...words }: PageState, now: number): string {
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
  const { code, number, since, life, round } = event;
  const picture = drawPicture(code.payload);
  if (!picture) return busyState("The code can't be shown", `It is too long to draw. ${fallbackHint}`);
  const title = `Code ${number}${round > 1 ? `, round ${round}` : ''}`;
  return {
    tone: 'scan',
    headline: 'Scan this code',
    detail: 'Waiting for the phone.',
    code: { picture, title, since, life },
    ended: false,
  };
}

function busyState(headline: string, detail: string): PageState {
  return { tone: 'busy', headline, detail, code: undefined, ended: false };
}

function endState(tone: 'done' | 'failed', headline: string, detail: string): PageState {
  return { tone, headline, detail, code: undefined, ended: false };
}

/** Returns the end if another number was paired than expected, or none is shown; undefined if it is the right one. */
function wrongNumber(expected: string, shown: string | undefined): PageState | undefined {
  switch (compareNumbers(expected, shown)) {
    case 'other':
      return endState(
        'failed',
        'Another number was paired',
        `It is ${sanitise(shown ?? '')}, not +${expected}. Look at the terminal.`,
      );
    case 'unknown':
      return endState(
        'failed',
        'Paired, but with which number?',
        `The service doesn't show it, so it can't be compared with +${expected}. Look at the phone.`,
      );
    default:
      return undefined;
  }
}

/** Why the pairing failed, as a sentence. */
function failedText({ reason, because }: Extract<PairingEvent, { kind: 'failed' }>): string {
  switch (because) {
    case 'error':
      return sanitise(reason ?? "The service can't be asked any more.");
    case 'expired':
      return 'Every code has expired before a phone scanned one.';
    case 'no_code':
      return 'The service has shown no code.';
    default:
      return `The device is stopped${reason === undefined ? '' : `: ${reasonText(reason)}`}.`;
  }
}

function reasonText(reason: string): string {
  return sanitise(reasonInWords(reason));
}
