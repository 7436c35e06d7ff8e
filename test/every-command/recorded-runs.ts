import type { Ran } from '../support/botctl.ts';
import { Tape } from './front.ts';
import type { Place, PlacedRun } from './place.ts';

/**
 * Runs one command repeatedly in different formats and situations. The sandbox is called once; its answers are replayed
 * as long as the command makes the same calls. If it makes another call, or uses the sandbox's control channel, it runs
 * on a service in its original state.
 */
export class RecordedRuns {
  readonly #place: Place;
  #tape: Tape | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Runs the command on a service of size `one`. */
  async run(args: readonly string[], options: PlacedRun = {}): Promise<Ran> {
    return (await this.#replayed(args, options)) ?? this.#recorded(args, options);
  }

  /** Returns undefined if nothing was recorded yet, or the recorded calls differ. */
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
