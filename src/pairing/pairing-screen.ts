import { Failure } from '../lib/errors.ts';
import type { Matrix } from '../qr/matrix.ts';
import { roomsOn } from '../qr/screen-rooms.ts';
import type { Device } from '../resources/devices/device.ts';
import type { PairingEvent, ShownCode } from '../resources/devices/pairing/watch-pairing.ts';
import { loadPaint, type Paint } from '../terminal/colour.ts';
import type { Screen } from '../terminal/full-screen.ts';
import type { Key } from '../terminal/input-reader.ts';
import { LiveScreen } from '../terminal/live-screen.ts';
import { type Answers, askTerminal, type Question } from '../terminal/query.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { drawsSextants, drawsSextantsAs, isMultiplexed } from '../terminal/sextants.ts';
import { loadWideRuler, type Ruler } from '../terminal/width.ts';
import { type CopyableText, failedScanLines, isStale, type Message, type Waiting } from './pairing-text.ts';
import type { DrawingOptions, PageAddress, PairingActions, PairingContext } from './pairing-view.ts';
import {
  allRenderers,
  automaticRenderers,
  type Capabilities,
  fittingRenderers,
  matrixOf,
  type QrRenderer,
} from './qr-renderers.ts';
import type { EventView } from './shown-rows.ts';
import { drawWaiting } from './waiting-screen.ts';

/** The places and actions that the screen shows beside the pairing, and the way of drawing. */
export interface ScreenOptions {
  readonly drawing: DrawingOptions;
  readonly actions: PairingActions;
  /** The number that is to be paired, as it is shown. */
  readonly expected?: string | undefined;
  /** The file that holds the current picture, if any. */
  readonly file: string | undefined;
  /** The web page that shows the code, if it is open. */
  readonly page?: PageAddress | undefined;
  /** Why there is no page, if one was asked for from the start. */
  readonly problem?: string | undefined;
}

/** Opens the screen. It is drawn again at each event and each key too. */
export async function openPairingScreen(
  context: PairingContext,
  device: Device,
  options: ScreenOptions,
): Promise<EventView<PairingEvent>> {
  const { terminal } = context;
  const [paint, ruler] = await Promise.all([loadPaint(terminal.colorLevel), loadWideRuler()]);
  const screen = terminal.openScreen();
  const view = new PairingScreen(screen, context, device, options, paint, ruler);
  const questions = questionsFor(context, options.drawing);
  view.useAnswers(await askTerminal(screen, questions, (late) => view.useAnswers(late)));
  return view;
}

/** Returns what has to be known of the terminal, and isn't by its environment. */
function questionsFor(context: PairingContext, { style, invert }: DrawingOptions): readonly Question[] {
  const { terminal, io } = context;
  const isPlain = terminal.colorLevel === 0 || style === 'plain';
  const questions: Question[] = [];
  // A multiplexer answers for itself, and not for the terminal around it.
  if (!terminal.unicode && !isMultiplexed(io.env)) questions.push('utf8');
  if (style === 'auto' && drawsSextants(io.env) === undefined) questions.push('name');
  if (isPlain && !invert) questions.push('background');
  return questions;
}

/** A key that does something at the moment. */
interface PairingKey {
  readonly key: Key;
  /** Its effect, in a word or two. */
  readonly label: string;
  press(): void;
}

/** An address or a path that a key brought, and that a person may want to copy. */
interface CopyableEntry {
  readonly key: EntryKey;
  readonly texts: readonly CopyableText[];
}

type EntryKey = keyof typeof entryKeys;

/** The keys that bring something to copy, and hide it again when they are pressed once more. */
const entryKeys = {
  w: { label: 'web page', hideLabel: 'hide address', progress: 'Opening the page ...' },
  f: { label: 'file', hideLabel: 'hide path', progress: 'Saving the picture ...' },
} as const;

class PairingScreen extends LiveScreen implements EventView<PairingEvent> {
  #answers: Answers = { name: undefined, background: undefined };
  #event: PairingEvent | undefined;
  #code: ShownCode | undefined;
  #matrix: Matrix | undefined;
  /** The way of drawing that was chosen with a key. */
  #chosenRenderer: QrRenderer | undefined;
  #message: Message | undefined;
  /** Addresses and paths that were asked for, the newest first. They stay, where there is room. */
  #copyable: readonly CopyableEntry[] = [];
  /** The key whose answer is to be seen, even if the code has no room beside it. */
  #pinnedKey: EntryKey | undefined;
  #isBusy = false;
  /** The code that a new one was asked for, once: the second time it is replaced. */
  #renewConfirmedFor: ShownCode | undefined;

  constructor(
    screen: Screen,
    readonly context: PairingContext,
    readonly device: Device,
    readonly options: ScreenOptions,
    readonly paint: Paint,
    readonly ruler: Ruler,
  ) {
    super(screen, context.clock);
    if (options.page !== undefined) this.#pin(pageEntry(options.page));
    else if (options.problem !== undefined) this.#message = { text: options.problem, tone: 'bad' };
    this.draw();
  }

  show(event: PairingEvent): void {
    this.#event = event;
    if (this.#message?.isTransient) this.#message = undefined;
    this.#renewConfirmedFor = undefined;
    this.#updateCode(event);
    this.draw();
  }

  /** Takes in what the terminal said of itself. */
  useAnswers(answers: Answers): void {
    this.#answers = answers;
    const { colorLevel, unicode } = this.#capabilities;
    const isPlain = colorLevel === 0 && unicode && !this.options.drawing.invert;
    // Then it isn't known whether it is the right way round.
    if (isPlain && answers.background === undefined) {
      const text = "If the camera doesn't read it, press s: light and dark are exchanged.";
      this.#message ??= { text, isAboutDrawing: true };
    }
    this.draw();
  }

  get #capabilities(): Capabilities {
    const { terminal, io } = this.context;
    const { background, utf8 } = this.#answers;
    const unicode = terminal.unicode || utf8 === true;
    // Where nobody knows they are drawn all the same, if nothing else has room.
    const sextants = drawsSextants(io.env) !== false;
    return { colorLevel: terminal.colorLevel, unicode, mayUnicode: utf8 !== false, sextants, background };
  }

  /** A read that failed takes no code away; anything else that happens does. */
  #updateCode(event: PairingEvent): void {
    if (event.kind === 'unreachable') return;
    const code = event.kind === 'code' ? event : undefined;
    if (!code) this.#matrix = undefined;
    else if (code.code.fingerprint !== this.#code?.code.fingerprint)
      this.#matrix = matrixOf(code.code.payload);
    this.#code = code;
  }

  protected lines(): readonly string[] {
    const { screen, paint, ruler } = this;
    const renderers = this.#renderers();
    const all = allRenderers(renderers, this.#capabilities);
    return drawWaiting(this.#waiting(), this.#matrix, screen, { paint, ruler, renderers, allRenderers: all });
  }

  #waiting(): Waiting {
    const { label: device, team, bot } = this.device;
    return {
      device,
      team,
      bot,
      expected: this.options.expected,
      event: this.#event,
      code: this.#code,
      now: this.context.clock.now(),
      file: this.options.file,
      message: this.#currentMessage(),
      copyable: this.#copyable.flatMap(({ texts }) => texts),
      pinnedKey: this.#pinnedKey,
      keys: new Map(this.#keys().map(({ key, label }) => [key, label])),
    };
  }

  #currentMessage(): Message | undefined {
    if (this.remark !== undefined) return { text: this.remark, tone: 'warning' };
    const failed = this.#code?.failedScan;
    if (this.#message) return this.#message.isAboutDrawing && !this.#isDrawn() ? undefined : this.#message;
    if (failed) return { text: failedScanLines(failed, sanitise).join(' '), tone: 'bad' };
    return this.#doubt();
  }

  /** Returns what to do about boxes in place of a code that was drawn finely on a terminal which may not be able to. */
  #doubt(): Message | undefined {
    const { name } = this.#answers;
    const isSure = drawsSextants(this.context.io.env) ?? (name !== undefined && drawsSextantsAs(name));
    const [drawn] = this.#fitting(this.#renderers());
    const isAsked = this.#chosenRenderer !== undefined || this.options.drawing.style === 'sextant';
    if (isSure || isAsked || !drawn?.isFine) return undefined;
    return {
      text: `If you see boxes, or the camera doesn't read it, ${this.#scanAdvice()}.`,
      isAboutDrawing: true,
    };
  }

  #renderers(): readonly QrRenderer[] {
    const automatic = automaticRenderers(this.#capabilities, this.options.drawing);
    return this.#chosenRenderer ? [this.#chosenRenderer, ...automatic] : automatic;
  }

  /** Returns those of the renderers that have room on the screen for the code, none if there is no code. */
  #fitting(renderers: readonly QrRenderer[]): readonly QrRenderer[] {
    return this.#matrix ? fittingRenderers(this.#matrix, renderers, roomsOn(this.screen)) : [];
  }

  #isDrawn(): boolean {
    return this.#fitting(this.#renderers()).length > 0;
  }

  /** Returns what the keys do at the moment, in the order in which they are shown. */
  #keys(): readonly PairingKey[] {
    const { page, file, renew } = this.options.actions;
    const kind = this.#event?.kind;
    const isScanned = kind === 'scanned' || kind === 'stalled';
    const isPaired = kind === 'reconnecting';
    const hasPicture = this.#code !== undefined || kind === 'unreadable';
    const next = this.#nextRenderer();
    const keys: PairingKey[] = [];
    if (next) {
      const label = this.#isDrawn() ? 'style' : 'smaller';
      keys.push({ key: 's', label, press: () => this.#choose(next.renderer) });
    }
    keys.push(
      ...this.#entryKey('w', page && !isScanned && !isPaired && (async () => pageEntry(await page()))),
      ...this.#entryKey('f', file && hasPicture && (async () => fileEntry(await file()))),
    );
    if (renew && (hasPicture || kind === 'stalled'))
      keys.push({ key: 'r', label: 'new code', press: () => this.#renew(renew) });
    const left = new Failure('declined', 'Left.');
    return [...keys, { key: 'q', label: 'leave', press: () => this.leave(left) }];
  }

  #entryKey(key: EntryKey, open: (() => Promise<CopyableEntry>) | false | undefined): readonly PairingKey[] {
    const { label, hideLabel, progress } = entryKeys[key];
    if (this.#shows(key)) return [{ key, label: hideLabel, press: () => this.#hide(key) }];
    return open ? [{ key, label, press: () => void this.#run(progress, open) }] : [];
  }

  protected press(pressed: Key): void {
    this.#keys()
      .find(({ key }) => key === pressed)
      ?.press();
  }

  /**
   * Returns the next way of drawing that fits, or undefined if there is no other. If none is taken by itself, not
   * drawing at all is one of them.
   */
  #nextRenderer(): { readonly renderer: QrRenderer | undefined } | undefined {
    const automatic = automaticRenderers(this.#capabilities, this.options.drawing);
    const none: readonly undefined[] = this.#fitting(automatic).length > 0 ? [] : [undefined];
    const all = [...none, ...this.#fitting(allRenderers(automatic, this.#capabilities))];
    const [drawn] = this.#fitting(this.#renderers());
    const at = all.findIndex((renderer) => renderer?.label === drawn?.label);
    return all.length > 1 ? { renderer: all[(at + 1) % all.length] } : undefined;
  }

  #choose(renderer: QrRenderer | undefined): void {
    this.#chosenRenderer = renderer;
    this.#pinnedKey = undefined;
    const text = `Drawn in ${renderer?.label}. If the camera doesn't read it, ${this.#scanAdvice()}.`;
    this.#setMessage(renderer && { text, isAboutDrawing: true });
  }

  /** Returns the way out if the camera doesn't read what is drawn: another drawing, or another place. */
  #scanAdvice(): string {
    if (this.#nextRenderer()?.renderer) return 'press s again';
    if (this.#shows('w')) return 'scan it on the web page';
    const keys = this.#keys().map(({ key }) => key);
    if (keys.includes('w')) return 'press w for a web page';
    return keys.includes('f') && !this.#shows('f') ? 'press f for a picture' : 'enlarge the window';
  }

  #shows(key: EntryKey): boolean {
    return this.#copyable.some((entry) => entry.key === key);
  }

  #pin(entry: CopyableEntry): void {
    this.#copyable = [entry, ...this.#copyable.filter(({ key }) => key !== entry.key)];
    this.#pinnedKey = entry.key;
  }

  #hide(hidden: EntryKey): void {
    this.#copyable = this.#copyable.filter(({ key }) => key !== hidden);
    this.#pinnedKey = undefined;
    this.#setMessage(undefined);
  }

  /** Runs one action at a time: what a key started is shown first. */
  async #run(progress: string, action: () => Promise<CopyableEntry>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#setMessage({ text: progress });
    try {
      this.#pin(await action());
      this.#setMessage(undefined);
    } catch (error) {
      this.#showFailure(error);
    } finally {
      this.#isBusy = false;
    }
  }

  #renew(renew: () => void): void {
    const code = this.#code;
    if (code && !isStale(code, this.context.clock.now()) && this.#renewConfirmedFor !== code) {
      this.#renewConfirmedFor = code;
      this.#setMessage({
        text: 'This code is still good. Press r again to replace it.',
        isTransient: true,
      });
      return;
    }
    this.#setMessage({ text: 'Asking for a new code ...', isTransient: true });
    try {
      renew();
    } catch (error) {
      this.#showFailure(error);
    }
  }

  /** Shows a failure. Any other error is a bug, which ends the pairing and is reported as one. */
  #showFailure(error: unknown): void {
    if (error instanceof Failure) this.#setMessage({ text: error.message, tone: 'bad' });
    else this.leave(error);
  }

  #setMessage(message: Message | undefined): void {
    this.#message = message;
    this.draw();
  }
}

function pageEntry({ url, sshLine }: PageAddress): CopyableEntry {
  const ssh = { label: 'From another machine, first run there:', text: sshLine, isOptional: true };
  return { key: 'w', texts: [{ label: 'The page:', text: url }, ssh] };
}

function fileEntry(path: string): CopyableEntry {
  return { key: 'f', texts: [{ label: 'The picture:', text: path }] };
}
