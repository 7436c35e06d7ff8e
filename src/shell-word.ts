/** A word as a POSIX shell wants it: `Reception`, `"Front desk"`. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}
