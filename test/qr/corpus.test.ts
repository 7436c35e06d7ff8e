import { describe, expect, it } from 'vitest';
import { decodePng } from '../../src/qr/decode.ts';
import { Unreadable } from '../../src/qr/unreadable.ts';
import { drawnCode, type Look, payloadOf } from './codes.ts';
import { type Storage, writePng } from './write-png.ts';

/** A picture of a text. */
interface Sample {
  readonly name: string;
  readonly text: string;
  readonly look?: Look;
  readonly storage?: Storage;
}

const oneBit: Storage = { colourType: 0, depth: 1 };
const rgba: Storage = { colourType: 6, depth: 8 };
const levels = ['low', 'medium', 'quartile', 'high'] as const;

/** Texts of every length that pairing uses, every level, size and margin. */
function* core(): Generator<Sample> {
  for (const length of [20, 60, 120, 281, 450]) {
    for (const level of levels) {
      for (const scale of [1, 2, 3, 4, 7, 12]) {
        // Fewer combinations are enough to meet each value with each other one.
        for (const margin of [0, 1, 2, 4]) {
          if ((length + levels.indexOf(level) + scale + margin) % 3 !== 0) continue;
          if (scale > 4 && length > 120 && length < 450) continue;
          yield {
            name: `${length} characters, level ${level}, ${scale} px a module, margin ${margin}`,
            text: payloadOf(length),
            look: { level, scale, margin },
            storage: oneBit,
          };
        }
      }
    }
  }
}

/** Every way of storing pixels. */
function* formats(): Generator<Sample> {
  const storages: readonly Storage[] = [
    ...([1, 2, 4, 8, 16] as const).map((depth) => ({ colourType: 0, depth }) as const),
    ...([8, 16] as const).flatMap((depth) =>
      ([2, 4, 6] as const).map((colourType) => ({ colourType, depth }) as const),
    ),
    ...([1, 2, 4, 8] as const).map((depth) => ({ colourType: 3, depth }) as const),
  ];
  for (const storage of storages) {
    for (const interlaced of [false, true]) {
      for (const filter of [0, 4, 'all'] as const) {
        yield {
          name: `colour type ${storage.colourType}, ${storage.depth} bits, filter ${filter}${interlaced ? ', interlaced' : ''}`,
          text: payloadOf(281),
          look: { scale: 3 },
          storage: { ...storage, interlaced, filter },
        };
      }
    }
  }
  yield { name: 'pixels in many chunks', text: payloadOf(281), storage: { ...rgba, chunkSize: 100 } };
}

/** Colours and transparency. */
function* colours(): Generator<Sample> {
  const looks: Readonly<Record<string, Look>> = {
    inverted: { dark: [255, 255, 255, 255], light: [0, 0, 0, 255] },
    green: { dark: [0x19, 0x87, 0x54, 255] },
    blue: { dark: [0x17, 0x51, 0x97, 255] },
    'light green': { dark: [110, 200, 110, 255] },
    'low contrast': { dark: [150, 150, 150, 255], light: [230, 230, 230, 255] },
    'white on blue': { dark: [255, 255, 255, 255], light: [0, 0, 160, 255] },
    'black on nothing': { light: [0, 0, 0, 0] },
    'black on transparent white': { light: [255, 255, 255, 0] },
    'white on nothing': { dark: [255, 255, 255, 255], light: [0, 0, 0, 0] },
    'holes in white': { dark: [255, 255, 255, 0] },
    'holes in black': { dark: [0, 0, 0, 0], light: [0, 0, 0, 255] },
    'half transparent': { dark: [0, 0, 0, 128], light: [0, 0, 0, 0] },
  };
  for (const [name, look] of Object.entries(looks)) {
    for (const scale of [1, 3]) {
      for (const storage of [rgba, { colourType: 3, depth: 8 }, { colourType: 3, depth: 1 }] as const) {
        yield {
          name: `${name}, ${scale} px a module, colour type ${storage.colourType}`,
          text: payloadOf(237),
          look: { ...look, scale },
          storage,
        };
      }
    }
  }
  for (const storage of [
    { colourType: 0, depth: 8 },
    { colourType: 0, depth: 4 },
    { colourType: 0, depth: 16 },
    { colourType: 2, depth: 8 },
    { colourType: 2, depth: 16 },
  ] as const) {
    yield {
      name: `one colour is transparent, colour type ${storage.colourType}, ${storage.depth} bits`,
      text: payloadOf(237),
      look: { light: [0, 0, 0, 0] },
      storage: { ...storage, keyed: true },
    };
  }
}

/** What else services draw. */
function* odd(): Generator<Sample> {
  for (const level of ['quartile', 'high'] as const) {
    for (const logo of [0.1, 0.15, 0.2]) {
      yield {
        name: `a logo of ${logo * 100} %, level ${level}`,
        text: payloadOf(281),
        look: { level, logo, scale: 6 },
      };
    }
  }
  yield { name: 'digits', text: '1234567890'.repeat(9) };
  yield { name: 'capitals', text: 'HTTPS://SANDBOX.INVALID/PAIR' };
  yield { name: 'other scripts', text: 'Olá, 世界 😀 שלום' };
  yield { name: 'the most there is', text: payloadOf(2900), look: { level: 'low', scale: 2 } };
  yield {
    name: 'the largest that services draw',
    text: payloadOf(450),
    look: { level: 'high', scale: 12 },
    storage: { colourType: 6, depth: 16 },
  };
}

/** What a reader makes of a sample: its text, another text, or why not. */
function outcome({ text, look, storage = rgba }: Sample): 'read' | 'misread' | string {
  try {
    return decodePng(writePng(drawnCode(text, look), storage)) === text ? 'read' : 'misread';
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
}

describe.each([
  ['sizes, levels and margins', core],
  ['ways of storing pixels', formats],
  ['colours and transparency', colours],
  ['logos and texts', odd],
])('pictures of codes: %s', (_name, samples) => {
  it('are all read', () => {
    const all = [...samples()];
    const failed = all
      .map((sample) => ({ name: sample.name, outcome: outcome(sample) }))
      .filter((one) => one.outcome !== 'read');
    expect(failed).toEqual([]);
    expect(all.length).toBeGreaterThan(8);
  });
});
