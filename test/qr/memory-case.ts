/**
 * Reads one picture in a process of its own, and prints what came of it and how much more memory the process
 * had at most than before: `{"outcome":"noCode: is blank","grownBytes":1048576}`. Its arguments are a good
 * picture to warm up with, and the file of the picture's data URL.
 */
import { readFileSync } from 'node:fs';
import { readDataUrl } from '../../src/qr/data-url.ts';
import { decodePng } from '../../src/qr/decode.ts';
import { Unreadable } from '../../src/qr/unreadable.ts';
import { peakBytes } from '../bench/peak.ts';

function outcomeOf(url: string): string {
  try {
    return `read: ${decodePng(readDataUrl(url))}`;
  } catch (error) {
    if (error instanceof Unreadable) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

const [good = '', bad = ''] = process.argv.slice(2);
const url = readFileSync(bad, 'latin1');
// What the code itself takes, and what the engine does at its first run, is no matter of the picture.
outcomeOf(readFileSync(good, 'latin1'));
const before = process.memoryUsage.rss();
const outcome = outcomeOf(url);
process.stdout.write(JSON.stringify({ outcome, grownBytes: peakBytes() - before }));
