/** The width that a column of a table needs. Widths count terminal columns. */
export interface ColumnWish {
  /** Width at which nothing is cut. */
  readonly natural: number;
  /** Width that is enough to read it; one very long value shouldn't push other columns out. */
  readonly enough: number;
  /** Width below which the column isn't worth showing. */
  readonly least: number;
  /** 1 to 9; the least important column gives up its width first. */
  readonly importance: number;
  /** True if it is shown whole or not at all, such as an id that may be copied. */
  readonly whole?: boolean;
  /** True if a part of it would mislead, such as a part of a number: texts become narrower to make room for it. */
  readonly uncut?: boolean;
}

/** Space between columns. */
export const gap = 2;

/** Columns less important than this are left out before the others become narrower. */
export const minNeededImportance = 5;

/**
 * Divides a terminal's width among the columns that have a place. A name says more than an id, so no id takes the room
 * of a name: a dispensable column that can't be cut is shown only if every other column has its natural width, and the
 * others that can't be cut are left out if they would leave no room for any that can.
 *
 * @returns a width for each column, or 0 for one that is left out; at least one is shown
 */
export function divideWidth(
  wishes: readonly ColumnWish[],
  available: number,
  hasPlace: (wish: ColumnWish, index: number) => boolean = () => true,
): readonly number[] {
  if (!wishes.every(hasPlace)) return divideAmong(wishes, hasPlace, available, divideWidth);
  if (wishes.every(isSpare)) return divide(wishes, available);
  const widths = divideAmong(wishes, (wish) => !isSpare(wish), available);
  const isShown = (_: ColumnWish, index: number): boolean => (widths[index] ?? 0) > 0;
  const canBeCut = ({ whole }: ColumnWish): boolean => !whole;
  if (wishes.some(canBeCut) && !wishes.filter(isShown).some(canBeCut))
    return divideAmong(wishes, canBeCut, available);
  const isContent = (wish: ColumnWish, index: number): boolean =>
    isSpare(wish) || (widths[index] ?? 0) >= wish.natural;
  return wishes.every(isContent) ? addSpareColumns(widths, wishes, available) : widths;
}

/** True for a column that isn't needed beside names. */
function isSpare({ whole, importance }: ColumnWish): boolean {
  return whole === true && importance < minNeededImportance;
}

/** Divides the width among some of the columns; the others are left out. */
function divideAmong(
  wishes: readonly ColumnWish[],
  isIn: (wish: ColumnWish, index: number) => boolean,
  available: number,
  how: (among: readonly ColumnWish[], available: number) => readonly number[] = divide,
): readonly number[] {
  const divided = how(wishes.filter(isIn), available).values();
  return wishes.map((wish, index) => (isIn(wish, index) ? (divided.next().value ?? 0) : 0));
}

/** Adds the spare columns for which there is room, the most important first. */
function addSpareColumns(
  widths: readonly number[],
  wishes: readonly ColumnWish[],
  available: number,
): readonly number[] {
  const added = [...widths];
  for (const wish of leastImportantFirst(wishes).toReversed()) {
    const { index, natural } = wish;
    if (isSpare(wish) && usedWidth(added) + gap + natural <= available) added[index] = natural;
  }
  return added;
}

/**
 * Divides the width by importance. If it is not enough for all, leaves out the dispensable columns, the least important
 * first and the last of equals before the others; then narrows the rest in the same order, down to their least width;
 * then leaves those out too. Remaining room brings columns back, and then makes columns wider, the most important
 * first.
 */
function divide(wishes: readonly ColumnWish[], available: number): readonly number[] {
  const widths = wishes.map(({ enough }) => enough);
  const inOrder = leastImportantFirst(wishes);
  const leaveOut = (candidates: typeof inOrder): void => {
    for (const { index } of candidates) {
      if (usedWidth(widths) <= available || widths.filter((width) => width > 0).length < 2) return;
      widths[index] = 0;
    }
  };

  leaveOut(inOrder.filter(({ importance }) => importance < minNeededImportance));
  for (const { index, least } of inOrder) {
    const excess = usedWidth(widths) - available;
    const width = widths[index] ?? 0;
    if (excess > 0 && width > 0) widths[index] = Math.max(width - excess, least);
  }
  leaveOut(inOrder);
  const excess = usedWidth(widths) - available;
  // Only a lone column can still be too wide. The terminal wraps one that can't be cut.
  if (excess > 0) {
    return widths.map((width, index) =>
      width > 0 && !wishes[index]?.whole ? Math.max(width - excess, 1) : width,
    );
  }

  for (const { index, enough } of inOrder.toReversed()) {
    if (widths[index] === 0 && usedWidth(widths) + gap + enough <= available) widths[index] = enough;
  }
  return widen(widths, wishes, available);
}

/**
 * Widens columns up to their natural width as far as there is room, the most important first. No column becomes
 * narrower, so that all stay in line with the rows on the screen, except to make room for a number that would be cut.
 */
export function widen(
  widths: readonly number[],
  wishes: readonly ColumnWish[],
  available: number,
): readonly number[] {
  const widened = [...widths];
  for (const [index, { uncut, natural }] of wishes.entries()) {
    const width = widened[index] ?? 0;
    if (!uncut || width === 0 || width >= natural) continue;
    makeRoom(widened, wishes, usedWidth(widened) + natural - width - available);
    widened[index] = Math.max(width, Math.min(natural, width + available - usedWidth(widened)));
  }
  for (const { index, natural } of leastImportantFirst(wishes).toReversed()) {
    const width = widened[index] ?? 0;
    const room = Math.max(available - usedWidth(widened), 0);
    if (width > 0) widened[index] = Math.max(width, Math.min(natural, width + room));
  }
  return widened;
}

/** Narrows texts by the missing width, the least important first, none below its least width. */
function makeRoom(widths: number[], wishes: readonly ColumnWish[], lack: number): void {
  let left = lack;
  for (const { index, least, uncut, whole } of leastImportantFirst(wishes)) {
    const width = widths[index] ?? 0;
    if (left <= 0 || uncut || whole || width <= least) continue;
    const given = Math.min(left, width - least);
    widths[index] = width - given;
    left -= given;
  }
}

/** Returns the columns with their indexes, the least important first and the last of equals before the others. */
function leastImportantFirst(
  wishes: readonly ColumnWish[],
): readonly (ColumnWish & { readonly index: number })[] {
  return wishes
    .map((wish, index) => ({ ...wish, index }))
    .sort((a, b) => a.importance - b.importance || b.index - a.index);
}

/** Returns the number of terminal columns that a line takes. */
function usedWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, gap * Math.max(shown.length - 1, 0));
}
