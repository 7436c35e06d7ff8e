/** A country whose numbers are written with a digit and without it. Both ways of writing one reach the same phone. */
interface Spellings {
  readonly withDigit: RegExp;
  readonly without: string;
  /** What the ways differ by: "the ninth digit of Brazil". */
  readonly digit: string;
}

/**
 * - Brazil: mobile numbers got a ninth digit, a leading 9, from 2012 to 2016; messaging apps go on showing those of before
 *   without it. Only numbers that began with 6 to 9 then were mobile ones: a landline never counts as one.
 * - Mexico: mobile numbers had a 1 behind the country code until 2019, which messaging apps still show.
 * - Argentina: a 9 behind the country code says that it is a mobile number.
 */
const spellings: readonly Spellings[] = [
  { withDigit: /^(55[1-9][1-9])9([6-9]\d{7})$/, without: '$1$2', digit: 'the ninth digit of Brazil' },
  { withDigit: /^521(\d{10})$/, without: '52$1', digit: 'the 1 of Mexico' },
  { withDigit: /^549(\d{10})$/, without: '54$1', digit: 'the 9 of Argentina' },
];

/** A country code, by its length, and zeros behind it, which nearly everywhere are dialled at home only. */
const trunkZeros =
  /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?!2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])[2-9]\d\d)0+/;

/**
 * Returns one form for all ways of writing a phone number, so that they compare as the same. Nothing is dialled so.
 *
 * Earlier versions stored numbers with a trunk prefix behind the country code, such as the zero of +55 011 or the 15 of
 * Argentina's mobile numbers: their form is that of the number without it. Where a zero is a part of the number, as in
 * Italy, no other number is what is left of it. The migration 003_number_forms.sql does the same.
 * @param digits E.164, without the plus
 */
export function canonicalForm(digits: string): string {
  const number = digits
    .replace(trunkZeros, '$1')
    .replace(/^524[45](\d{10})$/, '52$1')
    .replace(/^54(?=\d{12}$)(11|[23]\d{2,3})15(\d{6,8})$/, '54$1$2');
  return withoutOptionalDigit(number);
}

/** Returns a number without the digit that its country's numbers are written with and without. */
export function withoutOptionalDigit(digits: string): string {
  return spellings.reduce((text, { withDigit, without }) => text.replace(withDigit, without), digits);
}

/** Returns what two ways of writing one number differ by, or undefined where it is no digit of their country. */
export function differingDigit(one: string, other: string): string | undefined {
  return spellings.find(({ withDigit }) => withDigit.test(one) !== withDigit.test(other))?.digit;
}

/** Returns a Brazilian mobile number of before 2016 with its ninth digit, and undefined for any other number. */
export function withNinthDigit(digits: string): string | undefined {
  const [, area, number] = /^(55[1-9][1-9])([6-9]\d{7})$/.exec(digits) ?? [];
  return area === undefined || number === undefined ? undefined : `${area}9${number}`;
}

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
