import fc from 'fast-check';

/** Halves of characters, which a text in UTF-16 has in pairs only. */
const halves = { first: 0xd800, count: 0x800 };

/**
 * Any code point but half of one: a unit for `fc.string()`. Its own, `binary`, has the same, and keeps all of them in a
 * map for good, which takes a second and a hundred megabytes of each process.
 */
export const anyCharacter = fc.nat({ max: 0x10_ffff - halves.count }).map(
  (place) => String.fromCodePoint(place < halves.first ? place : place + halves.count),
  (value) => {
    const point = typeof value === 'string' ? value.codePointAt(0) : undefined;
    if (point === undefined || value !== String.fromCodePoint(point)) throw new TypeError('no character');
    if (point < halves.first) return point;
    if (point < halves.first + halves.count) throw new TypeError('half of a character');
    return point - halves.count;
  },
);
