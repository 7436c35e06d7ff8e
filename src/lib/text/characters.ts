/** A character that must not be in a request, and its position in a text. */
export interface UnsendableCharacter {
  /** Index in UTF-16 code units. */
  readonly index: number;
  /** Completes "the text has …". */
  readonly what: string;
  readonly cure: string;
}

// With the flag u, this range of surrogates matches only a lone one.
const unsendable = /[\0\uFEFF\uFFFD\uD800-\uDFFF]/u;

/**
 * Returns the first character of a text that must not be sent, or undefined if there is none: NUL, a byte order mark,
 * U+FFFD and a lone surrogate only get into a text by corruption, and the service would pass it on to its users.
 */
export function findUnsendable(text: string): UnsendableCharacter | undefined {
  const index = text.search(unsendable);
  return index < 0 ? undefined : { index, ...describeUnit(text.charCodeAt(index)) };
}

function describeUnit(unit: number): Omit<UnsendableCharacter, 'index'> {
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

/** Returns a text without the byte order mark that some editors and services prepend. */
export function stripByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Matches invisible characters, and characters that look like a space but are not. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{C}\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu;

/** Returns a text with its invisible characters escaped, such as `\u200b`: for errors about the text itself. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (found) => {
    const code = found.codePointAt(0)?.toString(16) ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
