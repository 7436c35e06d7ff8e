/** What a service has shown as the size of a document of so many bytes. */
export type SizeSample = readonly [bytes: number, shown: number];

/** What is compared of a document: bytes and characters of what was, or would be, sent. */
interface Figures {
  readonly size: number;
  readonly chars: number;
}

/** The same of a document, as a service shows them. */
interface ShownFigures {
  readonly id: string;
  readonly size?: unknown;
  readonly chars?: unknown;
}

/** A file, and the documents of its name. */
interface FileAndNamesakes {
  readonly sent: Figures;
  readonly rows: readonly ShownFigures[];
}

/**
 * Whether the figures of a document match a file: yes, no, or maybe, if it is not known in
 * which unit the size is.
 */
export type Likeness = 'same' | 'other' | 'maybe';

/** Returns what a service shows for a number of bytes. */
type Form = (bytes: number) => number;

const isBytes: Form = (bytes) => bytes;

const units = [1e3, 2 ** 10, 1e6, 2 ** 20];
const decimals = [0, 1, 2, 3];

/** The specification withholds the unit of size: bytes, or more than one byte, rounded in some way. */
const forms: readonly Form[] = [
  isBytes,
  ...units.flatMap((unit) =>
    decimals.flatMap((places) =>
      [Math.floor, Math.round, Math.ceil].map((round): Form => {
        const scale = 10 ** places;
        return (bytes) => round((bytes * scale) / unit) / scale;
      }),
    ),
  ),
];

/** So many files have to agree before a unit is known by documents that may be others. */
const minAlike = 3;

/** What a service shows as the size of a document, as far as its answers have told. */
export class ShownSizes {
  #samples: readonly SizeSample[] = [];
  #forms = forms;

  constructor(samples: readonly SizeSample[] = []) {
    for (const [bytes, shown] of samples) this.learn(bytes, shown);
  }

  /** What it was learnt from: no more of them than tell something. */
  get samples(): readonly SizeSample[] {
    return this.#samples;
  }

  /** False once it is certain that the unit is more than a byte. */
  get mayBeBytes(): boolean {
    return this.#forms.includes(isBytes);
  }

  /**
   * Learns by a document of which the bytes are known. Where that contradicts what was learnt, it has changed since; what fits
   * no unit tells of none.
   */
  learn(bytes: number, shown: unknown): void {
    const figure = figureOf(shown);
    if (figure === undefined) return;
    const fits = (form: Form): boolean => form(bytes) === figure;
    const left = this.#forms.filter(fits);
    if (left.length === this.#forms.length) return;
    const fitting = left.length > 0 ? left : forms.filter(fits);
    if (fitting.length === 0) return;
    this.#forms = fitting;
    this.#samples = [...(left.length > 0 ? this.#samples : []), [bytes, figure]];
  }

  /**
   * Learns by the documents of files' names, where nothing is known yet: if several files have one of as many characters
   * each, and one unit fits them all.
   */
  learnAlike(files: readonly FileAndNamesakes[]): void {
    if (this.#samples.length > 0) return;
    const pairs = files.flatMap(({ sent, rows }): readonly SizeSample[] => {
      const [only, ...others] = rows.filter(({ chars }) => figureOf(chars) === sent.chars);
      const shown = others.length === 0 ? figureOf(only?.size) : undefined;
      return shown === undefined ? [] : [[sent.size, shown]];
    });
    if (pairs.length < minAlike) return;
    if (forms.some((form) => pairs.every(([bytes, shown]) => form(bytes) === shown)))
      for (const [bytes, shown] of pairs) this.learn(bytes, shown);
  }

  /** Compares the figures of a document with those of a file; of what shows no size the characters alone count. */
  compare({ size, chars }: ShownFigures, sent: Figures): Likeness {
    const [bytes, length] = [figureOf(size), figureOf(chars)];
    const bySize = bytes === undefined ? 'same' : this.#compareSize(bytes, sent.size);
    if (bySize === 'other' || (length !== undefined && length !== sent.chars)) return 'other';
    return length === undefined ? 'maybe' : bySize;
  }

  #compareSize(shown: number, bytes: number): Likeness {
    const fitting = this.#forms.filter((form) => form(bytes) === shown);
    if (fitting.length === 0) return 'other';
    const isCertain = fitting.includes(isBytes) || fitting.length === this.#forms.length;
    return isCertain ? 'same' : 'maybe';
  }
}

/** Returns a figure that a service shows, as a text too; undefined if it shows none. */
function figureOf(shown: unknown): number | undefined {
  const isText = typeof shown === 'string' && shown.trim() !== '';
  const figure = isText || typeof shown === 'number' ? Number(shown) : Number.NaN;
  return Number.isFinite(figure) ? figure : undefined;
}
