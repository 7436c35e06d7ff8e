import { type Parse, ValueError } from '../lib/parse.ts';
import type { PhoneNumber } from '../phone-numbers/national-number.ts';
import { withNinthDigit } from '../phone-numbers/number-forms.ts';
import type { Recipient, Recipients } from './recipients.ts';

/** The number of a row, or what is wrong with it. */
export type RowNumber = PhoneNumber | ValueError;

/** Returns what a cell has in the place of a number. */
export function rowNumber(cell: string, toNumber: Parse<PhoneNumber>): RowNumber {
  try {
    return toNumber(cell);
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/**
 * Returns what reads the number of each row of a list. A Brazilian mobile number without its ninth digit, which can't be
 * dialled, is read with it where the list has it so in any other row.
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
    // Few lists have such a number: no other one is read twice.
    known ??= findKnown();
    return (await known).has(longer) ? { digits: longer, isKnown: true } : number;
  };
}
