/** The cost of one run of a case. */
export interface Sample {
  readonly milliseconds: number;
  /** User and system time of the process. */
  readonly cpuMilliseconds: number;
  /** Peak memory of the process. */
  readonly peakBytes: number;
}

/** The distribution of figures. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The first and the third quartile. */
  readonly quartiles: readonly [number, number];
}

/** The target of a ratio. */
export interface Aim {
  readonly is: 'at least' | 'at most';
  readonly value: number;
}

/** One row of the result: two sides that ran alternately, and the ratio of each pair. */
export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly theirs: Spread;
  readonly ratio: Spread;
  readonly aim: Aim | undefined;
}

/**
 * Runs two sides alternately, A B A B, so that other load on the machine affects both.
 * @param rounds the number of pairs
 */
export async function inTurns<T>(
  rounds: number,
  ours: () => Promise<T>,
  theirs: () => Promise<T>,
): Promise<readonly (readonly [T, T])[]> {
  const pairs: [T, T][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await theirs()]);
  return pairs;
}

/** Compares a figure of each pair: ours divided by theirs. */
export function compare<T>(
  title: string,
  unit: string,
  pairs: readonly (readonly [T, T])[],
  figure: (sample: T) => number,
  aim?: Aim,
): Comparison {
  const figures = pairs.map(([ours, theirs]) => [figure(ours), figure(theirs)] as const);
  return {
    title,
    unit,
    ours: spread(figures.map(([ours]) => ours)),
    theirs: spread(figures.map(([, theirs]) => theirs)),
    ratio: spread(figures.map(([ours, theirs]) => ours / theirs)),
    aim,
  };
}

/**
 * Returns the distribution of figures.
 * @throws RangeError if there are no figures
 */
export function spread(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    quartiles: [quantile(sorted, 0.25), quantile(sorted, 0.75)],
  };
}

/** Interpolates between two figures. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('no figures');
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns whether a ratio misses its target by more than noise: in three of four pairs. */
export function misses({ ratio, aim }: Pick<Comparison, 'ratio' | 'aim'>): boolean {
  if (!aim) return false;
  return aim.is === 'at least' ? ratio.quartiles[1] < aim.value : ratio.quartiles[0] > aim.value;
}

/** Returns the rows as a table in plain text: medians with minimum and maximum. */
export function table(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ title, unit, ours, theirs, ratio, aim }) => [
    title,
    `${shown(ours)} ${unit}`,
    `${shown(theirs)} ${unit}`,
    shown(ratio),
    aim ? `${aim.is} ${aim.value}${misses({ ratio, aim }) ? ', missed' : ''}` : '',
  ]);
  const lines = [['', 'first', 'second', 'ratio', 'aim'], ...rows];
  const width = (column: number): number => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(width(column))).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function shown({ median, min, max }: Spread): string {
  return `${digits(median)} [${digits(min)}–${digits(max)}]`;
}

/** Rounds to three significant digits, or to an integer from 100 on. */
function digits(figure: number): string {
  return figure >= 100 ? String(Math.round(figure)) : figure.toPrecision(3);
}
