import { createInterface, type Interface } from 'node:readline';
import { Failure } from '../lib/errors.ts';
import type { Device } from '../resources/devices/device.ts';
import { commandText } from '../resources/devices/other-agents.ts';
import type { PairingEvent, ShownCode } from '../resources/devices/pairing/watch-pairing.ts';
import type { EventView, PairingView, ViewContext } from './event-view.ts';
import { type CodeEvent, pageLines, sentencesOf, sharedCodeWords, wordsOf } from './words.ts';

/** Seconds before the end of a code at which they are announced. */
const countdownSeconds = [60, 30, 10, 0] as const;

/**
 * Shows the pairing in lines for reading aloud, one for each change: nothing is drawn, and no
 * line changes later. A user types a letter and Enter. All output goes through the terminal, which sanitises it.
 */
export class PlainLines implements EventView<PairingEvent> {
  readonly #leave = new AbortController();
  #countdown: AbortController | undefined;
  readonly #typed: Interface;
  #kind: PairingEvent['kind'] | undefined;
  #code: ShownCode | undefined;
  /** The code whose replacement was requested once, although another person may be scanning it. */
  #renewConfirmedFor: ShownCode | undefined;

  constructor(
    readonly context: ViewContext,
    { label, team, bot }: Device,
    readonly options: PairingView,
  ) {
    const { expected, page, file } = options;
    const owners = [team !== undefined && `team ${team}`, bot !== undefined && `bot ${bot}`].filter(Boolean);
    const whose = owners.length > 0 ? `, of ${owners.join(' and ')}` : '';
    this.#say(
      `Pairing ${label}${whose}${expected === undefined ? '' : `, for ${expected}`}.`,
      'On the phone, open the messaging app, tap Linked devices, tap Link a device, and point the camera at the code.',
    );
    if (page !== undefined) this.#say(...pageLines(page));
    if (file !== undefined) this.#say(inFile(file));
    if (page === undefined && file === undefined)
      this.#say('The code is not drawn here. To see it, use --qr-web or --qr-file FILE.');
    this.#say(this.#letters());
    this.#typed = createInterface({ input: context.io.stdin, terminal: false });
    this.#typed.on('line', (line) => void this.#press(line.trim().toLowerCase()));
  }

  get signal(): AbortSignal {
    return this.#leave.signal;
  }

  #letters(): string {
    const { page, file, actions } = this.options;
    const letters = [
      page === undefined && 'w for a web page with the code',
      file === undefined && 'f for a file with its picture',
      actions.renew && 'r for a new code',
      'q to leave',
    ].filter((letter) => typeof letter === 'string');
    return `Type a letter and Enter: ${letters.join(', ')}.`;
  }

  show(event: PairingEvent): void {
    // A failed read doesn't change the device.
    if (event.kind !== 'unreachable') {
      this.#countdown?.abort();
      this.#kind = event.kind;
    }
    switch (event.kind) {
      case 'code':
        if (event.restartedBy) this.#say(`${commandText(event.restartedBy, event.at)}.`);
        this.#say(codeLine(event, this.#code));
        this.#code = event;
        void this.#countDown(event);
        return;
      // The command reports the end itself.
      case 'connected':
      case 'failed':
      case 'timeout':
        return;
      case 'renewing':
        this.#code = undefined;
    }
    const words = wordsOf(event, event.at, (text) => text);
    if (event.kind === 'stalled' || event.kind === 'scan_failed') this.#say(...sentencesOf(words));
    else this.#say(sentencesOf(words).join(' '));
  }

  close(): void {
    this.#countdown?.abort();
    this.#typed.close();
  }

  async #countDown({ since, life }: ShownCode): Promise<void> {
    if (life === undefined) return;
    this.#countdown = new AbortController();
    const { signal } = this.#countdown;
    const { clock } = this.context;
    try {
      for (const seconds of countdownSeconds) {
        const wait = since + life - seconds * 1000 - clock.now();
        // The lifetime of the code was announced when it appeared.
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

  /**
   * Runs the action of a letter, and shows its failure. Any other error is a bug, which ends the pairing and is reported as one.
   */
  async #press(letter: string): Promise<void> {
    const { page, file, renew } = this.options.actions;
    try {
      if (letter === 'q') this.#leave.abort(new Failure('declined', 'Left.'));
      else if (letter === 'w') this.#say(...pageLines(await page()));
      else if (letter === 'f') this.#say(inFile(await file()));
      else if (letter === 'r' && renew) this.#renew(renew);
      else if (letter !== '') this.#say(this.#letters());
    } catch (error) {
      if (error instanceof Failure) this.#say(error.message);
      else this.#leave.abort(error);
    }
  }

  #renew(renew: () => void): void {
    if (this.#kind === 'scanned') this.#say('A phone has scanned the code. Wait until it is connected.');
    // Without a code the device may be paired and offline, and a new code would end that.
    else if (this.#kind === undefined || this.#kind === 'starting' || this.#kind === 'reconnecting')
      this.#say('There is no code to replace yet.');
    else {
      const code = this.#code;
      const other = this.options.others?.();
      if (code && other && this.#renewConfirmedFor !== code) {
        this.#renewConfirmedFor = code;
        const why = sharedCodeWords(other, (text) => text);
        this.#say(`${why} Type r again to replace it.`);
      } else renew();
    }
  }

  #say(...lines: readonly string[]): void {
    for (const line of lines) this.context.terminal.note(line);
  }
}

function inFile(path: string): string {
  return `The picture of the current code is in the file ${path}.`;
}

function codeLine(
  { number, round, since, life, at, code }: CodeEvent,
  before: ShownCode | undefined,
): string {
  if (before?.code.fingerprint === code.fingerprint) return `Code ${number} is still valid.`;
  const first = round > 1 ? `Code ${number} of round ${round} is ready.` : `Code ${number} is ready.`;
  const whose = before ? `Code ${number} replaces it.` : first;
  const left = life === undefined ? 0 : Math.round((since + life - at) / 1000);
  return left > 0 ? `${whose} It expires in about ${left} seconds.` : whose;
}
