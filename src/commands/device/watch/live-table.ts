import type { Session } from '../../../cli/context.ts';
import { Failure } from '../../../lib/errors.ts';
import { relativeTime } from '../../../lib/time.ts';
import { loadPaint, type Paint } from '../../../terminal/colour.ts';
import { LiveScreen } from '../../../terminal/live-screen.ts';
import { cut, loadWideRuler, type Ruler } from '../../../terminal/width.ts';
import type { EventView } from '../event-view.ts';
import { stateTone } from '../state-tone.ts';
import { drawStatusTable, statusLineOf, urgencyOf } from './status-table.ts';
import type { SeenState, WatchedStates } from './watched-states.ts';

/** Rows beside the table: title, a blank line, a blank line, what is left out, keys. */
const aroundRows = 5;

/** Opens a table of the devices on the alternate screen, which is kept up to date. */
export async function openWatchTable(
  session: Session,
  states: WatchedStates,
  title: string,
): Promise<EventView<unknown>> {
  const [paint, ruler] = await Promise.all([loadPaint(session.terminal.colorLevel), loadWideRuler()]);
  return new WatchTable(session, states, title, paint, ruler);
}

class WatchTable extends LiveScreen implements EventView<unknown> {
  /** The first device that is shown. */
  #first = 0;

  constructor(
    readonly session: Session,
    readonly states: WatchedStates,
    readonly title: string,
    readonly paint: Paint,
    readonly ruler: Ruler,
  ) {
    super(session.terminal.openScreen(), session.clock);
    this.draw();
  }

  show(): void {
    this.draw();
  }

  protected press(key: string): void {
    if (key === 'q') this.leave(new Failure('declined', 'Left. The devices stay as they are.'));
    const last = this.states.all.length - 1;
    if (key === 'j') this.#first = Math.min(this.#first + 1, last);
    if (key === 'k') this.#first = Math.max(this.#first - 1, 0);
    this.draw();
  }

  protected lines(): readonly string[] {
    const { paint, ruler, screen, states, title } = this;
    const { unicode } = this.session.terminal;
    const { columns } = screen;
    const statuses = states.all.map((seen) => this.#statusLine(seen));
    const room = Math.max(1, screen.rows - aroundRows);
    const shown = statuses.slice(this.#first);
    const { lines, hidden } = drawStatusTable(shown, { paint, ruler, unicode, columns }, room);
    const fitting = (text: string): string => cut(ruler, text, columns, unicode ? '…' : '...');
    const heading = fitting(`${title}: ${countsOf(states.all)}`);
    const counts = [this.#first > 0 && `${this.#first} above`, hidden > 0 && `${hidden} more`];
    const left = counts.filter((count) => count !== false).join(', ');
    const more = left === '' ? [] : [paint.tone('quiet', fitting(left))];
    const keys = left === '' ? 'q leave' : 'j down  k up  q leave';
    return [paint.heading(heading), '', ...lines, '', ...more, paint.tone('quiet', keys)];
  }

  #statusLine({ row, since }: SeenState) {
    const { clock, redact } = this.session;
    const now = clock.now();
    const time = since === undefined ? '' : relativeTime(Math.min(since, now), now);
    return { ...statusLineOf(row, redact), since: time };
  }
}

/** Returns the number of devices in each state, the most urgent ones first: `1 waiting, 3 ready`. */
function countsOf(states: readonly SeenState[]): string {
  const counts = new Map<string, number>();
  const urgencyIn = ({ row }: SeenState): number => urgencyOf(stateTone(row.state));
  for (const { row } of [...states].sort((a, b) => urgencyIn(a) - urgencyIn(b))) {
    const word = (row.state ?? 'asking').replaceAll('_', ' ');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
