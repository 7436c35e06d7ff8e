import { hasDays, secondsAtPace } from '../../campaigns/pace.ts';
import { noRows, rowStates, type Tally } from '../../campaigns/row-state.ts';
import type { LaneRun, LaneWait } from '../../campaigns/run/run-lane.ts';
import { untilWords } from '../../campaigns/zones.ts';
import type { Session } from '../../cli/context.ts';
import { groupedNumber, pluralize } from '../../lib/text/numbers.ts';
import { joinRemarks } from '../../lib/text/remark.ts';
import { shortDuration } from '../../lib/time.ts';

/** Milliseconds between two looks at the figures on a terminal, and between two lines elsewhere. */
const terminalTickMs = 1000;
const lineTickMs = 60_000;

/** A wait that is longer than this is reported in a line of its own, in milliseconds; others only if they may take long. */
const longWaitMs = 60_000;

/** Returns how many rows of devices are in each state, of all their campaigns. What is cancelled is not left. */
export function totalOf(lanes: readonly Pick<LaneRun, 'entries'>[]): Tally {
  const sum = noRows();
  for (const { campaign, device } of lanes.flatMap(({ entries }) => entries)) {
    const tally = campaign.tally(device);
    const isCancelled = campaign.mark?.state === 'cancelled';
    for (const state of rowStates)
      sum[isCancelled && state === 'planned' ? 'skipped' : state] += tally[state];
  }
  return sum;
}

/** A device of a run, as far as its figures are shown. */
type ShownLane = Pick<LaneRun, 'device' | 'entries'>;

/**
 * Says how far a run is, in a line for each device and one for all: on a terminal in lines that change, elsewhere each minute;
 * and what it waits for long.
 */
export class RunProgress {
  readonly #session: Pick<Session, 'terminal' | 'clock'>;
  readonly #waits = new Map<ShownLane, LaneWait>();
  /** What was told of each device last. */
  readonly #told = new Map<ShownLane, string>();
  /** How many rows each device had to send when it began. */
  readonly #atStart = new Map<ShownLane, number>();
  #stop: () => void = () => undefined;
  #begunAt = 0;

  constructor(session: Pick<Session, 'terminal' | 'clock'>) {
    this.#session = session;
  }

  begin(lanes: readonly ShownLane[]): void {
    const { terminal, clock } = this.#session;
    this.#begunAt = clock.now();
    for (const lane of lanes) this.#atStart.set(lane, leftOf(totalOf([lane])));
    if (!terminal.interactive) {
      this.#stop = clock.every(lineTickMs, () => {
        for (const line of this.#lines()) terminal.note(line);
      });
      return;
    }
    const shown = terminal.progress(this.#lines());
    const stopTicks = clock.every(terminalTickMs, () => shown.update(this.#lines()));
    this.#stop = () => {
      stopTicks();
      shown.stop();
    };
  }

  end(): void {
    this.#stop();
  }

  onWait(lane: ShownLane, wait: LaneWait | undefined): void {
    if (wait) this.#waits.set(lane, wait);
    else this.#waits.delete(lane);
    const now = this.#session.clock.now();
    if (!wait || (!wait.other && !wait.isAway && wait.until - now <= longWaitMs)) return;
    // A pause comes again after each message; another message of the same process is another wait.
    const told = wait.other ? `${wait.because} ${wait.until}` : wait.because;
    if (this.#told.get(lane) === told) return;
    this.#told.set(lane, told);
    const until = untilWords(wait.until, now, wait.zone);
    const text = `${lane.device.label} waits until ${until}: ${wait.because}`;
    this.#session.terminal.note(joinRemarks([text, wait.hint], ' ') ?? text);
  }

  #lines(): readonly string[] {
    const lanes = [...this.#atStart.keys()];
    const all = this.#figures(lanes);
    if (lanes.length < 2) return [all];
    const { terminal } = this.#session;
    // Lines that are wrapped count too: what is taller than the screen can't be taken away again.
    const most = terminal.interactive ? Math.max(1, Math.floor(terminal.rows / 2) - 2) : lanes.length;
    const shown = lanes.length > most ? lanes.slice(0, most) : lanes;
    const lines = shown.map((lane) => `${lane.device.label}: ${this.#figures([lane])}`);
    if (shown.length < lanes.length)
      lines.push(`and ${pluralize(lanes.length - shown.length, 'more device')}`);
    return [...lines, `all: ${all}`];
  }

  #figures(lanes: readonly ShownLane[]): string {
    const tally = totalOf(lanes);
    const { accepted, rejected, unknown } = tally;
    const left = leftOf(tally);
    const all = accepted + rejected + unknown + left;
    const now = this.#session.clock.now();
    const parts = [
      `${groupedNumber(accepted)} of ${groupedNumber(all)} accepted`,
      rejected > 0 && `${groupedNumber(rejected)} rejected`,
      unknown > 0 && `${groupedNumber(unknown)} unknown`,
      `${groupedNumber(left)} left`,
    ];
    const waits = lanes.map((lane) => this.#waits.get(lane));
    const next = Math.min(...waits.map((wait) => wait?.until ?? now)) - now;
    const [other, ...others] = waits.map((wait) => wait?.other);
    if (next > 0 && other && others.length === 0)
      parts.push(
        `waits for ${other.holder ?? 'another process'}, whose message is unknown in ${shortDuration(next)}`,
      );
    else if (next > 0) parts.push(`next in ${shortDuration(next)}`);
    const done = lanes.reduce((sum, lane) => sum + (this.#atStart.get(lane) ?? 0), 0) - left;
    if (done > 1 && left > 0) {
      const isTimed = lanes.some(({ entries }) => entries.some(({ campaign }) => hasDays(campaign.campaign)));
      const end = isTimed ? this.#endAtPace(lanes, now) : now + ((now - this.#begunAt) / done) * left;
      parts.push(`ends about ${untilWords(end, now)}`);
    }
    return parts.filter((part) => part !== false).join(' · ');
  }

  /** Returns about when devices have sent all at the rate of their paces: how fast they were so far does not tell, because of nights. */
  #endAtPace(lanes: readonly ShownLane[], now: number): number {
    const ends = lanes.map((lane) => {
      const left = leftOf(totalOf([lane]));
      if (left === 0) return now;
      const next = Math.max(now, this.#waits.get(lane)?.until ?? now);
      return Math.max(
        this.#begunAt + timeFor(lane, this.#atStart.get(lane) ?? 0),
        next + timeFor(lane, left),
      );
    });
    return Math.max(...ends);
  }
}

/** Returns about how long a device takes for messages, in milliseconds: the slowest pace of its campaigns counts for all of them. */
function timeFor({ entries }: ShownLane, messages: number): number {
  return 1000 * Math.max(...entries.map(({ campaign }) => secondsAtPace(campaign.campaign, messages)));
}

function leftOf({ planned, sending }: Tally): number {
  return planned + sending;
}
