import type { Ran } from '../support/botctl.ts';
import { Tape } from './front.ts';
import type { Place, PlacedRun } from './place.ts';

/**
 * Runs one command again and again, in other formats and situations: the sandbox is asked once, and its answers are
 * played again as long as the command makes the same calls. Where it makes another one, and where it speaks to the
 * sandbox beside the API, it runs on a service that is as it was at first.
 */
export class RecordedRuns {
  readonly #place: Place;
  #tape: Tape | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Runs the command, on the service of one size that the place describes. */
  async run(args: readonly string[], options: PlacedRun = {}): Promise<Ran> {
    return (await this.#replayed(args, options)) ?? this.#recorded(args, options);
  }

  /** Undefined where nothing was recorded yet, or something else was. */
  async #replayed(args: readonly string[], options: PlacedRun): Promise<Ran | undefined> {
    const tape = this.#tape;
    if (!tape || args[0] === 'sandbox') return undefined;
    const { front } = this.#place;
    front.replay(tape);
    const ran = await this.#place.run(args, options).finally(() => front.live());
    return tape.hasMissed ? undefined : ran;
  }

  async #recorded(args: readonly string[], options: PlacedRun): Promise<Ran> {
    const { front } = this.#place;
    await this.#place.enter('one');
    const tape = new Tape();
    front.record(tape);
    this.#tape = tape;
    return this.#place.run(args, options).finally(() => front.live());
  }
}
