import { command, type Remark, remark } from '../../lib/text/remark.ts';
import { oneLine } from '../../lib/text/sentence.ts';

/** Characters of the service's words that are quoted: two lines, with what stands before them. */
const maxWords = 100;

/** Returns the service's words as a clause, without a full stop: `the service says: rate-overlimit`. */
export function saidByService(words: string): string {
  return `the service says: ${oneLine(words, maxWords).replace(/\.$/, '')}`;
}

/** Returns the service's words as a sentence of its own: `The service says: rate-overlimit.` */
export function serviceSays(words: string): string {
  return `${saidByService(words).replace(/^t/, 'T')}.`;
}

/** Returns the hint for when the service, or the messaging app, refuses further attempts. @param word of the device */
export function hintAtLimit(word: string): Remark {
  return remark`Wait before you try again, as each attempt may prolong it. See how it is: ${command('device', 'status', word)}`;
}
