import { writeSync } from 'node:fs';
import { offeredNames } from './offered-names.ts';

/**
 * `botctl completion --names <noun> --word=<word> [<the line so far>]`, which the completion scripts call at
 * each press of Tab. It stands apart from the program, so that next to nothing is loaded: see bin/botctl.js.
 */
function completeNames(): void {
  const bytes = Buffer.from(offeredNames(process.argv.slice(4), process.env));
  try {
    // process.stdout would load what streams and terminals need.
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
  } catch {
    // The shell has gone on.
  }
}

completeNames();
