/** Characters that show nothing, or that look like a blank and are none. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{C}\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu;

/** Returns a text with its invisible characters escaped, such as `\u200b`: for errors about the text itself. */
export function visible(text: string): string {
  return text.replace(invisible, (found) => {
    const code = found.codePointAt(0)?.toString(16) ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
