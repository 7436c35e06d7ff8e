import { Failure } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';

/** What is said of a file whose characters aren't counted, after its name, and what can be done about it. */
interface Refusal {
  readonly says: string;
  readonly remedy: string;
}

const refusals = {
  empty: { says: 'has no characters but white space', remedy: 'Give a file with text in it.' },
  encrypted: {
    says: 'is encrypted',
    remedy: 'Pipe its password in with --password-stdin where it is a PDF; save a Word file without one.',
  },
  'no-text': {
    says: 'has no text to count',
    remedy: 'If it is a scan, recognise its text (OCR) first and use that PDF. If it is a form, fill it in.',
  },
  mismatch: {
    says: 'is something else than its name says',
    remedy: 'Give the file the extension that fits its content.',
  },
  unsupported: {
    says: 'is of a format that botctl does not read',
    remedy: 'Export it as PDF, Word document or text.',
  },
  corrupt: {
    says: 'is damaged, or cut short',
    remedy: 'Open it with the program that made it, and save it anew.',
  },
  bomb: {
    says: 'unpacks to far more than a document has',
    remedy: 'Save it anew where it comes from you; leave it alone where it does not.',
  },
  'too-large': {
    says: 'takes more memory to read than a document gets',
    remedy: 'Split it if it comes from you; leave it alone otherwise.',
  },
  'timed-out': {
    says: 'takes longer to read than a document gets',
    remedy: 'Split it if it comes from you; leave it alone otherwise.',
  },
  'not-text': {
    says: 'is not text: it holds binary data',
    remedy: 'Export it as PDF, Word document or text.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/** The reason why the characters of a file aren't counted. */
export type RefusalReason = keyof typeof refusals;

/** The reasons. */
export const refusalReasons: readonly RefusalReason[] = Object.keys(refusals).filter(
  (reason): reason is RefusalReason => Object.hasOwn(refusals, reason),
);

/** The failure of a file whose characters aren't counted. */
export class NotCounted extends Failure {
  readonly reason: RefusalReason;

  /**
   * @param says what is said of it, where that is more than the reason alone says
   * @param hint what can be done about it, where that is something else
   */
  constructor(reason: RefusalReason, name: string, says: string = refusals[reason].says, hint?: RemarkText) {
    const remedy = `${refusals[reason].remedy} Or upload it by itself, with the number of its characters: --chars <number>.`;
    super('invalidInput', `"${name}" ${says}.`, { hint: hint ?? remedy });
    this.reason = reason;
  }
}
