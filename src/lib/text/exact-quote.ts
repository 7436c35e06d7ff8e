/** Characters that a person can't see, or that change how others are shown. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns a text in quotes, in one line, with an escape for each character that can't be seen: two different texts never look
 * the same, and no text can end its quotes.
 */
export function exactQuote(text: string): string {
  return JSON.stringify(text).replace(unseen, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
