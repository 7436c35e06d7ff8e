import fc from 'fast-check';

/** The surrogates of UTF-16, which are valid only in pairs. */
const halves = { first: 0xd800, count: 0x800 };

/**
 * Any code point except surrogates: a unit for `fc.string()`. fast-check's own `binary` has the same values, but stores
 * all of them in a map forever, which takes a second and 100 MB in each process.
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
