import { oneLine } from '../../lib/text/one-line.ts';

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
