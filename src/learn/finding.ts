/** What was found out of one choice that the specification leaves to the service. */
export interface Finding {
  /** The choice, as people and scripts name it. */
  readonly choice: string;
  readonly specification: string;
  readonly known: boolean;
  /** What this service does, in words; null where that is unknown. */
  readonly service: string | null;
  /** The same for programs; null where it is unknown. */
  readonly value: unknown;
  /** How it is known, or why it is not. */
  readonly how: string;
  /** What would make it known; null where it is. */
  readonly remedy: string | null;
}
