/** Text as a POSIX shell takes it without looking into it: `'{"a": 1}'`. */
export function literalWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word as a POSIX shell wants it: `Reception`, `"Front desk"`. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}
