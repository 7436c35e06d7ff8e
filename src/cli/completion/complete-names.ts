import { writeSync } from 'node:fs';
import { offeredNames } from './offered-names.ts';

const nouns = ['team', 'bot', 'document', 'device', 'key', 'profile', 'campaign'] as const;

/**
 * `botctl completion --names <noun> --word=<word> [<the line so far>]`, which the completion scripts call at
 * each press of Tab. It stands apart from the program, so that next to nothing is loaded: see bin/botctl.js.
 */
function completeNames(): void {
  const [noun, typed = '', ...line] = process.argv.slice(4);
  const known = nouns.find((one) => one === noun);
  try {
    const offers = known ? offeredNames(known, typed.replace(/^--word=/, ''), line, process.env) : [];
    const bytes = Buffer.from(offers.map(({ text, note }) => `${text}\t${note}\n`).join(''));
    // process.stdout would load what streams and terminals need.
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
  } catch {
    // Nothing is known, or the shell has gone on.
  }
}

completeNames();
