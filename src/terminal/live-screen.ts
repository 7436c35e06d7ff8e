import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/errors.ts';
import type { Screen } from './full-screen.ts';
import type { Key } from './input-reader.ts';

/** Between two frames, so that countdowns and times are updated. */
const tickMs = 1000;

/** How long a remark is shown, unless it ends earlier. */
const remarkMs = 20_000;

/**
 * A frame on the alternate screen that is redrawn at each resize, and each second, until the user leaves. It
 * leaves no trace.
 */
export abstract class LiveScreen {
  readonly coversTerminal = true;
  readonly #leaving = new AbortController();
  readonly #stopTicking: () => void;
  readonly #clock: Clock;
  #remark: { readonly text: string; readonly until: number } | undefined;

  constructor(
    protected readonly screen: Screen,
    clock: Clock,
  ) {
    this.#clock = clock;
    screen.onResize(() => this.draw());
    screen.onRemark((text, lastsMs = remarkMs) => {
      this.#remark = { text, until: clock.now() + Math.min(lastsMs, remarkMs) };
      this.draw();
    });
    screen.onKey((key) => {
      if (key === 'interrupt') this.leave(new Failure('interrupted', 'Interrupted.'));
      else this.press(key.toLowerCase());
    });
    this.#stopTicking = clock.every(tickMs, () => this.draw());
  }

  /** Aborted when the user leaves: `declined` with q, `interrupted` with Ctrl-C. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The last remark while the screen covers the terminal, such as that the client waits; for a limited time. */
  protected get remark(): string | undefined {
    return this.#remark && this.#clock.now() < this.#remark.until ? this.#remark.text : undefined;
  }

  /** Returns the lines of the current frame. */
  protected abstract lines(): readonly string[];

  /** Handles a key; letters are in lower case. */
  protected abstract press(key: Key): void;

  protected draw(): void {
    this.screen.draw(this.lines());
  }

  /** @param reason a `Failure`, or an error that is a bug, and is reported as one */
  protected leave(reason: unknown): void {
    this.#leaving.abort(reason);
  }

  /** Restores the terminal; safe to call twice. */
  close(): void {
    this.#stopTicking();
    this.screen.close();
  }
}
