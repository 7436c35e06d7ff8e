import type { CampaignRow } from '../campaign.ts';
import type { Pace } from '../pace.ts';
import type { RowState } from '../row-state.ts';
import type { RowChange, StoredCampaign } from '../store.ts';
import { CampaignFile } from './campaign-file.ts';
import { campaignPath, noCampaign } from './file-store.ts';
import { inTurn } from './in-turn.ts';
import { readMark } from './mark.ts';

/** How many rows of a device are in each state. */
export type Tally = Readonly<Record<RowState, number>>;

const noRows: Tally = { planned: 0, sending: 0, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };

/** A campaign that is being sent: its rows by device, as they stand, whichever process changes them. */
export class RunningCampaign {
  readonly #file: CampaignFile;
  readonly #tallies = new Map<number, Record<RowState, number>>();
  /** Before these rows no row of the device is planned; counted from 0. */
  readonly #firstPlanned = new Map<number, number>();
  #stored: StoredCampaign;

  /**
   * @param data the directory of botctl's data
   * @throws Failure `notFound`, and `invalidInput` where it can't be read
   */
  constructor(
    data: string,
    readonly origin: string,
    readonly name: string,
  ) {
    this.#file = new CampaignFile(campaignPath(data, origin, name), (now, before) => this.#note(now, before));
    this.#stored = this.refresh();
  }

  get path(): string {
    return this.#file.path;
  }

  /** How fast and when its messages may go. */
  get pace(): Pace {
    const { gap, daily, warm_up, windows, tz } = this.#stored.campaign;
    return { gap, daily, warm_up, windows, tz };
  }

  get stored(): StoredCampaign {
    return this.#stored;
  }

  /**
   * Reads what other processes have changed.
   * @throws Failure as the constructor
   */
  refresh(): StoredCampaign {
    const stored = this.#file.read();
    if (!stored) throw noCampaign(this.name);
    this.#stored = { ...stored, mark: readMark(this.#file.path, stored.campaign) };
    return this.#stored;
  }

  /** Returns how many rows of a device are in each state. */
  tally(device: number): Tally {
    return this.#tallies.get(device) ?? noRows;
  }

  /** Returns the first row that a device has to send, or undefined if there is none. */
  next(device: number): CampaignRow | undefined {
    const { rows } = this.#stored;
    let at = this.#firstPlanned.get(device) ?? 0;
    const isNext = ({ state, device: its }: CampaignRow): boolean => state === 'planned' && its === device;
    for (let row = rows[at]; row && !isNext(row); row = rows[at]) at += 1;
    this.#firstPlanned.set(device, at);
    return rows[at];
  }

  /**
   * Keeps what happens to rows. Returns those that it could happen to, as they stand then.
   * @param isSynchronised whether it is on the disk before this returns
   * @param signal ends the waiting for another process
   * @throws Failure as the constructor, and where it can't be written
   */
  record(
    changes: readonly RowChange[],
    { isSynchronised, signal }: { readonly isSynchronised: boolean; readonly signal: AbortSignal },
  ): Promise<readonly CampaignRow[]> {
    return inTurn(this.#file.path, `campaign ${this.name}`, signal, () =>
      this.#file.record(changes, isSynchronised),
    );
  }

  /**
   * Keeps, on the disk before this returns, that a row is about to be sent. Returns it as it stands then, or undefined if it
   * isn't to be sent: it isn't planned any more, it is held, or the campaign was paused or cancelled by who had the turn before.
   * @param isHeld looked at in the turn
   * @param signal ends the waiting for another process
   * @throws Failure as `record`
   */
  claim(
    row: number,
    { at, signal, isHeld }: { readonly at: string; readonly signal: AbortSignal; isHeld(): boolean },
  ): Promise<CampaignRow | undefined> {
    return inTurn(this.#file.path, `campaign ${this.name}`, signal, () => {
      if (readMark(this.path, this.#stored.campaign) || isHeld()) return undefined;
      return this.#file.record([{ row, event: 'claim', at }], true)[0];
    });
  }

  #note(now: CampaignRow, before: CampaignRow | undefined): void {
    if (!before && now.row === 1) {
      this.#tallies.clear();
      this.#firstPlanned.clear();
    }
    const { device } = now;
    if (device === undefined) return;
    const tally = this.#tallies.get(device) ?? { ...noRows };
    this.#tallies.set(device, tally);
    if (before) tally[before.state] -= 1;
    tally[now.state] += 1;
    if (now.state === 'planned')
      this.#firstPlanned.set(device, Math.min(this.#firstPlanned.get(device) ?? 0, now.row - 1));
  }
}
