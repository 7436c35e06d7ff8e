import type { Session } from '../../../cli/context.ts';
import { Failure } from '../../../lib/errors.ts';
import { ownMember } from '../../../lib/json-object.ts';
import { durationInWords, relativeTime } from '../../../lib/time.ts';
import type { EventView } from '../../../pairing/event-view.ts';
import { loadPaint, type Paint } from '../../../terminal/colour.ts';
import { LiveScreen } from '../../../terminal/live-screen.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import { cut, loadWideRuler, type Ruler, wrap } from '../../../terminal/width.ts';
import { stateTone } from '../fields.ts';
import { drawStatusTable, type StatusLine, statusLineOf, urgencyOf } from './status-table.ts';
import type { SeenState, WatchedStates } from './watched-states.ts';

/** Rows besides the table and its heading: two blank lines, the note on omitted devices, and the keys. */
const aroundRows = 4;

/** The maximum number of lines of a remark. */
const maxRemarkLines = 4;

/** The maximum number of observers that are named. */
const maxObservers = 2;

/** The current texts above the table. */
export interface WatchHead {
  /** The title of the watch: `Watching 12 devices, each read every 5 s`. */
  title(): string;
  /** Why this watch reads all devices itself, as a clause; undefined if it does not. */
  whyAway(): string | undefined;
}

/** The new first device for each key that scrolls, from the current first device and the number on the screen. */
const moves: Readonly<Record<string, (first: number, shown: number) => number>> = {
  down: (first) => first + 1,
  j: (first) => first + 1,
  up: (first) => first - 1,
  k: (first) => first - 1,
  'page-down': (first, shown) => first + shown,
  'page-up': (first, shown) => first - shown,
  home: () => 0,
  end: () => Number.POSITIVE_INFINITY,
};

type WatchSession = Pick<Session, 'terminal' | 'clock' | 'redact'>;

/** Opens a live table of the devices on the alternate screen. */
export async function openWatchTable(
  session: WatchSession,
  states: WatchedStates,
  head: WatchHead,
): Promise<EventView<unknown>> {
  const [paint, ruler] = await Promise.all([loadPaint(session.terminal.colorLevel), loadWideRuler()]);
  return new WatchTable(session, states, head, paint, ruler);
}

/** Writes the last states to the terminal after the alternate screen is closed. */
export async function writeStates(
  { io, terminal, redact }: Pick<Session, 'io' | 'terminal' | 'redact'>,
  states: WatchedStates,
): Promise<void> {
  const { unicode, colorLevel, columns } = terminal;
  const [paint, ruler] = await Promise.all([loadPaint(colorLevel), loadWideRuler()]);
  const lines = states.shown.map(({ row }) => statusLineOf(row, redact));
  if (lines.length === 0) return;
  io.stderr.write(`${drawStatusTable(lines, { paint, ruler, unicode, columns }).lines.join('\n')}\n`);
}

class WatchTable extends LiveScreen implements EventView<unknown> {
  /** The index of the first device on the screen. */
  #first = 0;

  constructor(
    readonly session: WatchSession,
    readonly states: WatchedStates,
    readonly head: WatchHead,
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
    if (key === 'q') this.leave(new Failure('declined', 'Stopped watching. The devices were not changed.'));
    const move = ownMember(moves, key);
    if (move) this.#first = Math.max(move(this.#first, this.#page().shown), 0);
    this.draw();
  }

  protected lines(): readonly string[] {
    const { paint, ruler, screen } = this;
    const { unicode } = this.session.terminal;
    const fitting = (text: string): string => cut(ruler, text, screen.columns, unicode ? '…' : '...');
    const { lines, hidden } = this.#page();
    const counts = [this.#first > 0 && `${this.#first} above`, hidden > 0 && `${hidden} more`];
    const left = counts.filter((count) => count !== false).join(', ');
    const more = left === '' ? [] : [paint.tone('quiet', fitting(left))];
    const scroll = `${unicode ? '↑↓' : 'j k'} scroll  PgUp PgDn page  `;
    const keys = fitting(`${left === '' ? '' : scroll}q leave`);
    return [
      ...this.#title().map((line) => paint.heading(line)),
      ...this.#notices().map((line) => paint.tone('warning', line)),
      '',
      ...lines,
      '',
      ...more,
      paint.tone('quiet', keys),
    ];
  }

  /** Returns the lines of the title, with the number of devices in each state. They are not cut. */
  #title(): readonly string[] {
    const { ruler, screen, states, head } = this;
    return wrap(ruler, `${head.title()}: ${countsOf(states.shown)}${this.#observers()}`, screen.columns);
  }

  /**
   * Returns the lines that say why this watch reads devices itself, and those of the last remark unless it says the
   * same.
   */
  #notices(): readonly string[] {
    const { ruler, screen, head } = this;
    const { redact, terminal } = this.session;
    const because = head.whyAway();
    const wrapped = (text: string): readonly string[] => wrap(ruler, redact(sanitise(text)), screen.columns);
    const away =
      because === undefined
        ? []
        : wrapped(`This watch reads by itself while the desk's database is away (${because}).`);
    const { remark } = this;
    if (remark === undefined || (because !== undefined && remark.includes(because))) return away;
    const lines = wrapped(remark);
    if (lines.length <= maxRemarkLines) return [...away, ...lines];
    const ellipsis = terminal.unicode ? '…' : '...';
    const last = cut(ruler, lines.slice(maxRemarkLines - 1).join(' '), screen.columns, ellipsis);
    return [...away, ...lines.slice(0, maxRemarkLines - 1), last];
  }

  /**
   * Returns who reads the devices, if the watchers of a desk share readings: `. Statuses read by Ana (front-1), up to 8
   * seconds old`.
   */
  #observers(): string {
    const { clock, redact } = this.session;
    const { observers } = this.states;
    const last = observers.at(-1);
    // While the database is away, this watch reads them itself.
    if (!last || this.head.whyAway() !== undefined) return '';
    const names = observers.slice(0, maxObservers).map(({ by }) => redact(sanitise(by)));
    const more = observers.length - names.length;
    const all = new Intl.ListFormat('en-GB').format([...names, ...(more > 0 ? [`${more} more`] : [])]);
    const seconds = Math.max(1, (clock.now() - last.at) / 1000);
    return `. Statuses read by ${all}, up to ${durationInWords(seconds)} old`;
  }

  /**
   * Returns the lines of the devices from the first one on the screen; the last page is full. If there are several
   * pages, devices that need attention come first, so that each device is on one of the pages.
   */
  #page(): { readonly lines: readonly string[]; readonly shown: number; readonly hidden: number } {
    const { paint, ruler, screen } = this;
    const { unicode } = this.session.terminal;
    const room = Math.max(1, screen.rows - aroundRows - this.#title().length - this.#notices().length);
    const given = this.states.shown.map((seen) => this.#statusLine(seen));
    const drawn = (statuses: readonly StatusLine[], first: number) => {
      const left = statuses.slice(first);
      const table = drawStatusTable(left, { paint, ruler, unicode, columns: screen.columns }, room);
      return { ...table, shown: left.length - table.hidden };
    };
    const all = drawn(given, 0);
    if (all.hidden === 0) {
      this.#first = 0;
      return all;
    }
    const sorted = given.toSorted((a, b) => urgencyOf(a.tone) - urgencyOf(b.tone));
    // Each device takes at least one row.
    let last = Math.max(sorted.length - room, 0);
    while (last < this.#first && last < sorted.length - 1 && drawn(sorted, last).hidden > 0) last += 1;
    this.#first = Math.min(this.#first, last);
    return drawn(sorted, this.#first);
  }

  #statusLine({ row, since }: SeenState): StatusLine {
    const { clock, redact } = this.session;
    const now = clock.now();
    const time = since === undefined ? '' : relativeTime(Math.min(since, now), now);
    return { ...statusLineOf(row, redact), since: time };
  }
}

/** Returns the number of devices in each state, most urgent first: `1 waiting, 3 ready`. */
function countsOf(states: readonly SeenState[]): string {
  const counts = new Map<string, number>();
  const urgencyIn = ({ row }: SeenState): number => urgencyOf(stateTone(row.state));
  for (const { row } of [...states].sort((a, b) => urgencyIn(a) - urgencyIn(b))) {
    const word = (row.state ?? 'asking').replaceAll('_', ' ');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts.size === 0 ? 'none' : [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
