import type { ValueType } from '../../src/cli/options.ts';
import { phoneNumbers } from '../../src/lib/national-number.ts';
import type { Parse } from '../../src/lib/parse.ts';

/** Returns the parser of a value as the runner has it: one that reads phone numbers is made when their data is loaded. */
export function parserOf({ parse, parserWith }: ValueType<unknown>): Parse<unknown> {
  return parserWith?.((typed) => phoneNumbers(undefined)(typed).digits) ?? parse;
}
