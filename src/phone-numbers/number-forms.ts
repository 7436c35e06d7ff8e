/** A country whose numbers are written with and without a digit. Both spellings reach the same phone. */
interface Spellings {
  readonly withDigit: RegExp;
  readonly without: string;
  /** The digit in words: "the ninth digit of Brazil". */
  readonly digit: string;
}

/**
 * Countries with two spellings of a number.
 * - Brazil: mobile numbers got a ninth digit, a leading 9, from 2012 to 2016; messaging apps still show older numbers
 * without it. Only numbers that began with 6 to 9 then were mobile: a landline never counts as one.
 * - Mexico: mobile numbers had a 1 after the country code until 2019, which messaging apps still show.
 * - Argentina: a 9 after the country code marks a mobile number.
 */
const spellings: readonly Spellings[] = [
  { withDigit: /^(55[1-9][1-9])9([6-9]\d{7})$/, without: '$1$2', digit: 'the ninth digit of Brazil' },
  { withDigit: /^521(\d{10})$/, without: '52$1', digit: 'the 1 of Mexico' },
  { withDigit: /^549(\d{10})$/, without: '54$1', digit: 'the 9 of Argentina' },
];

/**
 * Matches a country code, by its length, and the zeros after it, which nearly everywhere are only dialled within the
 * country.
 */
const trunkZeros =
  /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?!2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])[2-9]\d\d)0+/;

/**
 * Returns the same form for all spellings of a phone number, so that they compare as equal. The form is not for
 * dialling.
 *
 * Earlier versions stored numbers with a trunk prefix after the country code, such as the zero of +55 011 or the 15 of
 * Argentina's mobile numbers: their form is that of the number without it. If a zero is part of the number, as in
 * Italy, no other number has the form without it. The migration 003_number_forms.sql does the same.
 * @param digits E.164, without the plus
 */
export function canonicalForm(digits: string): string {
  const number = digits
    .replace(trunkZeros, '$1')
    .replace(/^524[45](\d{10})$/, '52$1')
    .replace(/^54(?=\d{12}$)(11|[23]\d{2,3})15(\d{6,8})$/, '54$1$2');
  return withoutOptionalDigit(number);
}

/** Returns a number without the digit that is optional in its country. */
export function withoutOptionalDigit(digits: string): string {
  return spellings.reduce((text, { withDigit, without }) => text.replace(withDigit, without), digits);
}

/** Returns in words the optional digit by which two spellings of a number differ, or undefined if it is none. */
export function differingDigit(one: string, other: string): string | undefined {
  return spellings.find(({ withDigit }) => withDigit.test(one) !== withDigit.test(other))?.digit;
}

/** Returns a Brazilian mobile number from before 2016 with its ninth digit; undefined for any other number. */
export function withNinthDigit(digits: string): string | undefined {
  const [, area, number] = /^(55[1-9][1-9])([6-9]\d{7})$/.exec(digits) ?? [];
  return area === undefined || number === undefined ? undefined : `${area}9${number}`;
}

/**
 * Returns a typed or copied phone number without the invisible characters that programs add: direction marks,
 * zero-width characters, and a spreadsheet's text marker. Full-width and Arabic digits become ASCII.
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
