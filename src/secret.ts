import { inspect } from 'node:util';

/** What stands in place of a secret. */
export const mask = '••••••••';

/**
 * A value that can't be printed by accident: every way of turning it into text gives the mask.
 * Only `reveal` gives the value, and each use of it is a place to review.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}
