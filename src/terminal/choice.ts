/** One of the things to choose from. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  /** Shown below the list while the choice is marked. */
  readonly description?: string;
}
