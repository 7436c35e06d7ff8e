/**
 * Returns a phone number without the digit that some countries' numbers are written with and without, so that both ways
 * of writing one compare as the same. Nothing is dialled so.
 *
 * - Brazil: mobile numbers got a ninth digit, a leading 9, from 2012 to 2016; messaging apps go on showing those of before
 *   without it. Only numbers that began with 6 to 9 then were mobile ones: a landline never counts as one.
 * - Mexico: mobile numbers had a 1 behind the country code until 2019, which messaging apps still show.
 * - Argentina: a 9 behind the country code says that it is a mobile number.
 * @param digits E.164, without the plus
 */
export function oneForm(digits: string): string {
  return withoutNinthDigit(digits)
    .replace(/^521(\d{10})$/, '52$1')
    .replace(/^549(\d{10})$/, '54$1');
}

/** Returns the same of a Brazilian number alone. */
export function withoutNinthDigit(digits: string): string {
  return digits.replace(/^(55[1-9][1-9])9([6-9]\d{7})$/, '$1$2');
}
