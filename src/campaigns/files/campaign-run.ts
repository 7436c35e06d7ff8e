import type { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import type { Campaign, CampaignRow, Mark, RowStanding } from '../campaign.ts';
import { noCampaign } from '../named.ts';
import type { RowChange, RowState, Tally } from '../row-state.ts';
import type { RunningCampaign } from '../running.ts';
import type { CampaignFile } from './campaign-file.ts';
import { inTurn } from './in-turn.ts';
import { isSameMachine, ofOtherMachine, thisMachine } from './machine.ts';
import { readMark } from './mark.ts';

/** A campaign on a file that is being sent: only what is new in the file is read each time. */
export class CampaignOnFile implements RunningCampaign {
  readonly #file: CampaignFile;
  #campaign: Campaign;
  #mark: Mark | undefined;

  /**
   * @param name what it is called on the line
   * @throws Failure `notFound`, and `invalidInput` where it can't be read
   */
  constructor(
    file: CampaignFile,
    readonly name: string,
  ) {
    this.#file = file;
    this.#campaign = this.read();
  }

  get id(): string {
    return this.#file.path;
  }

  get campaign(): Campaign {
    return this.#campaign;
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
   * Reads what other processes have changed. Returns what is frozen of it.
   * @throws Failure as the constructor
   */
  read(): Campaign {
    const campaign = this.#file.read();
    if (!campaign) throw noCampaign(this.name);
    this.#campaign = campaign;
    this.#mark = readMark(this.#file.path, campaign);
    return campaign;
  }

  async refresh(): Promise<void> {
    this.read();
  }

  tally(device: number): Tally {
    return this.#file.index.tally(device);
  }

  async rowsIn(states: readonly RowState[]): Promise<ReadonlyMap<number, RowStanding>> {
    this.read();
    return new Map(this.#standing(states).map((row) => [row.row, row]));
  }

  /** Returns the rows of a device whose outcome has not come. */
  sending(device: number): readonly RowStanding[] {
    if (this.tally(device).sending === 0) return [];
    return this.#standing(['sending']).filter((row) => row.device === device);
  }

  /** Returns the first row that a device has to send, or undefined if there is none. */
  next(device: number): CampaignRow | undefined {
    const row = this.#file.index.firstPlanned(device);
    return row === undefined ? undefined : this.#file.rows([row])[0];
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
  ): Promise<readonly RowStanding[]> {
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
  ): Promise<RowStanding | undefined> {
    return inTurn(this.id, `campaign ${this.name}`, signal, () => {
      if (readMark(this.id, this.campaign) || isHeld()) return undefined;
      return this.#file.record([{ row, event: 'claim', at }], true)[0];
    });
  }

  #standing(states: readonly RowState[]): readonly RowStanding[] {
    const { index } = this.#file;
    return Array.from(index.inStates(states)).flatMap((row) => index.standing(row) ?? []);
  }
}
