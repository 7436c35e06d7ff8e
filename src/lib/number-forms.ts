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

/**
 * Returns one form for both ways of writing a phone number, so that they compare as the same. Nothing is dialled so.
 * @param digits E.164, without the plus
 */
export function oneForm(digits: string): string {
  return spellings.reduce((text, { withDigit, without }) => text.replace(withDigit, without), digits);
}

/** Returns what two ways of writing one number differ by, or undefined where it is no digit of their country. */
export function digitBetween(one: string, other: string): string | undefined {
  return spellings.find(({ withDigit }) => withDigit.test(one) !== withDigit.test(other))?.digit;
}
