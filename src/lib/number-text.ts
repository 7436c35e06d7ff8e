/**
 * Returns a phone number as it was typed or copied, without the invisible marks that programs put around numbers: those of
 * the writing direction, zero-width ones, a spreadsheet's mark of a text. Wide and Arabic digits become ASCII.
 */
export function numberText(raw: string): string {
  return raw
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .trim()
    .replace(/^'/, '')
    .trim();
}
