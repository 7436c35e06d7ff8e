import { Failure } from '../lib/errors.ts';
import type { Matrix } from '../qr/matrix.ts';
import type { CodeStyle, Room } from '../qr/styles.ts';
import type { Device } from '../resources/devices/device.ts';
import { commandText } from '../resources/devices/other-agents.ts';
import type { PairingEvent, ShownCode } from '../resources/devices/pairing/watch-pairing.ts';
import { loadPaint } from '../terminal/colour.ts';
import type { Screen } from '../terminal/full-screen.ts';
import type { Key } from '../terminal/input-reader.ts';
import { LiveScreen } from '../terminal/live-screen.ts';
import { type Answers, askTerminal, type Question } from '../terminal/query.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { drawsSextants, isMultiplexed } from '../terminal/sextants.ts';
import { loadWideRuler } from '../terminal/width.ts';
import {
  allRenderers,
  automaticRenderers,
  type Capabilities,
  fittingRenderers,
  matrixOf,
  type PlacedCode,
  placeCode,
  type Renderer,
  sizeInWords,
  smallestWindow,
} from './code-drawing.ts';
import type { EventView, PairingView, ViewContext } from './event-view.ts';
import { type Entry, entryLines, layOut, type ScreenText, type TextLine, type TextTools } from './layouts.ts';
import {
  codeInWords,
  failedScanWords,
  isStale,
  type PageAddress,
  sentencesOf,
  sharedCodeWords,
  wordsOf,
} from './words.ts';

/** Opens the screen. It is redrawn at each event and each key. */
export async function openPairingScreen(
  context: ViewContext,
  device: Device,
  options: PairingView & { readonly style: CodeStyle },
): Promise<EventView<PairingEvent>> {
  const { terminal, io } = context;
  const [paint, ruler] = await Promise.all([loadPaint(terminal.colorLevel), loadWideRuler()]);
  const screen = terminal.openScreen();
  const view = new PairingScreen(screen, context, device, options, { paint, ruler });
  const questions: readonly (Question | false)[] = [
    // A multiplexer answers for itself, not for the outer terminal.
    !terminal.unicode && !isMultiplexed(io.env) && 'utf8',
    (terminal.colorLevel === 0 || options.style === 'plain') && 'background',
  ];
  const asked = questions.filter((question) => question !== false);
  view.useAnswers(await askTerminal(screen, asked, (late) => view.useAnswers(late)));
  return view;
}

/** A message on the screen, usually in response to a key. */
interface Message extends TextLine {
  /** True if the next event removes it. */
  readonly isTransient?: boolean;
  /** True if it only matters while a code is drawn. */
  readonly isAboutDrawing?: boolean;
}

/** A key that currently has an effect. */
interface PairingKey {
  readonly key: Key;
  /** Its effect, in a word or two. */
  readonly label: string;
  press(): void;
}

/** The keys that add something to copy. */
const entryKeys = {
  w: { label: 'web page', again: 'address', progress: 'Opening the page ...' },
  f: { label: 'file', again: 'path', progress: 'Saving the picture ...' },
} as const;

type EntryKey = keyof typeof entryKeys;

/** Whether the code and the entries are drawn: both, or one of them if there isn't room for both. */
interface Picture {
  readonly placed: PlacedCode | undefined;
  readonly entries: readonly Entry[];
  /** True if the entries replace a code that would have room without them. */
  readonly replacesCode: boolean;
}

class PairingScreen extends LiveScreen implements EventView<PairingEvent> {
  #answers: Answers = { background: undefined };
  #event: PairingEvent | undefined;
  #code: ShownCode | undefined;
  /** True if there is a picture that a file can contain, of a code or of something unreadable. */
  #hasPicture = false;
  #matrix: Matrix | undefined;
  /** The renderer that the user chose with a key. */
  #chosen: Renderer | undefined;
  #message: Message | undefined;
  /** The addresses and paths that keys added. They stay if there is room. */
  readonly #entries = new Map<EntryKey, readonly Entry[]>();
  /** True to show them even if there is no room for the code beside them. */
  #isPinned = false;
  #isBusy = false;
  /** The code whose replacement was requested once: the second request replaces it. */
  #renewConfirmedFor: ShownCode | undefined;

  constructor(
    screen: Screen,
    readonly context: ViewContext,
    readonly device: Device,
    readonly options: PairingView & { readonly style: CodeStyle },
    readonly tools: TextTools,
  ) {
    super(screen, context.clock);
    if (options.page !== undefined) this.#keep('w', pageEntries(options.page));
    this.draw();
  }

  show(event: PairingEvent): void {
    this.#event = event;
    if (this.#message?.isTransient) this.#message = undefined;
    this.#renewConfirmedFor = undefined;
    this.#updateCode(event);
    this.draw();
  }

  /** Applies the answers of the terminal. */
  useAnswers(answers: Answers): void {
    this.#answers = answers;
    const { colorLevel, unicode } = this.#capabilities;
    // Then the colours may be inverted.
    if (colorLevel === 0 && unicode && answers.background === undefined) {
      const text = "If the phone can't read it, press s: light and dark are exchanged.";
      this.#message ??= { text, isAboutDrawing: true };
    }
    this.draw();
  }

  get #capabilities(): Capabilities {
    const { terminal, io } = this.context;
    const { background, utf8 } = this.#answers;
    const unicode = terminal.unicode || utf8 === true;
    // If that is unknown, they are drawn only if no other renderer fits.
    const sextants = drawsSextants(io.env) !== false;
    return {
      colorLevel: terminal.colorLevel,
      unicode,
      mightShowUnicode: utf8 !== false,
      sextants,
      background,
    };
  }

  /** A failed read leaves the code; any other event removes it. */
  #updateCode(event: PairingEvent): void {
    if (event.kind === 'unreachable') return;
    const code = event.kind === 'code' ? event : undefined;
    this.#hasPicture = code !== undefined || (event.kind === 'unreadable' && event.picture !== undefined);
    if (!code) this.#matrix = undefined;
    else if (code.code.fingerprint !== this.#code?.code.fingerprint)
      this.#matrix = matrixOf(code.code.payload);
    this.#code = code;
  }

  protected lines(): readonly string[] {
    const picture = this.#picture();
    return layOut(this.#text(picture), picture.placed, this.screen, this.tools);
  }

  #text({ entries, replacesCode }: Picture): ScreenText {
    const { label, team, bot } = this.device;
    const { expected } = this.options;
    const kind = this.#event?.kind;
    // There is nothing to pair while the device is stopped, or paired.
    const verb = kind === 'stopped' || kind === 'reconnecting' ? 'Watch' : 'Pair';
    const keys = this.#keys();
    const message = this.#currentMessage();
    return {
      title: `${verb} ${sanitise(label)}`,
      expected: expected === undefined ? undefined : `for ${sanitise(expected)}`,
      owners: [...(team ? [`Team ${sanitise(team)}`] : []), ...(bot ? [`Bot ${sanitise(bot)}`] : [])],
      notDrawn: this.#code ? this.#notDrawn(replacesCode) : [],
      status: this.#status(),
      message: message && { text: sanitise(message.text), tone: message.tone },
      entries,
      keys: new Map(keys.map(({ key, label: effect }) => [key, effect])),
    };
  }

  #status(): readonly TextLine[] {
    const now = this.context.clock.now();
    const event = this.#event;
    if (event === undefined) return [{ text: 'Reading the state of the device.' }];
    const other = this.options.others?.();
    const others = other ? [{ text: `${sanitise(commandText(other, now))}.` }] : [];
    if (event.kind === 'code')
      return [
        codeInWords(event, now),
        ...others,
        { text: this.context.io.screenNote ?? 'Waiting for the phone.' },
      ];
    const { tone, ...words } = wordsOf(event, now, sanitise);
    const lines = sentencesOf(words).map((text, at) => (at === 0 ? { text, tone } : { text }));
    if (event.kind === 'unreadable' && this.#hasPicture) return [...lines, { text: this.#otherWays() }];
    if (event.kind === 'starting') return [...lines, ...others];
    return event.kind === 'unreachable' && this.#code ? [...lines, codeInWords(this.#code, now)] : lines;
  }

  #currentMessage(): Message | undefined {
    if (this.remark !== undefined) return { text: this.remark, tone: 'warning' };
    const failed = this.#code?.failedScan;
    if (this.#message)
      return this.#message.isAboutDrawing && !this.#picture().placed ? undefined : this.#message;
    if (failed) return { text: sentencesOf(failedScanWords(failed, sanitise)).join(' '), tone: 'bad' };
    return this.#drawingHint();
  }

  /** Returns a hint about boxes in place of a code whose characters the terminal may lack. */
  #drawingHint(): Message | undefined {
    const isAsked = this.#chosen !== undefined || this.options.style === 'sextant';
    const isSure = drawsSextants(this.context.io.env) === true;
    if (isSure || isAsked || !this.#picture().placed?.renderer.isFine) return undefined;
    return { text: `If you see boxes, or the phone can't read it, ${this.#scanAdvice()}.` };
  }

  /** Returns the lines in place of an existing code: first the most useful one. */
  #notDrawn(isInstead: boolean): readonly TextLine[] {
    const matrix = this.#matrix;
    const why = (text: string): readonly TextLine[] => [{ text, tone: 'bad' }, { text: this.#otherWays() }];
    if (!matrix) return why('The code is too long to draw.');
    if (isInstead) {
      const key = [...this.#entries.keys()].at(-1);
      return [{ text: `There is no room for the code: enlarge the window, or press ${key} for the code.` }];
    }
    const needed = smallestWindow(matrix, this.#renderers(), this.screen);
    if (needed === undefined)
      return why("The code can't be drawn: this terminal shows neither colours nor UTF-8.");
    const size = `The code needs a window of ${needed}; this one has ${sizeInWords(this.screen)}.`;
    if (!this.#nextRenderer()) return why(size);
    const smaller = {
      text: 'Press s for a smaller drawing of the code: it fits here.',
      tone: 'heading',
    } as const;
    return [smaller, { text: size }, { text: this.#otherWays() }];
  }

  /** Returns the alternatives to scanning the drawn code. */
  #otherWays(): string {
    const { file } = this.options;
    if (file !== undefined) return `Open the picture ${sanitise(file)} in a viewer, and scan it there.`;
    // The page can't draw an unreadable code or one that is too long either.
    if (this.#entries.has('f') || (this.#matrix && this.#entries.size > 0)) return 'Scan it there.';
    return `To scan it elsewhere press ${this.#matrix ? 'w for a web page, or ' : ''}f for a picture file.`;
  }

  #renderers(): readonly Renderer[] {
    const automatic = automaticRenderers(this.#capabilities, this.options.style);
    return this.#chosen ? [this.#chosen, ...automatic] : automatic;
  }

  /** Decides what has room. The command for another machine is omitted before the code is. */
  #picture(): Picture {
    const matrix = this.#matrix;
    const renderers = this.#renderers();
    // The file is only valid with its code.
    const keys = [...this.#entries.keys()].filter((key) => key !== 'f' || this.#hasPicture);
    const all = keys.flatMap((key) => this.#entries.get(key) ?? []);
    for (const entries of [all, all.filter(({ isOptional }) => !isOptional)]) {
      const placed = placeCode(matrix, renderers, this.#roomBeside(entries));
      if (placed) return { placed, entries, replacesCode: false };
    }
    const placed = placeCode(matrix, renderers, this.screen);
    return placed && !this.#isPinned
      ? { placed, entries: [], replacesCode: false }
      : { placed: undefined, entries: all, replacesCode: placed !== undefined };
  }

  #roomBeside(entries: readonly Entry[]): Room {
    const { columns, rows } = this.screen;
    return { columns, rows: rows - entryLines(entries, columns, this.tools.ruler).length };
  }

  /** Returns the current keys, in display order. */
  #keys(): readonly PairingKey[] {
    const { page, file, renew } = this.options.actions;
    const kind = this.#event?.kind;
    const isDone = kind === 'scanned' || kind === 'stalled' || kind === 'reconnecting';
    const next = this.#nextRenderer();
    const keys: PairingKey[] = [];
    if (next) {
      const label = this.#picture().placed ? 'style' : 'smaller';
      keys.push({ key: 's', label, press: () => this.#choose(next.renderer) });
    }
    keys.push(
      ...this.#entryKey('w', !isDone && (async () => pageEntries(await page()))),
      ...this.#entryKey('f', this.#hasPicture && (async () => fileEntries(await file()))),
    );
    if (renew && (this.#code || kind === 'unreadable' || kind === 'stalled'))
      keys.push({ key: 'r', label: 'new code', press: () => this.#renew(renew) });
    const left = new Failure('declined', 'Left.');
    return [...keys, { key: 'q', label: 'leave', press: () => this.leave(left) }];
  }

  /** Returns the key that adds its entry, and then switches between the entry and the code. */
  #entryKey(key: EntryKey, open: (() => Promise<readonly Entry[]>) | false): readonly PairingKey[] {
    const { label, again, progress } = entryKeys[key];
    if (!open) return [];
    if (!this.#entries.has(key)) return [{ key, label, press: () => void this.#run(key, progress, open) }];
    const { entries, replacesCode } = this.#picture();
    if (entries.length > 0 && !replacesCode) return [];
    return [{ key, label: replacesCode ? 'code' : again, press: () => this.#pin(!replacesCode) }];
  }

  protected press(pressed: Key): void {
    this.#keys()
      .find(({ key }) => key === pressed)
      ?.press();
  }

  /**
   * Returns the next renderer that fits, or undefined if there is no other. If none is chosen automatically, not
   * drawing at all is one of the choices.
   */
  #nextRenderer(): { readonly renderer: Renderer | undefined } | undefined {
    const automatic = automaticRenderers(this.#capabilities, this.options.style);
    const fitting = (renderers: readonly Renderer[]) =>
      fittingRenderers(this.#matrix, renderers, this.screen);
    const none: readonly undefined[] = fitting(automatic).length > 0 ? [] : [undefined];
    const all = [...none, ...fitting(allRenderers(automatic, this.#capabilities))];
    const [drawn] = fitting(this.#renderers());
    const at = all.findIndex((renderer) => renderer?.label === drawn?.label);
    return all.length > 1 ? { renderer: all[(at + 1) % all.length] } : undefined;
  }

  #choose(renderer: Renderer | undefined): void {
    this.#chosen = renderer;
    this.#isPinned = false;
    const text = `Drawn in ${renderer?.label}. If the phone can't read it, ${this.#scanAdvice()}.`;
    this.#setMessage(renderer && { text, isAboutDrawing: true });
  }

  /** Returns advice if the camera doesn't read the code: another renderer, or another place. */
  #scanAdvice(): string {
    if (this.#nextRenderer()?.renderer) return 'press s again';
    return this.#entries.has('w') ? 'scan it on the web page' : 'press w for a web page';
  }

  #keep(key: EntryKey, entries: readonly Entry[]): void {
    this.#entries.set(key, entries);
    this.#isPinned = true;
  }

  #pin(isPinned: boolean): void {
    this.#isPinned = isPinned;
    this.draw();
  }

  /** Runs one action at a time: the result of the last key is shown first. */
  async #run(key: EntryKey, progress: string, action: () => Promise<readonly Entry[]>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#setMessage({ text: progress });
    try {
      this.#keep(key, await action());
      this.#setMessage(undefined);
    } catch (error) {
      this.#showFailure(error);
    } finally {
      this.#isBusy = false;
    }
  }

  #renew(renew: () => void): void {
    const code = this.#code;
    const now = this.context.clock.now();
    const other = this.options.others?.();
    if (code && (other || !isStale(code, now)) && this.#renewConfirmedFor !== code) {
      this.#renewConfirmedFor = code;
      const why = other ? sharedCodeWords(other, sanitise) : 'This code is still valid.';
      const text = `${why} Press r again to replace it.`;
      this.#setMessage({ text, isTransient: true });
      return;
    }
    this.#setMessage({ text: 'Requesting a new code ...', isTransient: true });
    renew();
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

function pageEntries({ url, sshLine }: PageAddress): readonly Entry[] {
  return [
    { label: 'Page:', text: url },
    { label: 'On another machine, first run:', text: sshLine, isOptional: true },
  ];
}

function fileEntries(path: string): readonly Entry[] {
  return [{ label: 'Picture:', text: sanitise(path) }];
}
