/** A character that must not be in a request, and its place in a text. */
export interface UnsendableCharacter {
  /** Index in UTF-16 code units. */
  readonly index: number;
  /** Completes "the text has …". */
  readonly what: string;
  readonly cure: string;
}

// With the flag u, this range of surrogates only matches one that lacks its other half.
const unsendable = /[\0\uFEFF\uFFFD\uD800-\uDFFF]/u;

/**
 * Returns the first character of a text that must not be sent, or undefined if there is none: NUL, a byte order mark,
 * U+FFFD and half a surrogate pair only get into a text by damage, and the service would pass the damage on to people.
 */
export function unsendableIn(text: string): UnsendableCharacter | undefined {
  const index = text.search(unsendable);
  return index < 0 ? undefined : { index, ...described(text.charCodeAt(index)) };
}

function described(unit: number): Omit<UnsendableCharacter, 'index'> {
  switch (unit) {
    case 0:
      return { what: 'a NUL character', cure: 'Remove it.' };
    case 0xfeff:
      return {
        what: 'a byte order mark (U+FEFF)',
        cure: 'Remove it: it is invisible, and only belongs at the beginning of a file.',
      };
    case 0xfffd:
      return {
        what: 'U+FFFD, which marks a character that was lost',
        cure: 'Replace it with the right character: it was lost when the text was converted or pasted.',
      };
    default:
      return {
        what: `half of a character (U+${unit.toString(16).toUpperCase()})`,
        cure: 'Replace it with the whole character.',
      };
  }
}
