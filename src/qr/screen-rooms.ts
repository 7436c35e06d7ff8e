import type { Room } from './styles.ts';

/** Columns that the text needs beside a code, and the gap before it. */
const minTextColumns = 28;
export const gap = 2;

/** Rows that the text needs above and below a code. */
export const minTextRows = 2;

/** The rooms that a screen has for a code: with the text beside it, and with the text above and below it. */
export function roomsOn({ columns, rows }: Room): readonly [beside: Room, around: Room] {
  return [
    { columns: columns - gap - minTextColumns, rows },
    { columns, rows: rows - minTextRows },
  ];
}

/** Returns the least window with room for a code, at most as wide as this one if that is possible. */
export function windowFor(needed: Room, { columns }: Pick<Room, 'columns'>): Room {
  const besideColumns = needed.columns + gap + minTextColumns;
  return columns < besideColumns
    ? { columns: needed.columns, rows: needed.rows + minTextRows }
    : { columns: besideColumns, rows: needed.rows };
}
