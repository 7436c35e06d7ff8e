import type { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import type { Campaign, CampaignRow, Mark } from '../campaign.ts';
import { noCampaign } from '../named.ts';
import { noRows, type RowChange, type RowState, type Tally } from '../row-state.ts';
import type { RunningCampaign } from '../running.ts';
import { CampaignFile } from './campaign-file.ts';
import { inTurn } from './in-turn.ts';
import { isSameMachine, ofOtherMachine, thisMachine } from './machine.ts';
import { readMark } from './mark.ts';

/** A campaign on a file that is being sent: only what is new in the file is read each time. */
export class CampaignOnFile implements RunningCampaign {
  readonly #file: CampaignFile;
  readonly #tallies = new Map<number, Record<RowState, number>>();
  /** Before these rows no row of the device is planned; counted from 0. */
  readonly #firstPlanned = new Map<number, number>();
  #stored: { readonly campaign: Campaign; readonly rows: readonly CampaignRow[] };
  #mark: Mark | undefined;

  /**
   * @param path its file
   * @param name what it is called on the line
   * @throws Failure `notFound`, and `invalidInput` where it can't be read
   */
  constructor(
    path: string,
    readonly name: string,
  ) {
    this.#file = new CampaignFile(path, (now, before) => this.#note(now, before));
    this.#stored = this.read();
  }

  get id(): string {
    return this.#file.path;
  }

  get campaign(): Campaign {
    return this.#stored.campaign;
  }

  get mark(): Mark | undefined {
    return this.#mark;
  }

  get obstacle(): Failure | undefined {
    const { made_on } = this.campaign;
    if (isSameMachine(made_on, thisMachine())) return undefined;
    return ofOtherMachine(`Campaign ${inSentence(this.name)}`, made_on, [this.name]);
  }

  /**
   * Reads what other processes have changed. Returns its rows as they stand.
   * @throws Failure as the constructor
   */
  read(): { readonly campaign: Campaign; readonly rows: readonly CampaignRow[] } {
    const stored = this.#file.read();
    if (!stored) throw noCampaign(this.name);
    this.#stored = stored;
    this.#mark = readMark(this.#file.path, stored.campaign);
    return stored;
  }

  async refresh(): Promise<void> {
    this.read();
  }

  tally(device: number): Tally {
    return this.#tallies.get(device) ?? noRows();
  }

  async rowsIn(states: readonly RowState[]): Promise<ReadonlyMap<number, CampaignRow>> {
    const found = this.read().rows.filter(({ state }) => states.includes(state));
    return new Map(found.map((row) => [row.row, row]));
  }

  /** Returns the rows of a device whose outcome has not come. */
  sending(device: number): readonly CampaignRow[] {
    if (this.tally(device).sending === 0) return [];
    return this.#stored.rows.filter((row) => row.state === 'sending' && row.device === device);
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
    return inTurn(this.id, `campaign ${this.name}`, signal, () => this.#file.record(changes, isSynchronised));
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
    return inTurn(this.id, `campaign ${this.name}`, signal, () => {
      if (readMark(this.id, this.campaign) || isHeld()) return undefined;
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
    const tally = this.#tallies.get(device) ?? noRows();
    this.#tallies.set(device, tally);
    if (before) tally[before.state] -= 1;
    tally[now.state] += 1;
    if (now.state === 'planned')
      this.#firstPlanned.set(device, Math.min(this.#firstPlanned.get(device) ?? 0, now.row - 1));
  }
}
