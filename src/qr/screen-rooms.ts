import type { Room } from './styles.ts';

/** Columns that the words need beside a code, and the gap before them. */
const leastWords = 28;
export const gap = 2;

/** Rows that the words need above and below a code. */
export const leastAround = 2;

/** The rooms that a screen has for a code: with the words beside it, and with the words above and below it. */
export function roomsOn({ columns, rows }: Room): readonly [beside: Room, around: Room] {
  return [
    { columns: columns - gap - leastWords, rows },
    { columns, rows: rows - leastAround },
  ];
}

/** The least window with room for a code that needs so much: as wide as this one at the most, unless none is. */
export function windowFor(needed: Room, { columns }: Pick<Room, 'columns'>): Room {
  const besideColumns = needed.columns + gap + leastWords;
  return columns < besideColumns
    ? { columns: needed.columns, rows: needed.rows + leastAround }
    : { columns: besideColumns, rows: needed.rows };
}
