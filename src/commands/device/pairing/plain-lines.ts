import type { Context } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import type { Clock } from '../../../io.ts';
import type { Device } from '../device.ts';
import { reasonInWords } from '../state.ts';
import { typedAs } from '../words.ts';
import type { PairingActions } from './actions.ts';
import type { PairingEvent, ShownCode } from './events.ts';
import type { PairingView } from './view.ts';
import { likelyCauses } from './waiting-words.ts';

/** What plain lines need beside the terminal. */
export interface PlainOptions {
  readonly actions: PairingActions;
  /** The file that holds the current picture, where there is one. */
  readonly file: string | undefined;
  /** The address of the web page that shows the code, where it is open, and how to reach it. */
  readonly page: string | undefined;
}

/** Seconds before the end of a code at which they are told. */
const countdown = [60, 30, 10] as const;

/**
 * Tells the pairing in lines that can be read aloud, one for each change: nothing is drawn, and nothing that
 * stands there changes. What a person wants is typed as a letter and Enter.
 */
export function openPlainLines(
  place: Pick<Context, 'terminal' | 'clock' | 'io'>,
  device: Device,
  options: PlainOptions,
): PairingView {
  const lines = new PlainLines(place, device, options);
  lines.begin();
  return lines;
}

class PlainLines implements PairingView {
  readonly #place: Pick<Context, 'terminal' | 'clock' | 'io'>;
  readonly #device: Device;
  readonly #options: PlainOptions;
  readonly #leaving = new AbortController();
  #counting: AbortController | undefined;
  #typed = '';
  #kind: PairingEvent['kind'] | undefined;
  #code: ShownCode | undefined;

  constructor(place: Pick<Context, 'terminal' | 'clock' | 'io'>, device: Device, options: PlainOptions) {
    this.#place = place;
    this.#device = device;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  begin(): void {
    const { label, team, bot } = this.#device;
    const owners = [team !== undefined && `team ${team}`, bot !== undefined && `bot ${bot}`].filter(Boolean);
    this.#say(`Pairing ${label}${owners.length > 0 ? `, of ${owners.join(' and ')}` : ''}.`);
    this.#say(
      'On the phone, open the messaging app, tap Linked devices, tap Link a device, and point the camera at the code.',
    );
    for (const line of this.#places()) this.#say(line);
    this.#say(this.#letters());
    this.#place.io.stdin.on('data', this.#read);
  }

  /** Where the code is: no code is drawn here. */
  #places(): readonly string[] {
    const { file, page } = this.#options;
    if (file === undefined && page === undefined)
      return ['No code is drawn here: a web page or a file can show it (--qr-web, --qr-file FILE).'];
    const lines: string[] = [];
    if (page !== undefined) lines.push(...pageLines(page));
    if (file !== undefined) lines.push(`The picture of the current code is in the file ${file}.`);
    return lines;
  }

  #letters(): string {
    const { page, file, renew } = this.#options.actions;
    const letters = [
      page && this.#options.page === undefined && 'w for a web page with the code',
      file && this.#options.file === undefined && 'f for a file with its picture',
      renew && 'r for a new code',
      'q to leave',
    ].filter((letter) => typeof letter === 'string');
    return `Type a letter and Enter: ${letters.join(', ')}.`;
  }

  async show(event: PairingEvent): Promise<void> {
    if (event.kind !== 'unreachable') this.#counting?.abort();
    this.#kind = event.kind;
    for (const line of linesOf(event, this.#code)) this.#say(line);
    if (event.kind === 'code') {
      this.#code = event;
      void this.#count(event);
    } else if (event.kind === 'renewing') this.#code = undefined;
  }

  close(): void {
    this.#counting?.abort();
    const { stdin } = this.#place.io;
    stdin.off('data', this.#read);
    stdin.pause();
  }

  async #count({ since, life }: ShownCode): Promise<void> {
    if (life === undefined) return;
    this.#counting = new AbortController();
    const { signal } = this.#counting;
    const { clock } = this.#place;
    try {
      for (const mark of countdown) {
        const wait = since + life - mark * 1000 - clock.now();
        // What the code begins with was told with it.
        if (wait <= 0) continue;
        await clock.sleep(wait, signal);
        this.#say(`The code expires in about ${mark} seconds.`);
      }
      await sleepUntil(since + life, clock, signal);
      this.#say('The code may have expired. A new one is due.');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  readonly #read = (chunk: Buffer | string): void => {
    this.#typed += String(chunk);
    const lines = this.#typed.split(/\r\n|\r|\n/);
    this.#typed = lines.pop() ?? '';
    for (const line of lines) this.#press(line.trim().toLowerCase());
  };

  #press(letter: string): void {
    const { page, file, renew } = this.#options.actions;
    if (letter === 'q') {
      const hint = `Look at it again: botctl device status ${typedAs(this.#device)} --watch`;
      this.#leaving.abort(new Failure('declined', 'Left. The device stays as it is.', { hint }));
    } else if (letter === 'w' && page) {
      void this.#run(async () => pageLines(await page()));
    } else if (letter === 'f' && file) {
      void this.#run(async () => [`The picture of the current code is in the file ${await file()}.`]);
    } else if (letter === 'r' && renew) {
      void this.#run(async () => {
        if (this.#kind === 'scanned') return ['A phone has scanned the code. Wait until it is connected.'];
        // Without a code the device may be paired and offline, and a new one would end that.
        if (this.#kind === 'connecting') return ['There is no code to replace yet.'];
        renew();
        return [];
      });
    } else if (letter !== '') {
      this.#say(this.#letters());
    }
  }

  /** What is no failure but a bug ends the pairing, and is told as one. */
  async #run(action: () => Promise<readonly string[]>): Promise<void> {
    try {
      for (const line of await action()) this.#say(line);
    } catch (error) {
      if (!(error instanceof Failure)) this.#leaving.abort(error);
      else this.#say(error.message);
    }
  }

  #say(text: string): void {
    this.#place.terminal.note(text);
  }
}

async function sleepUntil(moment: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const wait = moment - clock.now();
  if (wait > 0) await clock.sleep(wait, signal);
}

/** @param page its address, and the command that makes it reachable from another machine */
function pageLines(page: string): readonly string[] {
  const [url = '', sshLine] = page.split('\n');
  const lines = [`The page with the code: ${url}`];
  if (sshLine !== undefined) lines.push(`To open it on another machine, run there: ${sshLine}`);
  return lines;
}

/** An event in words that can be spoken. How it ended is told by the command. */
function linesOf(event: PairingEvent, before: ShownCode | undefined): readonly string[] {
  switch (event.kind) {
    case 'stopped':
      return [
        `The device is stopped${event.reason === undefined ? '' : `: ${reasonInWords(event.reason)}`}. Waiting for somebody to connect it.`,
      ];
    case 'connecting':
      return [
        event.isPaired
          ? 'Paired, but offline. It reconnects by itself, so wait.'
          : 'Connecting. Waiting for the code.',
      ];
    case 'code':
      return [codeLine(event, before)];
    case 'unreadable':
      return [`The service sent a picture that can't be read: it ${event.problem}.`];
    case 'scanned':
      return ['Scanned, connecting. This takes a few seconds.'];
    case 'stalled':
      return ['Scanned, and still not connected.', ...likelyCauses];
    case 'unreachable':
      return [`${event.problem} Trying again.`];
    case 'renewing':
      return [renewingLine(event)];
    default:
      return [];
  }
}

function codeLine(
  { number, round, since, life, at, code }: CodeEvent,
  before: ShownCode | undefined,
): string {
  if (before?.code.fingerprint === code.fingerprint) return `Code ${number} is still there.`;
  const first = round > 1 ? `Code ${number} of round ${round} is there.` : `Code ${number} is there.`;
  const whose = before ? `A new code, number ${number}, takes its place.` : first;
  const left = life === undefined ? 0 : Math.round((since + life - at) / 1000);
  return left > 0 ? `${whose} It expires in about ${left} seconds.` : whose;
}

type CodeEvent = Extract<PairingEvent, { kind: 'code' }>;

function renewingLine({ round, pause }: Extract<PairingEvent, { kind: 'renewing' }>): string {
  const seconds = Math.round(pause / 1000);
  const when = seconds > 0 ? `in ${seconds} seconds` : 'now';
  return `The last code is not to be scanned any more. Round ${round}, with new codes, begins ${when}.`;
}
