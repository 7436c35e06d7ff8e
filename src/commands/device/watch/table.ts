import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import { loadPaint, type Paint } from '../../../terminal/colour.ts';
import type { Fields, Tone } from '../../../terminal/fields.ts';
import { drawTable } from '../../../terminal/table.ts';
import type { Screen } from '../../../terminal/terminal.ts';
import { cut, type Ruler, rulerFor } from '../../../terminal/width.ts';
import { stateTone } from '../verdict.ts';
import type { Board, BoardRow } from './board.ts';
import type { WatchView } from './view.ts';

/** Milliseconds between two drawings: each row says how long it has been so. */
const tick = 1000;

/** Rows beside those of the devices: title, a blank line, headings, a blank line, what is cut off, keys. */
const aroundRows = 6;

/** What needs somebody's eye stands first where not all have room. */
const urgency: Readonly<Record<Tone | 'none', number>> = { bad: 0, warning: 1, none: 2, quiet: 3, good: 4 };

const fields: Fields = [
  { name: 'device', importance: 8 },
  { name: 'state', importance: 7, heading: 'State', tone: (_text, { row }) => stateTone(row.word) },
  { name: 'since', heading: 'Since', kind: 'time', importance: 4 },
];

/**
 * Opens a table of the devices on the alternate screen, drawn again at each change, at each resize, and each
 * second for the times. It leaves no trace.
 */
export async function openWatchTable(session: Session, board: Board, title: string): Promise<WatchView> {
  const { terminal } = session;
  const labels = board.rows.map(({ device }) => device.label);
  const [paint, ruler] = await Promise.all([loadPaint(terminal.colorLevel), rulerFor([title, ...labels])]);
  return new WatchTable(session, board, { title, paint, ruler, screen: terminal.openScreen() });
}

interface Tools {
  readonly title: string;
  readonly paint: Paint;
  readonly ruler: Ruler;
  readonly screen: Screen;
}

class WatchTable implements WatchView {
  readonly #leaving = new AbortController();
  readonly #ticking: NodeJS.Timeout;
  readonly #session: Session;
  readonly #board: Board;
  readonly #tools: Tools;
  #isDrawing = false;
  #isOutdated = false;

  constructor(session: Session, board: Board, tools: Tools) {
    this.#session = session;
    this.#board = board;
    this.#tools = tools;
    tools.screen.onResize(() => this.#draw());
    tools.screen.onKey((key) => {
      if (key === 'interrupt') this.#leaving.abort(new Failure('interrupted', 'Interrupted.'));
      if (key.toLowerCase() === 'q')
        this.#leaving.abort(new Failure('declined', 'Left. The devices stay as they are.'));
    });
    this.#ticking = setInterval(() => this.#draw(), tick);
    this.#draw();
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  show(): void {
    this.#draw();
  }

  close(): void {
    clearInterval(this.#ticking);
    this.#tools.screen.close();
  }

  /** What a drawing misses because it is made meanwhile gets one of its own. */
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
    const { paint, ruler, screen, title } = this.#tools;
    const { rows: all } = this.#board;
    const room = Math.max(1, screen.rows - aroundRows);
    const shown = all.length <= room ? all : mostUrgent(all, room);
    const hidden = all.length - shown.length;
    const fitting = (text: string): string => cut(ruler, text, screen.columns, '…');
    return [
      paint.heading(fitting(`${title}: ${countsOf(all)}`)),
      '',
      ...(await this.#table(shown)),
      '',
      ...(hidden > 0 ? [paint.tone('quiet', fitting(`and ${hidden} more that need less attention`))] : []),
      paint.tone('quiet', 'q leave'),
    ];
  }

  async #table(shown: readonly BoardRow[]): Promise<readonly string[]> {
    const { terminal, clock, redact } = this.#session;
    const canvas = {
      columns: this.#tools.screen.columns,
      paint: this.#tools.paint,
      unicode: terminal.unicode,
      now: clock.now(),
      redact,
    };
    const rows = shown.map(({ device, state, verdict, since }) => ({
      device: device.label,
      state: verdict,
      word: state,
      since: since === undefined ? undefined : new Date(since).toISOString(),
    }));
    let text = '';
    for await (const part of drawTable(onlyOnce(rows), fields, canvas)) text += part;
    return text.trimEnd().split('\n');
  }
}

async function* onlyOnce<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** The rows that need attention most, in the order in which they were given. */
function mostUrgent(rows: readonly BoardRow[], room: number): readonly BoardRow[] {
  const urgencyOf = ({ state }: BoardRow): number => urgency[stateTone(state) ?? 'none'];
  const chosen = new Set([...rows].sort((a, b) => urgencyOf(a) - urgencyOf(b)).slice(0, room));
  return rows.filter((row) => chosen.has(row));
}

/** How many there are of each state: `3 ready, 1 waiting`. */
function countsOf(rows: readonly BoardRow[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) {
    const word = (state ?? 'asking').replaceAll('_', ' ');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
