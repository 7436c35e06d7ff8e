import { ownMember } from '../json-object.ts';

/** Returns text quoted so that a POSIX shell expands nothing in it: `'{"a": 1}'`. */
export function shellLiteral(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a word quoted for a POSIX shell: `Reception`, `"Front desk"`, `'Hi!'`. */
export function shellWord(word: string): string {
  // bash looks for commands of its history in double quotes too.
  if (word.includes('!')) return shellLiteral(word);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}

/** Returns a percent-encoded text decoded, or undefined if it can't be decoded. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Returns a text as a cell of TSV holds it: with tabs, line breaks and backslashes as `\t`, `\n`, `\r` and `\\`. */
export function escapeTsv(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
  return text.replace(/[\t\n\r\\]/g, (found) => ownMember(escapes, found) ?? found);
}
