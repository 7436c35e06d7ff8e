import { own } from '../own.ts';

/** Returns a text as a cell of TSV holds it: with tabs, line breaks and backslashes as `\t`, `\n`, `\r` and `\\`. */
export function tsvEscaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
  return text.replace(/[\t\n\r\\]/g, (found) => own(escapes, found) ?? found);
}
