import type { Finding } from './finding.ts';
import type { Reading } from './reading.ts';

/** The part of a finding that a choice gives. */
export type Outcome = Omit<Finding, 'choice' | 'specification'>;

/** The sections of `botctl help specification`, which say what botctl and the sandbox do about a choice. */
export type Section =
  | 'names'
  | 'pages'
  | 'order'
  | 'members'
  | 'emptyValues'
  | 'errors'
  | 'headers'
  | 'requiredFields'
  | 'botDefaults'
  | 'emails'
  | 'quotas'
  | 'sizes'
  | 'rates'
  | 'deviceStates'
  | 'deletes';

/** Something that the specification leaves to the service. */
export interface Choice {
  readonly name: string;
  /** What the specification says of it. */
  readonly specification: string;
  readonly section: Section;
  /**
   * Finds out what this service does, by reads alone, and by what they show: a status alone proves nothing.
   * @throws Stopped where the service answers no more, or no further request may be made
   */
  learn(service: Reading): Promise<Outcome> | Outcome;
}

/** Returns what is known. */
export function known(service: string, value: unknown, how: string): Outcome {
  return { known: true, service, value, how, remedy: null };
}

/** Returns why something isn't known, and what would make it known. */
export function unknown(how: string, remedy: string): Outcome {
  return { known: false, service: null, value: null, how, remedy };
}

/**
 * Returns the name of a member, a code or a header. One of another form, or of many digits, may be made of somebody's data,
 * such as a key or a number, and is not told.
 */
export function shownName(name: string): string {
  const isName = /^[A-Za-z_][\w-]{0,39}$/.test(name) && name.replace(/\D/g, '').length < 4;
  return isName ? name : '(another name)';
}
