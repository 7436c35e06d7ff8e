import type { Context } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { type Matrix, makeMatrix } from '../../../qr/matrix.ts';
import { roomsOn } from '../../../qr/screen-rooms.ts';
import { loadPaint, type Paint } from '../../../terminal/colour.ts';
import { type Answers, askTerminal, type Question } from '../../../terminal/query.ts';
import { drawsSextants, drawsSextantsAs } from '../../../terminal/sextants.ts';
import type { Key, Screen } from '../../../terminal/terminal.ts';
import { isNarrow, type Ruler, rulerFor } from '../../../terminal/width.ts';
import type { Device } from '../device.ts';
import { typedAs } from '../words.ts';
import type { PairingActions } from './actions.ts';
import { alternativesTo, type Capabilities, fitting, ladderFor, type Rung } from './drawing.ts';
import type { PairingEvent, ShownCode } from './events.ts';
import type { DrawingWish, PairingView } from './view.ts';
import { drawWaiting } from './waiting-screen.ts';
import { type Copy, isStale, type Remark, type Waiting } from './waiting-words.ts';

/** What the screen needs beside the terminal. */
export interface ScreenOptions {
  readonly wish: DrawingWish;
  readonly actions: PairingActions;
  /** The file that holds the current picture, where there is one. */
  readonly file: string | undefined;
  /** The address of the web page that shows the code, where it is open, and how to reach it. */
  readonly page?: string | undefined;
  /** Why there is no page, where one was asked for from the start. */
  readonly problem?: string | undefined;
}

type Place = Pick<Context, 'terminal' | 'clock' | 'io'>;

/** Milliseconds between two steps of the countdown. */
const tick = 1000;

/**
 * Opens the screen. It is drawn again at each event, at each resize, at each key, and each second for the
 * countdown.
 */
export async function openPairingScreen(
  place: Place,
  device: Device,
  options: ScreenOptions,
): Promise<PairingView> {
  const { terminal } = place;
  const [paint, ruler] = await Promise.all([
    loadPaint(terminal.colorLevel),
    rulerFor([device.label, device.team ?? '', device.bot ?? '', options.file ?? '']),
  ]);
  const screen = terminal.openScreen();
  const view = new PairingScreen(place, device, options, { screen, paint, ruler });
  view.learn(await askTerminal(screen, questionsFor(place, options.wish), (late) => view.learn(late)));
  return view;
}

/** What has to be known of the terminal, and isn't by its environment. */
function questionsFor({ terminal, io }: Place, { style, invert }: DrawingWish): readonly Question[] {
  if (!terminal.unicode) return [];
  const isPlain = terminal.colorLevel === 0 || style === 'plain';
  const questions: Question[] = [];
  if (style === 'auto' && drawsSextants(io.env) === undefined) questions.push('name');
  if (isPlain && !invert) questions.push('background');
  return questions;
}

/** A key that does something at the moment. */
interface PairingKey {
  readonly key: Key;
  /** In a word or two. */
  readonly does: string;
  press(): void;
}

interface Tools {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly ruler: Ruler;
}

class PairingScreen implements PairingView {
  readonly #leaving = new AbortController();
  readonly #place: Place;
  readonly #device: Device;
  readonly #options: ScreenOptions;
  readonly #tools: Tools;
  readonly #ticking: NodeJS.Timeout;
  #ruler: Ruler;
  #capabilities: Capabilities;
  #event: PairingEvent | undefined;
  #code: ShownCode | undefined;
  #matrix: Matrix | undefined;
  /** The way of drawing that was chosen with a key. */
  #chosen: Rung | undefined;
  #remark: Told | undefined;
  /** Addresses and paths that were asked for, the newest first. They stay, where there is room. */
  #kept: readonly Kept[] = [];
  /** The key whose answer is to be seen, even where the code has no room beside it. */
  #insists: Kept['key'] | undefined;
  #isBusy = false;
  /** The code that a new one was asked for, once: another time means it. */
  #doubted: ShownCode | undefined;

  constructor(place: Place, device: Device, options: ScreenOptions, tools: Tools) {
    this.#place = place;
    this.#device = device;
    this.#options = options;
    this.#tools = tools;
    this.#ruler = tools.ruler;
    this.#capabilities = { ...capabilitiesOf(place), background: undefined };
    if (options.page !== undefined) this.#keepShown(pageKept(options.page));
    else if (options.problem !== undefined) this.#remark = { text: options.problem, tone: 'bad' };
    tools.screen.onResize(() => this.#draw());
    tools.screen.onKey((key) => this.#press(key));
    this.#ticking = setInterval(() => this.#draw(), tick);
    this.#draw();
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  async show(event: PairingEvent): Promise<void> {
    this.#event = event;
    if (this.#remark?.isPassing) this.#remark = undefined;
    this.#doubted = undefined;
    this.#keep(event);
    await this.#measure(foreignWords(event));
    this.#draw();
  }

  close(): void {
    clearInterval(this.#ticking);
    this.#tools.screen.close();
  }

  /** Takes in what the terminal said of itself. */
  learn({ name, background }: Answers): void {
    const known = capabilitiesOf(this.#place);
    const sextants = known.sextants || (name !== undefined && drawsSextantsAs(name));
    this.#capabilities = { ...known, sextants, background };
    const isPlain = known.colorLevel === 0 && known.unicode && !this.#options.wish.invert;
    // Nobody knows then whether it is the right way round.
    if (isPlain && background === undefined) {
      const text = "If the camera doesn't read it, press s: light and dark are exchanged.";
      this.#remark ??= { text, isOfDrawing: true };
    }
    this.#draw();
  }

  /** A read that failed takes no code away; anything else that happens does. */
  #keep(event: PairingEvent): void {
    if (event.kind === 'unreachable') return;
    const code = event.kind === 'code' ? event : undefined;
    if (code && code.code.fingerprint !== this.#code?.code.fingerprint) this.#matrix = this.#matrixOf(code);
    if (!code) this.#matrix = undefined;
    this.#code = code;
  }

  #matrixOf({ code }: ShownCode): Matrix | undefined {
    try {
      return makeMatrix(code.payload.reveal());
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Sees to it that a text can be measured, whatever its script. */
  async #measure(text: string): Promise<void> {
    if (!isNarrow(text.replaceAll('\n', ''))) this.#ruler = await rulerFor([text]);
  }

  #draw(): void {
    const { screen, paint } = this.#tools;
    const ladder = this.#ladder();
    const pencil = { paint, ruler: this.#ruler, ladder, others: alternativesTo(ladder, this.#capabilities) };
    screen.draw(drawWaiting(this.#waiting(), this.#matrix, screen, pencil));
  }

  #waiting(): Waiting {
    const { label: device, team, bot } = this.#device;
    return {
      device,
      team,
      bot,
      event: this.#event,
      code: this.#code,
      now: this.#place.clock.now(),
      file: this.#options.file,
      remark: this.#remark?.isOfDrawing && !this.#isDrawn() ? undefined : this.#remark,
      copies: this.#kept.flatMap(({ copies }) => copies),
      insists: this.#insists,
      keys: new Map(this.#keys().map(({ key, does }) => [key, does])),
    };
  }

  #ladder(): readonly Rung[] {
    const ladder = ladderFor(this.#capabilities, this.#options.wish);
    return this.#chosen ? [this.#chosen, ...ladder] : ladder;
  }

  #isDrawn(): boolean {
    const matrix = this.#matrix;
    return matrix !== undefined && fitting(matrix, this.#ladder(), roomsOn(this.#tools.screen)).length > 0;
  }

  /** What the keys do at the moment, in the order in which they are told. */
  #keys(): readonly PairingKey[] {
    const { page, file, renew } = this.#options.actions;
    const kind = this.#event?.kind;
    const isScanned = kind === 'scanned' || kind === 'stalled';
    const isPaired = this.#event?.kind === 'connecting' && this.#event.isPaired === true;
    const isUnread = this.#event?.kind === 'unreadable';
    const keys: PairingKey[] = [];
    const other = this.#otherStyle();
    if (other) {
      const does = this.#isDrawn() ? 'style' : 'smaller';
      keys.push({ key: 's', does, press: () => this.#draws(other.rung) });
    }
    if (this.#keeps('w')) {
      keys.push({ key: 'w', does: 'hide address', press: () => this.#hide('w') });
    } else if (page && !isScanned && !isPaired) {
      const open = async () => pageKept(await page());
      keys.push({ key: 'w', does: 'web page', press: () => void this.#run('Opening the page ...', open) });
    }
    if (this.#keeps('f')) {
      keys.push({ key: 'f', does: 'hide path', press: () => this.#hide('f') });
    } else if (file && (this.#code || isUnread)) {
      const save = async () => fileKept(await file());
      keys.push({ key: 'f', does: 'file', press: () => void this.#run('Saving the picture ...', save) });
    }
    if (renew && (this.#code || isUnread || kind === 'stalled')) {
      keys.push({ key: 'r', does: 'new code', press: () => this.#renew(renew) });
    }
    return [...keys, { key: 'q', does: 'leave', press: () => this.#leave() }];
  }

  #press(pressed: Key): void {
    if (pressed === 'interrupt') this.#leaving.abort(new Failure('interrupted', 'Interrupted.'));
    const known = this.#keys().find(({ key }) => key === pressed.toLowerCase());
    known?.press();
  }

  #leave(): void {
    const hint = `Look at it again: botctl device status ${typedAs(this.#device)} --watch`;
    this.#leaving.abort(new Failure('declined', 'Left. The device stays as it is.', { hint }));
  }

  /**
   * The next way of drawing that fits. Where none is taken by itself, not drawing at all is one of them. Undefined
   * where there is no other.
   */
  #otherStyle(): { readonly rung: Rung | undefined } | undefined {
    const matrix = this.#matrix;
    if (!matrix) return undefined;
    const rooms = roomsOn(this.#tools.screen);
    const own = ladderFor(this.#capabilities, this.#options.wish);
    const none: readonly undefined[] = fitting(matrix, own, rooms).length > 0 ? [] : [undefined];
    const all = [...none, ...fitting(matrix, alternativesTo(own, this.#capabilities), rooms)];
    const [drawn] = fitting(matrix, this.#ladder(), rooms);
    const at = all.findIndex((rung) => rung?.words === drawn?.words);
    return all.length > 1 ? { rung: all[(at + 1) % all.length] } : undefined;
  }

  #draws(rung: Rung | undefined): void {
    this.#chosen = rung;
    this.#insists = undefined;
    const text = `Drawn in ${rung?.words}. If the camera doesn't read it, ${this.#otherwise()}.`;
    this.#say(rung && { text, isOfDrawing: true });
  }

  /** What helps where the camera doesn't read what is drawn: another drawing, or another place. */
  #otherwise(): string {
    if (this.#otherStyle()?.rung) return 'press s again';
    if (this.#keeps('w')) return 'scan it on the web page';
    const keys = this.#keys().map(({ key }) => key);
    if (keys.includes('w')) return 'press w for a web page';
    return keys.includes('f') && !this.#keeps('f') ? 'press f for a picture' : 'enlarge the window';
  }

  #keeps(key: Kept['key']): boolean {
    return this.#kept.some((kept) => kept.key === key);
  }

  #keepShown(kept: Kept): void {
    this.#kept = [kept, ...this.#kept.filter(({ key }) => key !== kept.key)];
    this.#insists = kept.key;
  }

  #hide(hidden: Kept['key']): void {
    this.#kept = this.#kept.filter(({ key }) => key !== hidden);
    this.#insists = undefined;
    this.#say(undefined);
  }

  /** One at a time: what a key started is told first. */
  async #run(meanwhile: string, action: () => Promise<Kept>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#say({ text: meanwhile });
    try {
      const kept = await action();
      await this.#measure(kept.copies.map(({ text }) => text).join(' '));
      this.#keepShown(kept);
      this.#say(undefined);
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#isBusy = false;
    }
  }

  #renew(renew: () => void): void {
    const code = this.#code;
    if (code && !isStale(code, this.#place.clock.now()) && this.#doubted !== code) {
      this.#doubted = code;
      this.#say({ text: 'This code is still good. Press r again to replace it.', isPassing: true });
      return;
    }
    this.#say({ text: 'Asking for a new code ...', isPassing: true });
    try {
      renew();
    } catch (error) {
      void this.#fail(error);
    }
  }

  /** What is no failure but a bug ends the pairing, and is told as one. */
  async #fail(error: unknown): Promise<void> {
    if (!(error instanceof Failure)) return this.#leaving.abort(error);
    await this.#measure(error.message);
    this.#say({ text: error.message, tone: 'bad' });
  }

  #say(remark: Told | undefined): void {
    this.#remark = remark;
    this.#draw();
  }
}

/** A remark, and what becomes of it. */
interface Told extends Remark {
  /** Whether it goes with the next thing that happens. */
  readonly isPassing?: boolean;
  /** Whether it is of use only while a code is drawn. */
  readonly isOfDrawing?: boolean;
}

/** What a key brought that a person may want to copy. */
interface Kept {
  readonly key: 'w' | 'f';
  readonly copies: readonly Copy[];
}

/** @param page its address, and the command that makes it reachable from another machine */
function pageKept(page: string): Kept {
  const [url = '', sshLine] = page.split('\n');
  const copies: Copy[] = [{ what: 'The page:', text: url }];
  if (sshLine !== undefined)
    copies.push({ what: 'From another machine, first run there:', text: sshLine, isExtra: true });
  return { key: 'w', copies };
}

function fileKept(path: string): Kept {
  return { key: 'f', copies: [{ what: 'The picture:', text: path }] };
}

function capabilitiesOf({ terminal, io }: Place): Omit<Capabilities, 'background'> {
  const { colorLevel, unicode } = terminal;
  return { colorLevel, unicode, sextants: drawsSextants(io.env) === true };
}

/** What the service says in an event; it may be in any script. */
function foreignWords(event: PairingEvent): string {
  if (event.kind === 'stopped') return event.reason ?? '';
  return event.kind === 'unreachable' || event.kind === 'unreadable' ? event.problem : '';
}
