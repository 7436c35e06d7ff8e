import { Failure } from '../lib/errors.ts';
import type { Device } from '../resources/devices/device.ts';
import type { PairingEvent, ShownCode } from '../resources/devices/pairing/watch-pairing.ts';
import { expectation, pageLines, textOf } from './pairing-text.ts';
import type { PageAddress, PairingActions, PairingContext } from './pairing-view.ts';
import type { EventView } from './shown-rows.ts';

/** The places and actions that plain lines name beside the pairing. */
export interface PlainOptions {
  readonly actions: PairingActions;
  /** The number that is to be paired, as it is shown. */
  readonly expected?: string | undefined;
  /** The file that holds the current picture, if any. */
  readonly file: string | undefined;
  /** The web page that shows the code, if it is open. */
  readonly page: PageAddress | undefined;
}

/** Seconds before the end of a code at which they are told. */
const countdownSeconds = [60, 30, 10, 0] as const;

/**
 * Shows the pairing in lines that can be read aloud, one for each change: nothing is drawn, and no line that
 * stands there changes. A person types a letter and Enter.
 */
export function openPlainLines(
  context: PairingContext,
  device: Device,
  options: PlainOptions,
): EventView<PairingEvent> {
  return new PlainLines(context, device, options);
}

class PlainLines implements EventView<PairingEvent> {
  readonly #leave = new AbortController();
  #countdown: AbortController | undefined;
  #input = '';
  #kind: PairingEvent['kind'] | undefined;
  #code: ShownCode | undefined;

  constructor(
    readonly context: PairingContext,
    readonly device: Device,
    readonly options: PlainOptions,
  ) {
    const { label, team, bot } = device;
    const owners = [team !== undefined && `team ${team}`, bot !== undefined && `bot ${bot}`].filter(Boolean);
    const whose = owners.length > 0 ? `, of ${owners.join(' and ')}` : '';
    const [who] = expectation({ expected: options.expected });
    this.#say(`Pairing ${label}${whose}${who ? `, ${who.text}` : ''}.`);
    this.#say(
      'On the phone, open the messaging app, tap Linked devices, tap Link a device, and point the camera at the code.',
    );
    for (const line of this.#codeLocations()) this.#say(line);
    this.#say(this.#letters());
    const { stdin } = context.io;
    stdin.on('data', this.#read);
    // A question that was asked before left it paused.
    stdin.resume();
  }

  get signal(): AbortSignal {
    return this.#leave.signal;
  }

  /** Says where the code can be seen, as none is drawn here. */
  #codeLocations(): readonly string[] {
    const { file, page } = this.options;
    if (file === undefined && page === undefined)
      return ['No code is drawn here: a web page or a file can show it (--qr-web, --qr-file FILE).'];
    const lines: string[] = [];
    if (page !== undefined) lines.push(...pageLines(page));
    if (file !== undefined) lines.push(`The picture of the current code is in the file ${file}.`);
    return lines;
  }

  #letters(): string {
    const { page, file, renew } = this.options.actions;
    const letters = [
      page && this.options.page === undefined && 'w for a web page with the code',
      file && this.options.file === undefined && 'f for a file with its picture',
      renew && 'r for a new code',
      'q to leave',
    ].filter((letter) => typeof letter === 'string');
    return `Type a letter and Enter: ${letters.join(', ')}.`;
  }

  show(event: PairingEvent): void {
    if (event.kind !== 'unreachable') this.#countdown?.abort();
    this.#kind = event.kind;
    if (event.kind === 'code') {
      this.#say(codeLine(event, this.#code));
      this.#code = event;
      void this.#countDown(event);
      return;
    }
    if (event.kind === 'renewing') this.#code = undefined;
    // What is said goes through the terminal, which makes it safe.
    const { screen, spoken = [screen.join(' ')] } = textOf(event, event.at, (text) => text);
    for (const line of spoken) this.#say(line);
  }

  close(): void {
    this.#countdown?.abort();
    const { stdin } = this.context.io;
    stdin.off('data', this.#read);
    stdin.pause();
  }

  async #countDown({ since, life }: ShownCode): Promise<void> {
    if (life === undefined) return;
    this.#countdown = new AbortController();
    const { signal } = this.#countdown;
    const { clock } = this.context;
    try {
      for (const seconds of countdownSeconds) {
        const wait = since + life - seconds * 1000 - clock.now();
        // How long the code lives was told when it came.
        if (wait <= 0 && seconds > 0) continue;
        if (wait > 0) await clock.sleep(wait, signal);
        this.#say(
          seconds > 0
            ? `The code expires in about ${seconds} seconds.`
            : 'The code may have expired. A new one is due.',
        );
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  readonly #read = (chunk: Buffer | string): void => {
    this.#input += String(chunk);
    const lines = this.#input.split(/\r\n|\r|\n/);
    this.#input = lines.pop() ?? '';
    for (const line of lines) this.#press(line.trim().toLowerCase());
  };

  #press(letter: string): void {
    const { page, file, renew } = this.options.actions;
    if (letter === 'q') {
      this.#leave.abort(new Failure('declined', 'Left.'));
    } else if (letter === 'w' && page) {
      void this.#run(async () => pageLines(await page()));
    } else if (letter === 'f' && file) {
      void this.#run(async () => [`The picture of the current code is in the file ${await file()}.`]);
    } else if (letter === 'r' && renew) {
      void this.#run(async () => {
        if (this.#kind === 'scanned') return ['A phone has scanned the code. Wait until it is connected.'];
        // Without a code the device may be paired and offline, and a new code would end that.
        if (this.#kind === 'starting' || this.#kind === 'reconnecting')
          return ['There is no code to replace yet.'];
        renew();
        return [];
      });
    } else if (letter !== '') {
      this.#say(this.#letters());
    }
  }

  /** Runs an action and shows its failure. Any other error is a bug, which ends the pairing and is reported as one. */
  async #run(action: () => Promise<readonly string[]>): Promise<void> {
    try {
      for (const line of await action()) this.#say(line);
    } catch (error) {
      if (!(error instanceof Failure)) this.#leave.abort(error);
      else this.#say(error.message);
    }
  }

  #say(text: string): void {
    this.context.terminal.note(text);
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
