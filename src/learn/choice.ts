import type { ListReader } from './list-reader.ts';

/** The result of one choice. */
export interface Finding {
  /** The name of the choice. */
  readonly choice: string;
  readonly specification: string;
  readonly known: boolean;
  /** The behaviour of this service in words; null if it is unknown. */
  readonly service: string | null;
  /** The same for programs; null if it is unknown. */
  readonly value: unknown;
  /** The evidence, or the reason why it is unknown. */
  readonly how: string;
  /** How to find it out; null if it is known. */
  readonly remedy: string | null;
}

/** The part of a finding that a choice determines. */
export type Outcome = Omit<Finding, 'choice' | 'specification'>;

/** A detail of lists that the specification leaves to the service. */
export interface Choice {
  readonly name: string;
  /** The specification's statement about it. */
  readonly specification: string;
  /**
   * Determines what this service does, using reads only. It judges by the returned rows, because a status proves
   * nothing.
   * @throws ReadingStopped if no further request may be made, or the service stops responding
   */
  learn(service: ListReader): Promise<Outcome>;
}

/** Returns the outcome of a choice that could be determined. */
export function knownOutcome(service: string, value: unknown, how: string): Outcome {
  return { known: true, service, value, how, remedy: null };
}

/** Returns the outcome of a choice that could not be determined: the reason, and how to determine it. */
export function unknownOutcome(how: string, remedy: string): Outcome {
  return { known: false, service: null, value: null, how, remedy };
}
