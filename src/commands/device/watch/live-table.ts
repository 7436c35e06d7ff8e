import type { Session } from '../../../cli/context.ts';
import { Failure } from '../../../lib/errors.ts';
import { relativeTime } from '../../../lib/time.ts';
import { loadPaint, type Paint } from '../../../terminal/colour.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import type { Screen } from '../../../terminal/screen.ts';
import { cut, rulerFor } from '../../../terminal/width.ts';
import { stateTone } from '../state-tone.ts';
import { drawStatusTable, type StatusLine, urgencyOf } from './status-table.ts';
import type { WatchState, WatchStateRow } from './watch-state.ts';
import type { WatchView } from './watch-view.ts';

/** Between two drawings: each row says how long it has been so. */
const tickMs = 1000;

/** Rows beside the table: title, a blank line, a blank line, what is left out, keys. */
const aroundRows = 5;

/**
 * Opens a table of the devices on the alternate screen, drawn again at each change, at each resize, and each
 * second for the times. It leaves no trace.
 */
export async function openWatchTable(
  session: Session,
  watchState: WatchState,
  title: string,
): Promise<WatchView> {
  const { terminal } = session;
  const paint = await loadPaint(terminal.colorLevel);
  return new WatchTable(session, watchState, { title, paint, screen: terminal.openScreen() });
}

interface Tools {
  readonly title: string;
  readonly paint: Paint;
  readonly screen: Screen;
}

class WatchTable implements WatchView {
  readonly #leaving = new AbortController();
  readonly #stopTicking: () => void;
  readonly #session: Session;
  readonly #watchState: WatchState;
  readonly #tools: Tools;
  #isDrawing = false;
  #isOutdated = false;

  constructor(session: Session, watchState: WatchState, tools: Tools) {
    this.#session = session;
    this.#watchState = watchState;
    this.#tools = tools;
    tools.screen.onResize(() => this.#draw());
    tools.screen.onKey((key) => {
      if (key === 'interrupt') this.#leaving.abort(new Failure('interrupted', 'Interrupted.'));
      if (key.toLowerCase() === 'q')
        this.#leaving.abort(new Failure('declined', 'Left. The devices stay as they are.'));
    });
    this.#stopTicking = session.clock.every(tickMs, () => this.#draw());
    this.#draw();
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  show(): void {
    this.#draw();
  }

  close(): void {
    this.#stopTicking();
    this.#tools.screen.close();
  }

  /** A change that comes during a drawing gets another one. */
  #draw(): void {
    this.#isOutdated = true;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    void this.#drawAll()
      .catch((error: unknown) => this.#leaving.abort(error))
      .finally(() => {
        this.#isDrawing = false;
      });
  }

  async #drawAll(): Promise<void> {
    while (this.#isOutdated) {
      this.#isOutdated = false;
      const lines = await this.#lines();
      this.#tools.screen.draw(lines);
    }
  }

  async #lines(): Promise<readonly string[]> {
    const { paint, screen, title } = this.#tools;
    const { unicode } = this.#session.terminal;
    const { columns } = screen;
    const { rows } = this.#watchState;
    const statuses = rows.map((row) => this.#statusLine(row));
    const ruler = await rulerFor([title, ...statuses.flatMap(({ device, words }) => [device, words])]);
    const room = Math.max(1, screen.rows - aroundRows);
    const { lines, hidden } = drawStatusTable(statuses, { paint, ruler, unicode, columns }, room);
    const fitting = (text: string): string => cut(ruler, text, columns, unicode ? '…' : '...');
    const heading = fitting(`${title}: ${countsOf(rows)}`);
    const more = hidden > 0 ? [paint.tone('quiet', fitting(`and ${hidden} more, in a larger window`))] : [];
    return [paint.heading(heading), '', ...lines, '', ...more, paint.tone('quiet', 'q leave')];
  }

  #statusLine({ device, state, verdict, next, since }: WatchStateRow): StatusLine {
    const { clock, redact, options } = this.#session;
    const safe = (text: string): string => redact(sanitise(text));
    return {
      device: safe(device.label),
      words: safe(verdict),
      tone: stateTone(state),
      next: next === undefined ? undefined : safe(next.text(options.profile)),
      since: since === undefined ? '' : relativeTime(Math.min(since, clock.now()), clock.now()),
    };
  }
}

/** Returns the number of devices in each state, the most urgent ones first: `1 waiting, 3 ready`. */
function countsOf(rows: readonly WatchStateRow[]): string {
  const counts = new Map<string, number>();
  const urgencyIn = ({ state }: WatchStateRow): number => urgencyOf(stateTone(state));
  for (const { state } of [...rows].sort((a, b) => urgencyIn(a) - urgencyIn(b))) {
    const word = (state ?? 'asking').replaceAll('_', ' ');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
