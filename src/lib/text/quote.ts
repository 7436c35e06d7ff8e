import { ownMember } from '../json-object.ts';

/** Quotes text so that a POSIX shell expands nothing in it: `'{"a": 1}'`. */
export function shellLiteral(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a word for a POSIX shell: `Reception`, `"Front desk"`, `'Hi!'`. */
export function shellWord(word: string): string {
  // bash also expands its history in double quotes.
  if (word.includes('!')) return shellLiteral(word);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}

/** Decodes a percent-encoded text; returns undefined if it is invalid. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Escapes a text for a TSV cell: tabs, line breaks and backslashes become `\t`, `\n`, `\r` and `\\`. */
export function escapeTsv(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
  return text.replace(/[\t\n\r\\]/g, (found) => ownMember(escapes, found) ?? found);
}
