import type { ValueType } from '../../src/cli/options.ts';
import type { Parse } from '../../src/lib/parse.ts';
import { phoneNumbers } from '../../src/phone-numbers/national-number.ts';

/**
 * Returns the parser of a value as the command runner uses it; the one for phone numbers is created after their data is
 * loaded.
 */
export function parserOf({ parse, parserWith }: ValueType<unknown>): Parse<unknown> {
  return parserWith?.((typed) => phoneNumbers(undefined)(typed).digits) ?? parse;
}
