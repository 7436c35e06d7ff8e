/**
 * Reads one picture in a process of its own, and prints the result, the peak growth of the process's memory, and the
 * CPU time: `{"outcome":"noCode: is blank","grownBytes":1048576,"cpuMs":2}`. Its arguments are the reader (botctl or
 * the phone), the file of a valid picture's data URL to warm up with, and that of the picture.
 */
import { readFileSync } from 'node:fs';
import { Failure } from '../../src/lib/errors.ts';
import { readDataUrl } from '../../src/qr/data-url.ts';
import { decodePng } from '../../src/qr/decode.ts';
import { UnreadablePicture } from '../../src/qr/unreadable-picture.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';
import { peakBytes } from '../bench/peak.ts';

function outcomeOf(url: string): string {
  try {
    const png = readDataUrl(url);
    return `read: ${reader === 'phone' ? readPicture(png) : decodePng(png)}`;
  } catch (error) {
    if (error instanceof UnreadablePicture) return `${error.reason}: ${error.message}`;
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

const [reader, good = '', bad = ''] = process.argv.slice(2);
const url = readFileSync(bad, 'latin1');
// The warm-up excludes the memory of the code itself and of the engine's first run.
outcomeOf(readFileSync(good, 'latin1'));
const before = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
const outcome = outcomeOf(url);
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(
  JSON.stringify({ outcome, grownBytes: peakBytes() - before, cpuMs: (user + system) / 1000 }),
);
