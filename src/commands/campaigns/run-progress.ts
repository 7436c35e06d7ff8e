import { secondsAtPace, usesDays } from '../../campaigns/pace.ts';
import { emptyTally, rowStates, type Tally } from '../../campaigns/row-state.ts';
import type { DeviceSender, SendWait } from '../../campaigns/run/device-sender.ts';
import { untilWords } from '../../campaigns/zones.ts';
import type { Session } from '../../cli/context.ts';
import { groupedNumber, pluralize } from '../../lib/text/numbers.ts';
import { joinRemarks } from '../../lib/text/remark.ts';
import { shortDuration } from '../../lib/time.ts';

/** Milliseconds between two updates on a terminal, and between two lines elsewhere. */
const terminalTickMs = 1000;
const lineTickMs = 60_000;

/**
 * A wait that is longer than this many milliseconds is reported on a line of its own. A shorter one is reported only if
 * it may take long.
 */
const longWaitMs = 60_000;

/** Returns the number of rows of devices in each state, over all campaigns. Cancelled rows do not count as planned. */
export function totalOf(senders: readonly Pick<DeviceSender, 'entries'>[]): Tally {
  const sum = emptyTally();
  for (const { campaign, device } of senders.flatMap(({ entries }) => entries)) {
    const tally = campaign.tally(device);
    const isCancelled = campaign.mark?.state === 'cancelled';
    for (const state of rowStates)
      sum[isCancelled && state === 'planned' ? 'skipped' : state] += tally[state];
  }
  return sum;
}

type ShownSender = Pick<DeviceSender, 'device' | 'entries'>;

/**
 * Reports the progress of a run, with a line for each device and one for all: live on a terminal, every minute
 * elsewhere. It also reports long waits and their reasons.
 */
export class RunProgress {
  readonly #session: Pick<Session, 'terminal' | 'clock'>;
  readonly #waits = new Map<ShownSender, SendWait>();
  /** The last report of each device. */
  readonly #told = new Map<ShownSender, string>();
  /** How many rows each device had to send at the start. */
  readonly #atStart = new Map<ShownSender, number>();
  #stop: () => void = () => undefined;
  #begunAt = 0;

  constructor(session: Pick<Session, 'terminal' | 'clock'>) {
    this.#session = session;
  }

  begin(senders: readonly ShownSender[]): void {
    const { terminal, clock } = this.#session;
    this.#begunAt = clock.now();
    for (const sender of senders) this.#atStart.set(sender, leftOf(totalOf([sender])));
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

  onWait(sender: ShownSender, wait: SendWait | undefined): void {
    if (wait) this.#waits.set(sender, wait);
    else this.#waits.delete(sender);
    const now = this.#session.clock.now();
    if (!wait || (!wait.other && !wait.isAway && wait.until - now <= longWaitMs)) return;
    // A pause follows each message. Another message of the same process is a new wait.
    const told = wait.other ? `${wait.because} ${wait.until}` : wait.because;
    if (this.#told.get(sender) === told) return;
    this.#told.set(sender, told);
    const until = untilWords(wait.until, now, wait.zone);
    const text = `${sender.device.label} waits until ${until}: ${wait.because}`;
    this.#session.terminal.note(joinRemarks([text, wait.hint], ' ') ?? text);
  }

  #lines(): readonly string[] {
    const senders = [...this.#atStart.keys()];
    const all = this.#figures(senders);
    if (senders.length < 2) return [all];
    const { terminal } = this.#session;
    // Wrapped lines count too, because lines that scrolled off the screen can't be erased.
    const most = terminal.interactive ? Math.max(1, Math.floor(terminal.rows / 2) - 2) : senders.length;
    const shown = senders.length > most ? senders.slice(0, most) : senders;
    const lines = shown.map((sender) => `${sender.device.label}: ${this.#figures([sender])}`);
    if (shown.length < senders.length)
      lines.push(`and ${pluralize(senders.length - shown.length, 'more device')}`);
    return [...lines, `all: ${all}`];
  }

  #figures(senders: readonly ShownSender[]): string {
    const tally = totalOf(senders);
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
    const waits = senders.map((sender) => this.#waits.get(sender));
    const next = Math.min(...waits.map((wait) => wait?.until ?? now)) - now;
    const [other, ...others] = waits.map((wait) => wait?.other);
    if (next > 0 && other && others.length === 0)
      parts.push(
        `waits for ${other.holder ?? 'another process'}, whose message is unknown in ${shortDuration(next)}`,
      );
    else if (next > 0) parts.push(`next in ${shortDuration(next)}`);
    const done = senders.reduce((sum, sender) => sum + (this.#atStart.get(sender) ?? 0), 0) - left;
    if (done > 1 && left > 0) {
      const isTimed = senders.some(({ entries }) =>
        entries.some(({ campaign }) => usesDays(campaign.campaign)),
      );
      const end = isTimed ? this.#endAtPace(senders, now) : now + ((now - this.#begunAt) / done) * left;
      parts.push(`ends about ${untilWords(end, now)}`);
    }
    return parts.filter((part) => part !== false).join(' · ');
  }

  /**
   * Estimates when devices have sent all rows, by their paces. Their speed so far is no basis, because it includes
   * nights.
   */
  #endAtPace(senders: readonly ShownSender[], now: number): number {
    const ends = senders.map((sender) => {
      const left = leftOf(totalOf([sender]));
      if (left === 0) return now;
      const next = Math.max(now, this.#waits.get(sender)?.until ?? now);
      return Math.max(
        this.#begunAt + timeFor(sender, this.#atStart.get(sender) ?? 0),
        next + timeFor(sender, left),
      );
    });
    return Math.max(...ends);
  }
}

/** Estimates how long a device takes for messages, in milliseconds, by the slowest pace of its campaigns. */
function timeFor({ entries }: ShownSender, messages: number): number {
  return 1000 * Math.max(...entries.map(({ campaign }) => secondsAtPace(campaign.campaign, messages)));
}

function leftOf({ planned, sending }: Tally): number {
  return planned + sending;
}
