import type { FailureKind } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';
import type { Subject } from './subject.ts';

/** The result of a check. `skipped`: there was nothing to look at, or something before it is broken. */
export type Verdict = 'ok' | 'warning' | 'broken' | 'skipped';

/** The answer of a check that found nothing broken. */
export interface Answer {
  readonly verdict: Exclude<Verdict, 'broken'>;
  /** One sentence. */
  readonly found: string;
  /** The advice about it, with the exact next command. */
  readonly remedy?: RemarkText | undefined;
}

/** A check with its result. */
export interface Finding extends Omit<Answer, 'verdict'> {
  readonly check: string;
  readonly verdict: Verdict;
  /** The kind of failure that it ends the command with, if it is broken. */
  readonly kind?: FailureKind;
}

/** Something that can be looked at. */
export interface Check {
  /** The thing that is looked at, as scripts and people see it: `config file`. */
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
