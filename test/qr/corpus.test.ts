import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { corpus, type Outcome, outcomeOf, type Sample, tallyOf } from './corpus.ts';

/** Tests every nth sample of each kind. A prime, so that each varied value occurs. */
const step = 11;

function* sampled(): Generator<Sample> {
  const seen = new Map<string, number>();
  for (const sample of corpus()) {
    const before = seen.get(sample.kind) ?? 0;
    seen.set(sample.kind, before + 1);
    if (before % step === 0) yield sample;
  }
}

/** Returns jsQR's result from the pixels before they are stored. Transparent is white. */
function byJsqr({ text, picture }: Sample): Outcome {
  const { width, height, pixel } = picture();
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const [red, green, blue, alpha] = pixel(at % width, Math.floor(at / width));
    const onWhite = (shade: number): number => (shade * alpha) / 255 + 255 - alpha;
    data.set([onWhite(red), onWhite(green), onWhite(blue), 255], at * 4);
  }
  const found = jsQR(data, width, height);
  if (!found) return 'noCode';
  return Buffer.from(found.binaryData).toString('utf8') === text ? 'read' : 'misread';
}

// These tests take seconds, and more on a busy machine.
describe('pictures of codes', { timeout: 60_000 }, () => {
  it('are read, and none incorrectly', () => {
    const { share, misread, report } = tallyOf(sampled(), outcomeOf);
    expect(misread).toEqual([]);
    expect(share, report).toBeGreaterThanOrEqual(0.988);
  });

  it('are valid: another reader reads most of them, and none incorrectly', () => {
    const { share, misread, report } = tallyOf(sampled(), byJsqr);
    expect(misread).toEqual([]);
    expect(share, report).toBeGreaterThanOrEqual(0.9);
  });
});
