import { noRows, type RowState, type Tally } from '../../campaigns/row-state.ts';
import type { LaneRun, LaneWait } from '../../campaigns/run/run-lane.ts';
import type { Session } from '../../cli/context.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { isoTime, span } from '../../lib/time.ts';

/** Milliseconds between two looks at the figures on a terminal, and between two lines elsewhere. */
const terminalTickMs = 1000;
const lineTickMs = 60_000;

/** A wait that is longer than this is told in a line of its own, in milliseconds. */
const longWaitMs = 60_000;

/** Returns how many rows of a device are in each state, of all its campaigns. What is cancelled is not left. */
export function tallyOf(lane: LaneRun): Tally {
  const sum = noRows();
  for (const { campaign, device } of lane.entries) {
    const tally = campaign.tally(device);
    const isCancelled = campaign.mark?.state === 'cancelled';
    for (const [state, count] of Object.entries(tally) as [RowState, number][])
      sum[isCancelled && state === 'planned' ? 'skipped' : state] += count;
  }
  return sum;
}

/** Returns the sum of what several devices have. */
export function totalOf(lanes: readonly LaneRun[]): Tally {
  const sum = noRows();
  for (const lane of lanes)
    for (const [state, count] of Object.entries(tallyOf(lane)) as [RowState, number][]) sum[state] += count;
  return sum;
}

/** Says how far a run is: on a terminal in a line that changes, elsewhere a line each minute; and what it waits for long. */
export class RunProgress {
  readonly #session: Session;
  readonly #waits = new Map<LaneRun, LaneWait>();
  /** What was told of each device last. */
  readonly #told = new Map<LaneRun, string>();
  #lanes: readonly LaneRun[] = [];
  #stop: () => void = () => undefined;
  #begunAt = 0;
  #atStart = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  begin(lanes: readonly LaneRun[]): void {
    const { terminal, clock } = this.#session;
    this.#lanes = lanes;
    this.#begunAt = clock.now();
    this.#atStart = totalOf(lanes).planned;
    if (!terminal.interactive) {
      this.#stop = clock.every(lineTickMs, () => terminal.note(this.#text()));
      return;
    }
    const line = terminal.progress(this.#text());
    const stopTicks = clock.every(terminalTickMs, () => line.update(this.#text()));
    this.#stop = () => {
      stopTicks();
      line.stop();
    };
  }

  end(): void {
    this.#stop();
  }

  onWait(lane: LaneRun, wait: LaneWait | undefined): void {
    if (wait) this.#waits.set(lane, wait);
    else this.#waits.delete(lane);
    const now = this.#session.clock.now();
    if (!wait || wait.until - now <= longWaitMs || this.#told.get(lane) === wait.because) return;
    this.#told.set(lane, wait.because);
    this.#session.terminal.note(`${lane.device.label} waits until ${isoTime(wait.until)}: ${wait.because}`);
  }

  #text(): string {
    const { planned, sending, accepted, rejected, unknown } = totalOf(this.#lanes);
    const left = planned + sending;
    const now = this.#session.clock.now();
    const parts = [
      `${groupedNumber(accepted)} accepted`,
      rejected > 0 && `${groupedNumber(rejected)} rejected`,
      unknown > 0 && `${groupedNumber(unknown)} unknown`,
      `${groupedNumber(left)} left`,
    ];
    const next = Math.min(...[...this.#waits.values()].map(({ until }) => until));
    if (Number.isFinite(next) && this.#waits.size === this.#lanes.length)
      parts.push(`next in ${span(next - now)}`);
    const done = this.#atStart - left;
    if (done > 1 && left > 0) {
      const rest = ((now - this.#begunAt) / done) * left;
      parts.push(`ends about ${isoTime(now + rest)}`);
    }
    return parts.filter((part) => part !== false).join(' · ');
  }
}
