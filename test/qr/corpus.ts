import { decodePng } from '../../src/qr/decode.ts';
import { UnreadablePicture } from '../../src/qr/unreadable-picture.ts';
import { type CodeOptions, drawnCode, encoders, levels, payloadOf } from './codes.ts';
import {
  blurred,
  type Damage,
  damaged,
  embedded,
  noisy,
  onBlack,
  resized,
  throughJpeg,
  turned,
} from './damage.ts';
import { type Drawn, type Rgba, type Storage, writePng } from './write-png.ts';

/** A picture of a code as some service might draw it. */
export interface Sample {
  /** Pictures of a kind are counted together: `blur`. */
  readonly kind: string;
  /** Distinguishes it from the others of its kind. */
  readonly name: string;
  readonly text: string;
  /** Draws the picture on demand, because most tests use only some of the samples. */
  picture(): Drawn;
  readonly storage: Storage;
}

const oneBit: Storage = { colourType: 0, depth: 1 };
const grey: Storage = { colourType: 0, depth: 8 };
const rgba: Storage = { colourType: 6, depth: 8 };

/** Yields every kind of picture: 1,719 of them, each group as large as in the first measurement of the share. */
export function* corpus(): Generator<Sample> {
  yield* plainCodes();
  yield* formats();
  yield* colours();
  yield* damages();
  yield* texts();
}

/** 1,296: texts of every length that pairing uses, every level, size and margin, by two encoders. */
function* plainCodes(): Generator<Sample> {
  for (const [encoder, margins] of [
    [encoders[0], [0, 1, 2, 3, 4]],
    [encoders[1], [0, 1, 2, 4]],
  ] as const) {
    for (const length of [20, 60, 120, 237, 300, 450]) {
      for (const level of levels) {
        for (const scale of [1, 2, 3, 4, 8, 12]) {
          for (const margin of margins) {
            const text = payloadOf(length);
            yield {
              kind: 'plain',
              name: `${length} characters, level ${level}, ${scale} px a module, margin ${margin}, by ${encoder}`,
              text,
              picture: () => drawnCode(text, { encoder, level, scale, margin }),
              storage: oneBit,
            };
          }
        }
      }
    }
  }
}

const storages: readonly Storage[] = [
  ...([1, 2, 4, 8, 16] as const).map((depth) => ({ colourType: 0, depth }) as const),
  ...([8, 16] as const).flatMap((depth) =>
    ([2, 4, 6] as const).map((colourType) => ({ colourType, depth }) as const),
  ),
  ...([1, 2, 4, 8] as const).map((depth) => ({ colourType: 3, depth }) as const),
];

/** 135: every way of storing pixels. */
function* formats(): Generator<Sample> {
  for (const storage of storages) {
    for (const [name, how] of [
      ['plain', {}],
      ['interlaced', { interlaced: true, filter: 4 }],
      ['every filter, many chunks', { filter: 'all', chunkSize: 100 }],
    ] as const) {
      for (const [length, scale] of [
        [60, 4],
        [281, 3],
        [281, 1],
      ] as const) {
        const text = payloadOf(length);
        yield {
          kind: 'format',
          name: `colour type ${storage.colourType}, ${storage.depth} bits, ${name}, ${length} characters, ${scale} px a module`,
          text,
          picture: () => drawnCode(text, { scale }),
          storage: { ...storage, ...how },
        };
      }
    }
  }
}

const white: Rgba = [255, 255, 255, 255];
const nothing: Rgba = [0, 0, 0, 0];

/** 81: colours and transparency. */
function* colours(): Generator<Sample> {
  const looks: Readonly<Record<string, CodeOptions>> = {
    inverted: { dark: white, light: [0, 0, 0, 255] },
    green: { dark: [0x19, 0x87, 0x54, 255] },
    blue: { dark: [0x17, 0x51, 0x97, 255] },
    'light green': { dark: [110, 200, 110, 255] },
    'red on yellow': { dark: [170, 0, 0, 255], light: [255, 240, 120, 255] },
    'low contrast': { dark: [150, 150, 150, 255], light: [230, 230, 230, 255] },
    'white on blue': { dark: white, light: [0, 0, 160, 255] },
    'black on nothing': { light: nothing },
    'black on transparent white': { light: [255, 255, 255, 0] },
    'white on nothing': { dark: white, light: nothing },
    'holes in white': { dark: [255, 255, 255, 0] },
    'holes in black': { dark: nothing, light: [0, 0, 0, 255] },
    'half transparent': { dark: [0, 0, 0, 128], light: nothing },
  };
  const kind = 'colour';
  const text = payloadOf(237);
  for (const [name, look] of Object.entries(looks)) {
    for (const scale of [1, 3]) {
      for (const storage of [rgba, { colourType: 3, depth: 8 }, { colourType: 3, depth: 1 }] as const) {
        const words = `${name}, ${scale} px a module, colour type ${storage.colourType}, ${storage.depth} bits`;
        yield { kind, name: words, text, picture: () => drawnCode(text, { ...look, scale }), storage };
      }
    }
  }
  for (const colourType of [0, 2] as const) {
    const storage = { colourType, depth: colourType === 0 ? 4 : 16, keyed: true } as const;
    const name = `one colour is transparent, colour type ${colourType}`;
    yield { kind, name, text, picture: () => drawnCode(text, { light: nothing }), storage };
  }
  const picture = () => drawnCode(text, { light: nothing, scale: 2, margin: 0 });
  yield { kind, name: 'black on nothing, no margin', text, picture, storage: { colourType: 4, depth: 16 } };
}

/** 189: damage in transmission, and edits by people. */
function* damages(): Generator<Sample> {
  const kinds: readonly (readonly [kind: string, what: string, look: CodeOptions, damage?: Damage])[] = [
    ...[0.12, 0.2, 0.28].map((logo) => ['logo', `${logo * 100} %`, { level: 'high', logo }] as const),
    ...[0.5, 1, 1.5, 2].map((sigma) => ['blur', `sigma ${sigma}`, {}, blurred(sigma)] as const),
    ...[60, 30, 10].map((quality) => ['JPEG', `quality ${quality}`, {}, throughJpeg(quality)] as const),
    ...[40, 80].map((most) => ['noise', `of ${most}`, {}, noisy(most)] as const),
    ...[1.37, 0.83].map((factor) => ['resize', `by ${factor}`, {}, resized(factor)] as const),
    ...[5, 90, 180].map((degrees) => ['rotation', `by ${degrees} degrees`, {}, turned(degrees)] as const),
    ['shape', 'rounded', { shape: 'rounded' }],
    ['shape', 'dots', { shape: 'dot' }],
    ['page', 'embedded', {}, embedded()],
    ['black', 'no quiet zone, on black', { margin: 0 }, onBlack(40)],
  ];
  for (const [kind, what, look, damage] of kinds) {
    for (const length of [60, 281, 450]) {
      for (const scale of [2, 4, 8]) {
        const text = payloadOf(length);
        const picture = (): Drawn => {
          const whole = drawnCode(text, { ...look, scale });
          return damage ? damaged(whole, damage) : whole;
        };
        const name = `${what}, ${length} characters, ${scale} px a module`;
        yield { kind, name, text, picture, storage: grey };
      }
    }
  }
}

/** 18: contents of codes. */
function* texts(): Generator<Sample> {
  const said: Readonly<Record<string, string>> = {
    digits: '1234567890'.repeat(9),
    capitals: 'HTTPS://SANDBOX.INVALID/PAIR',
    'other scripts': 'Olá, 世界 😀 שלום',
    'a link': payloadOf(281),
    'a long text': payloadOf(1200),
    'the most there is': payloadOf(2900),
  };
  for (const [name, text] of Object.entries(said)) {
    for (const look of [{ scale: 2 }, { scale: 4, margin: 0 }, { scale: 3, margin: 2 }] as const) {
      const picture = () => drawnCode(text, { level: 'low', ...look });
      yield { kind: 'text', name: `${name}, ${look.scale} px a module`, text, picture, storage: rgba };
    }
  }
}

/** The result of a reader for a sample: its text, another text, or the reason for a failure. */
export type Outcome = 'read' | 'misread' | (string & {});

/** Returns the result of botctl for a sample. */
export function outcomeOf({ text, picture, storage }: Sample): Outcome {
  try {
    return decodePng(writePng(picture(), storage)) === text ? 'read' : 'misread';
  } catch (error) {
    if (error instanceof UnreadablePicture) return error.reason;
    throw error;
  }
}

/** The results of a reader for many samples. */
export interface Tally {
  readonly pictures: number;
  /** The share that was read, 0 to 1. */
  readonly share: number;
  /** The names of the samples that returned another text. */
  readonly misread: readonly string[];
  /** The unread samples, with a line for each kind and one for each picture. */
  readonly report: string;
}

export function tallyOf(samples: Iterable<Sample>, reader: (sample: Sample) => Outcome): Tally {
  const kinds = new Map<string, { pictures: number; failed: string[] }>();
  const misread: string[] = [];
  let [pictures, read] = [0, 0];
  for (const sample of samples) {
    const outcome = reader(sample);
    const counted = kinds.get(sample.kind) ?? { pictures: 0, failed: [] };
    kinds.set(sample.kind, counted);
    pictures += 1;
    counted.pictures += 1;
    if (outcome === 'read') read += 1;
    else counted.failed.push(`${sample.name}: ${outcome}`);
    if (outcome === 'misread') misread.push(`${sample.kind}: ${sample.name}`);
  }
  const lines = [...kinds].flatMap(([kind, counted]) => [
    `${kind}: ${counted.pictures - counted.failed.length} of ${counted.pictures}`,
    ...counted.failed.map((name) => `  ${name}`),
  ]);
  return { pictures, share: read / pictures, misread, report: `${lines.join('\n')}\n` };
}
