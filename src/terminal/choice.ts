/** One of the things to choose from. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  /** The name where the description stands beside it, if that says a part of it already. */
  readonly besideDescription?: string;
  /** Shown below the list while the choice is marked. */
  readonly description?: string;
}
