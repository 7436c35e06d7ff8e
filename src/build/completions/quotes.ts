/** A word in single quotes for bash and zsh, which give no character a meaning. */
export function posixQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word in single quotes for fish, where a backslash keeps itself and the quote. */
export function escapedQuotes(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** A word in single quotes for PowerShell, which takes the typographic ones for quotes too. */
export function doubledQuotes(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}
