import type { FailureKind } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';
import type { Subject } from './subject.ts';

/** What came of a check. `skipped`: there was nothing to look at, or something before it is broken. */
export type Verdict = 'ok' | 'warning' | 'broken' | 'skipped';

/** What a check found where nothing is broken. */
export interface Answer {
  readonly verdict: Exclude<Verdict, 'broken'>;
  /** One sentence. */
  readonly found: string;
  /** What to do about it, with the exact next command. */
  readonly remedy?: RemarkText | undefined;
}

/** A check, and what came of it. */
export interface Finding extends Omit<Answer, 'verdict'> {
  readonly check: string;
  readonly verdict: Verdict;
  /** How the command fails by it, where it is broken. */
  readonly kind?: FailureKind;
}

/** Something that can be looked at. */
export interface Check {
  /** What is looked at, as scripts and people see it: `config file`. */
  readonly name: string;
  /** The checks without which this one means nothing: where one of them is broken, this one is skipped. */
  readonly needs?: readonly string[] | ((subject: Subject) => readonly string[]);
  /** @throws Failure where it is broken: the message says what was found, the hint what to do */
  run(subject: Subject): Answer | Promise<Answer>;
}

/** Everything is as it should be. */
export function ok(found: string): Answer {
  return { verdict: 'ok', found };
}

/** It works, and deserves attention. */
export function warning(found: string, remedy?: RemarkText): Answer {
  return { verdict: 'warning', found, remedy };
}

/** There is nothing to look at. */
export function skipped(found: string, remedy?: RemarkText): Answer {
  return { verdict: 'skipped', found, remedy };
}

/** `1 row`, `3 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
