import { Failure } from '../../lib/errors.ts';
import type { RemarkText } from '../../lib/text/remark.ts';

/** The message for a file whose characters aren't counted, after its name, and the hint. */
interface Refusal {
  readonly says: string;
  readonly remedy: string;
}

const refusals = {
  empty: { says: 'has no text, or only white space', remedy: 'Use a file with text.' },
  encrypted: {
    says: 'is encrypted',
    remedy: 'For a PDF, pipe its password in with --password-stdin. Save a Word file without a password.',
  },
  'no-text': {
    says: 'has no text to count',
    remedy: 'If it is a scan, recognise its text (OCR) first and use that PDF. If it is a form, fill it in.',
  },
  mismatch: {
    says: 'is not what its extension says',
    remedy: 'Give the file the right extension.',
  },
  unsupported: {
    says: "is in a format that botctl can't read",
    remedy: 'Export it as PDF, Word document or text.',
  },
  corrupt: {
    says: 'is damaged or incomplete',
    remedy: 'Open it in the program that made it, and save it again.',
  },
  bomb: {
    says: 'unpacks to far more data than a document has',
    remedy: "If it is yours, save it again. Otherwise don't open it.",
  },
  'too-large': {
    says: 'takes too much memory to read',
    remedy: 'Split it if it comes from you; leave it alone otherwise.',
  },
  'timed-out': {
    says: 'takes too long to read',
    remedy: 'Split it if it comes from you; leave it alone otherwise.',
  },
  'not-text': {
    says: 'is not text: it contains binary data',
    remedy: 'Export it as PDF, Word document or text.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/** The reason why the characters of a file aren't counted. */
export type RefusalReason = keyof typeof refusals;

export const refusalReasons: readonly RefusalReason[] = Object.keys(refusals).filter(
  (reason): reason is RefusalReason => Object.hasOwn(refusals, reason),
);

/** The failure for a file whose characters aren't counted. */
export class NotCounted extends Failure {
  readonly reason: RefusalReason;

  /**
   * @param says the message, if it is more specific than that of the reason
   * @param hint the hint, if it differs from that of the reason
   */
  constructor(reason: RefusalReason, name: string, says: string = refusals[reason].says, hint?: RemarkText) {
    const remedy = `${refusals[reason].remedy} Or upload it alone and give its number of characters: --chars <number>.`;
    super('invalidInput', `"${name}" ${says}.`, { hint: hint ?? remedy });
    this.reason = reason;
  }
}
