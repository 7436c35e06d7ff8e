import { type Parse, ValueError } from '../lib/parse.ts';
import type { PhoneNumber } from '../phone-numbers/national-number.ts';
import { withNinthDigit } from '../phone-numbers/number-forms.ts';
import type { Recipient, Recipients } from './recipients.ts';

/** The number of a row, or the reason why it is invalid. */
export type RowNumber = PhoneNumber | ValueError;

/** Returns the number in a cell, or the reason why it is invalid. */
export function rowNumber(cell: string, toNumber: Parse<PhoneNumber>): RowNumber {
  try {
    return toNumber(cell);
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/**
 * Returns a function that reads the number of each row of a list. A Brazilian mobile number without its ninth digit
 * can't be dialled. If another row of the list has the same number with that digit, the function returns the number
 * with it.
 */
export function numberReader(
  { rows }: Recipients,
  toColumn: string,
  toNumber: Parse<PhoneNumber>,
): (recipient: Recipient) => Promise<RowNumber> {
  const read = ({ cells }: Recipient) => rowNumber(cells.get(toColumn) ?? '', toNumber);
  let known: Promise<ReadonlySet<string>> | undefined;
  const findKnown = async (): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    for await (const recipient of rows()) {
      const number = read(recipient);
      if (!(number instanceof ValueError) && number.isKnown) found.add(number.digits);
    }
    return found;
  };
  return async (recipient) => {
    const number = read(recipient);
    if (number instanceof ValueError || number.isKnown) return number;
    const longer = withNinthDigit(number.digits);
    if (longer === undefined) return number;
    // Few lists have such a number, so only those are read a second time.
    known ??= findKnown();
    return (await known).has(longer) ? { digits: longer, isKnown: true } : number;
  };
}
