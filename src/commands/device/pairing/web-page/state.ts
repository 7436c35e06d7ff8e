import { sanitise } from '../../../../terminal/sanitise.ts';
import { reasonInWords } from '../../state.ts';
import { span } from '../../words.ts';
import type { PairingEvent } from '../events.ts';
import { compareNumbers } from '../expected-number.ts';
import { type CodePicture, drawPicture } from './code-picture.ts';

/** What the page looks like: something is asked of the person, botctl is busy, it went well, or it didn't. */
export type Tone = 'scan' | 'busy' | 'done' | 'failed';

/** What the page says. */
export interface PageState {
  readonly tone: Tone;
  /** A few words. */
  readonly headline: string;
  /** A sentence or two. */
  readonly detail: string;
  readonly code: PageCode | undefined;
  /** Whether nothing follows. */
  readonly ended: boolean;
}

/** A code as the page shows it. */
export interface PageCode {
  readonly picture: CodePicture;
  /** `Code 2`, as the page counts them. */
  readonly title: string;
  /** When it was first seen, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds that it probably lives, where that is known. */
  readonly life: number | undefined;
}

/** What is left where we can't draw it. */
const pictureWay = 'Keep the picture with --qr-file, and scan it in a viewer.';

/** What the page says before anything happened. */
export const firstState: PageState = busy('One moment', 'Reading the state of the device.');

/**
 * What the page says after an event.
 * @param expect the number that is to be paired, digits alone; any where not given
 */
export function stateAfter(event: PairingEvent, before: PageState, expect?: string): PageState {
  switch (event.kind) {
    case 'stopped': {
      const why = event.reason === undefined ? '' : `: ${reasonText(event.reason)}`;
      return busy('The device is stopped', `Waiting for somebody to connect it${why}.`);
    }
    case 'connecting':
      return event.isPaired
        ? busy('Paired, but offline', 'It reconnects by itself, so wait.')
        : busy('Connecting', 'Waiting for the code.');
    case 'code':
      return withCode(event);
    case 'unreadable':
      return busy(
        "The code can't be shown",
        `The service sent a picture that can't be read: it ${sanitise(event.problem)}. ${pictureWay}`,
      );
    case 'scanned':
      return busy('Scanned, connecting', 'This takes a few seconds. Leave the phone unlocked.');
    case 'stalled':
      return busy(
        'Scanned, but not connected yet',
        'Look at the phone: it may ask for a passkey or its screen lock, have no internet, or have four ' +
          'linked devices already.',
      );
    case 'unreachable': {
      const problem = `${sanitise(event.problem)} Trying again.`;
      // A read that failed takes no code away.
      return before.code ? { ...before, detail: problem } : busy("The service doesn't answer", problem);
    }
    case 'renewing':
      return busy(
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
      return ending('done', `Paired${who}`, `It took ${span(event.took)}.${check}`);
    }
    case 'lost':
      return ending('failed', 'Not paired', lostText(event));
    case 'timeout':
      return ending('failed', 'Not paired', `That didn't happen within ${span(event.after)}.`);
  }
}

/** What the page says last: how it ended, or that it was given up. */
export function endOf(state: PageState): PageState {
  const isDecided = state.tone === 'done' || state.tone === 'failed';
  const last = isDecided
    ? state
    : ending('failed', 'Not paired', 'botctl was left before a phone was paired.');
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

function withCode(event: Extract<PairingEvent, { kind: 'code' }>): PageState {
  const { code, number, since, life, round } = event;
  const picture = drawPicture(code.payload);
  if (!picture) return busy("The code can't be shown", `It holds too much to be drawn anew. ${pictureWay}`);
  const title = `Code ${number}${round > 1 ? `, round ${round}` : ''}`;
  return {
    tone: 'scan',
    headline: 'Scan this code',
    detail: 'Waiting for the phone.',
    code: { picture, title, since, life },
    ended: false,
  };
}

function busy(headline: string, detail: string): PageState {
  return { tone: 'busy', headline, detail, code: undefined, ended: false };
}

function ending(tone: 'done' | 'failed', headline: string, detail: string): PageState {
  return { tone, headline, detail, code: undefined, ended: false };
}

/** How it ended where another number was paired than expected, or none is shown; undefined where it is the right one. */
function wrongNumber(expected: string, shown: string | undefined): PageState | undefined {
  switch (compareNumbers(expected, shown)) {
    case 'other':
      return ending(
        'failed',
        'Another number was paired',
        `It is ${sanitise(shown ?? '')}, not +${expected}. Look at the terminal.`,
      );
    case 'unknown':
      return ending(
        'failed',
        'Paired, but with which number?',
        `The service doesn't show it, so it can't be compared with +${expected}. Look at the phone.`,
      );
    default:
      return undefined;
  }
}

/** Why there is no use in waiting any longer, as a sentence. */
function lostText({ reason, because }: Extract<PairingEvent, { kind: 'lost' }>): string {
  switch (because) {
    case 'failed':
      return sanitise(reason ?? "The service can't be asked any more.");
    case 'expired':
      return 'Every code has expired before a phone scanned one.';
    case 'noCode':
      return 'The service has shown no code.';
    default:
      return `The device is stopped${reason === undefined ? '' : `: ${reasonText(reason)}`}.`;
  }
}

function reasonText(reason: string): string {
  return sanitise(reasonInWords(reason));
}
