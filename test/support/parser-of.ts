import type { ValueType } from '../../src/cli/options.ts';
import type { Parse } from '../../src/lib/parse.ts';
import { phoneNumbers } from '../../src/phone-numbers/national-number.ts';

/** Returns the parser of a value as the runner has it: one that reads phone numbers is made when their data is loaded. */
export function parserOf({ parse, parserWith }: ValueType<unknown>): Parse<unknown> {
  return parserWith?.((typed) => phoneNumbers(undefined)(typed).digits) ?? parse;
}
