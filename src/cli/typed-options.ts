import { own } from '../lib/json-object.ts';
import type { RawInput } from './check-input.ts';
import type { Command } from './command.ts';

/** Returns the options of a command as they were typed, each with its value if it takes one: `['--port', '4010']`. */
export function typedOptions(
  { options: declared }: Pick<Command, 'options'>,
  { options: given }: Pick<RawInput, 'options'>,
): readonly (readonly string[])[] {
  return Object.entries(declared).flatMap(([name, { flags }]): readonly (readonly string[])[] => {
    const value = own(given, name);
    const flag = /--[\w-]+/.exec(flags)?.[0] ?? '';
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [[value ? flag : flag.replace('--', '--no-')]];
    return [value].flat().map((one) => [flag, one]);
  });
}
