/** The size of a document in bytes, and as the service showed it. */
export type SizeSample = readonly [bytes: number, shown: number];

/** The figures to compare: bytes and characters that were sent, or would be. */
interface Figures {
  readonly size: number;
  readonly chars: number;
}

/** The figures of a document as a service shows them. */
interface ShownFigures {
  readonly id: string;
  readonly size?: unknown;
  readonly chars?: unknown;
}

/** A file, and the documents with its name. */
interface FileAndNamesakes {
  readonly sent: Figures;
  readonly rows: readonly ShownFigures[];
}

/** Whether the figures of a document match a file: yes, no, or maybe, if the unit of the size is unknown. */
export type Likeness = 'same' | 'other' | 'maybe';

/** Returns the size that a service shows for a number of bytes. */
type Form = (bytes: number) => number;

const isBytes: Form = (bytes) => bytes;

const units = [1e3, 2 ** 10, 1e6, 2 ** 20];
const decimals = [0, 1, 2, 3];

/** The specification does not define the unit of size: bytes, or a larger unit with some rounding. */
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

/** This many files have to agree before the unit is inferred from documents that may be different ones. */
const minAlike = 3;

/** The size that a service shows for a document, as far as its responses have revealed the unit. */
export class ShownSizes {
  #samples: readonly SizeSample[] = [];
  #forms = forms;

  constructor(samples: readonly SizeSample[] = []) {
    for (const [bytes, shown] of samples) this.learn(bytes, shown);
  }

  /** The samples that determine the unit, without redundant ones. */
  get samples(): readonly SizeSample[] {
    return this.#samples;
  }

  /** False once it is certain that the unit is larger than a byte. */
  get mayBeBytes(): boolean {
    return this.#forms.includes(isBytes);
  }

  /**
   * Infers the unit from a document with known bytes. If that contradicts earlier samples, the unit has changed; a size
   * that fits no unit is ignored.
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
   * Infers the unit from documents with the names of files, if nothing is known yet: if several files have one with the
   * same number of characters each, and one unit fits them all.
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

  /** Compares the figures of a document with those of a file; if the size is not shown, only the characters. */
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

/** Returns a figure that a service shows as a number or a text; undefined if it shows none. */
function figureOf(shown: unknown): number | undefined {
  const isText = typeof shown === 'string' && shown.trim() !== '';
  const figure = isText || typeof shown === 'number' ? Number(shown) : Number.NaN;
  return Number.isFinite(figure) ? figure : undefined;
}
