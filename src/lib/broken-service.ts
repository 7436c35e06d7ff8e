import type { Failure, FailureKind } from './errors.ts';

/** What says of the service, not of an item, that it doesn't work. */
const brokenKinds: ReadonlySet<FailureKind> = new Set(['network', 'rateLimited', 'outcomeUnknown']);

/** After so many in a row that failed by that, the others would as well. */
const maxBrokenInARow = 3;

/** Tells by what came of items, one after the other, when none of the others can get past what stopped them. */
export class BrokenService {
  #inARow = 0;
  #isOver = false;

  /** True once no other item is to be begun. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Notes what came of an item; a signal and a refused key end it at once.
   * @param failure undefined where it succeeded
   */
  note(failure: Failure | undefined): void {
    this.#inARow = failure && brokenKinds.has(failure.kind) ? this.#inARow + 1 : 0;
    const stopsAll = failure?.isInterruption === true || failure?.kind === 'authentication';
    if (stopsAll || this.#inARow >= maxBrokenInARow) this.#isOver = true;
  }
}
