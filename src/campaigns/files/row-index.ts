import type { RowStanding } from '../campaign.ts';
import { noRows, type RowState, rowStates, type Tally } from '../row-state.ts';
import { RowCounter, type RowCounts } from '../row-summary.ts';

/** A row as a line has it: how it stands, and why it is skipped. */
export type IndexedRow = RowStanding & { readonly reason?: string | undefined };

/** How the rows of a campaign stand, by their numbers, and where in its file they are: 26 bytes a row, whatever its cells and its message are. */
export class RowIndex {
  #columns = columnsFor(64);
  #count = 0;
  /** The reasons of skipped rows, which are few: a row has the place of its own among them. */
  readonly #reasons: (string | undefined)[] = [undefined];
  readonly #tallies = new Map<number, Record<RowState, number>>();
  /** Before these rows no row of the device is planned. */
  readonly #firstPlanned = new Map<number, number>();

  /** How many rows there are. */
  get count(): number {
    return this.#count;
  }

  /** Takes the next row. @param place where its line begins in the file, in bytes */
  add(row: IndexedRow, place: number): void {
    if (this.#count === this.#columns.states.length) this.#columns = wider(this.#columns);
    const at = this.#count;
    this.#count += 1;
    this.#columns.lines[at] = place;
    this.#columns.devices[at] = row.device ?? -1;
    this.#set(at, row);
    if (row.device !== undefined) this.#tallyUp(row.device, row.state, 1);
    this.#notePlanned(row);
  }

  /** Takes what became of a row that is there. @param place where the line begins that says so, in bytes */
  change(change: IndexedRow, place: number): void {
    const before = this.standing(change.row);
    if (!before) throw new RangeError(`there is no row ${change.row}`);
    const at = change.row - 1;
    this.#columns.changes[at] = place;
    this.#set(at, change);
    const { device } = before;
    if (device === undefined) return;
    this.#tallyUp(device, before.state, -1);
    this.#tallyUp(device, change.state, 1);
    this.#notePlanned({ ...change, device });
  }

  /** Returns how a row stands, or undefined if there is none of that number. */
  standing(row: number): RowStanding | undefined {
    const at = row - 1;
    const { states, devices, attempts } = this.#columns;
    const state = at < this.#count ? rowStates[states[at] ?? 0] : undefined;
    if (state === undefined) return undefined;
    return { row, state, device: given(devices[at]), attempts: given(attempts[at]) };
  }

  /** Returns where the line of a row that is there begins, and the one of its last change; undefined where nothing has changed. */
  placesOf(row: number): { readonly line: number; readonly change: number | undefined } {
    const { lines, changes } = this.#columns;
    // No change is in the first line.
    return { line: lines[row - 1] ?? 0, change: changes[row - 1] || undefined };
  }

  /** Returns how many rows of a device are in each state. */
  tally(device: number): Tally {
    return this.#tallies.get(device) ?? noRows();
  }

  /** Returns the number of the first row that a device has planned, or undefined if there is none. */
  firstPlanned(device: number): number | undefined {
    if (this.tally(device).planned === 0) return undefined;
    const { states, devices } = this.#columns;
    let at = (this.#firstPlanned.get(device) ?? 1) - 1;
    while (at < this.#count && (states[at] !== planned || devices[at] !== device)) at += 1;
    this.#firstPlanned.set(device, at + 1);
    return at < this.#count ? at + 1 : undefined;
  }

  /** Returns the number of the first row that has a message, or undefined if there is none. */
  firstMessage(): number | undefined {
    const at = this.#columns.devices.subarray(0, this.#count).findIndex((device) => device >= 0);
    return at < 0 ? undefined : at + 1;
  }

  /** Yields the numbers of all rows. */
  *numbers(): Generator<number, void> {
    for (let row = 1; row <= this.#count; row += 1) yield row;
  }

  /** Yields the numbers of rows that are in one of these states. */
  *inStates(states: readonly RowState[]): Generator<number, void> {
    const wanted = new Set(states.map(codeOf));
    for (let at = 0; at < this.#count; at += 1) if (wanted.has(this.#columns.states[at] ?? -1)) yield at + 1;
  }

  /** Returns how many rows there are of each state and reason. @param isCancelled what was left of them is skipped then */
  counts(isCancelled: boolean): RowCounts {
    const counter = new RowCounter(isCancelled);
    const { states, reasons, attempts } = this.#columns;
    for (let at = 0; at < this.#count; at += 1) {
      const state = rowStates[states[at] ?? 0] ?? 'planned';
      counter.add({ state, reason: this.#reasons[reasons[at] ?? 0], attempts: given(attempts[at]) });
    }
    return counter.counts;
  }

  #set(at: number, { state, attempts, reason }: IndexedRow): void {
    this.#columns.states[at] = codeOf(state);
    this.#columns.attempts[at] = attempts ?? -1;
    this.#columns.reasons[at] = state === 'skipped' ? this.#placeOfReason(reason) : 0;
  }

  #placeOfReason(reason: string | undefined): number {
    const found = this.#reasons.indexOf(reason);
    // What nobody has heard of is counted as none.
    if (found >= 0 || this.#reasons.length > 255) return Math.max(0, found);
    return this.#reasons.push(reason) - 1;
  }

  #tallyUp(device: number, state: RowState, more: number): void {
    const tally = this.#tallies.get(device) ?? noRows();
    this.#tallies.set(device, tally);
    tally[state] += more;
  }

  #notePlanned({ row, state, device }: RowStanding): void {
    if (state !== 'planned' || device === undefined) return;
    this.#firstPlanned.set(device, Math.min(this.#firstPlanned.get(device) ?? row, row));
  }
}

/** What is known of rows, a member for each row. */
interface Columns {
  /** Where the line of the row begins, and that of its last change; 0 for none. */
  readonly lines: Float64Array;
  readonly changes: Float64Array;
  /** By their places among all states. */
  readonly states: Uint8Array;
  /** By their places among the reasons. */
  readonly reasons: Uint8Array;
  /** -1 for none. */
  readonly devices: Int32Array;
  readonly attempts: Int32Array;
}

function columnsFor(rows: number): Columns {
  return {
    lines: new Float64Array(rows),
    changes: new Float64Array(rows),
    states: new Uint8Array(rows),
    reasons: new Uint8Array(rows),
    devices: new Int32Array(rows),
    attempts: new Int32Array(rows),
  };
}

function wider(before: Columns): Columns {
  const columns = columnsFor(before.states.length * 2);
  columns.lines.set(before.lines);
  columns.changes.set(before.changes);
  columns.states.set(before.states);
  columns.reasons.set(before.reasons);
  columns.devices.set(before.devices);
  columns.attempts.set(before.attempts);
  return columns;
}

const planned = codeOf('planned');

function codeOf(state: RowState): number {
  return rowStates.indexOf(state);
}

function given(value: number | undefined): number | undefined {
  return value === undefined || value < 0 ? undefined : value;
}
