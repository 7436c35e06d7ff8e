import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { forged, mebibyte, urlOf, useReadings, zeros } from '../qr/forged.ts';
import { pngChunk } from '../qr/write-png.ts';

const readingBy = useReadings();

/** Returns a file of 400 KB that claims ten thousand pixels, and whose pixels unpack to 400 MB. */
const bomb = (): Buffer => forged([100, 100, 0, 8], zeros(400));

/** Returns a picture of the claimed size whose colour profile unpacks to 400 MB. */
const profileBomb = (): Buffer =>
  forged(
    [100, 100, 0, 8],
    deflateSync(Buffer.alloc(100 * 101)),
    pngChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), zeros(400)])),
  );

const readers = [
  ['botctl', 'damaged: is a damaged PNG: it holds more pixels than its header says', 'noCode: is blank'],
  ['phone', 'The PNG has more data than its header says.', 'The phone sees no QR code in the picture.'],
] as const;
describe.each(readers)('%s, within 32 MiB of memory and at once,', (reader, ofPixels, ofProfile) => {
  it.each([
    ['refuses a bomb of pixels', bomb, ofPixels],
    ['leaves a bomb of a colour profile packed', profileBomb, ofProfile],
  ])('%s', async (_, png, expected) => {
    const { outcome, grownBytes, cpuMs } = await readingBy(reader, urlOf(png()));
    expect(outcome).toBe(expected);
    expect(grownBytes).toBeLessThan(32 * mebibyte);
    expect(cpuMs).toBeLessThan(1000);
  });
});
