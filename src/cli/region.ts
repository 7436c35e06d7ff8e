import { own } from '../lib/own.ts';
import { isInternational, type Parse } from '../lib/parse.ts';
import { selectedProfile } from '../settings/identity.ts';
import type { RawInput } from './check-input.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';
import type { Option } from './options.ts';

/** A command whose phone numbers are read in a region. */
export interface InRegion {
  readonly command: Command;
  /** Says of each number that was read there how it is dialled. Once the input is complete. */
  tell(): void;
}

/**
 * Returns a command that reads phone numbers as people of a region dial them, where one is set and such a number was typed
 * or may be asked for.
 * @throws Failure as `selectedProfile`
 */
export async function inRegion(command: Command, raw: RawInput, context: Context): Promise<InRegion> {
  const asItIs: InRegion = { command, tell: () => undefined };
  const phones = Object.entries(command.options).filter(([, { isPhone }]) => isPhone);
  const isNational = ([name, { required }]: (typeof phones)[number]): boolean => {
    const typed = own(raw.options, name);
    return typeof typed === 'string' ? !isInternational(typed) : required && context.prompts.available;
  };
  if (!phones.some(isNational)) return asItIs;
  const region = regionOf(context)?.toUpperCase();
  if (region === undefined) return asItIs;
  const { nationalNumber } = await import('../lib/national-number.ts');
  const toNumber = nationalNumber(region);
  const read = new Map<string, string>();
  const parsedThere =
    (parse: Parse<unknown>): Parse<unknown> =>
    (typed) => {
      if (isInternational(typed)) return parse(typed);
      const number = toNumber(typed);
      const value = parse(number);
      read.set(typed.trim(), number);
      return value;
    };
  const localised = phones.map(([name, declared]): [string, Option<unknown>] => [
    name,
    { ...declared, parse: parsedThere(declared.parse) },
  ]);
  return {
    command: { ...command, options: { ...command.options, ...Object.fromEntries(localised) } },
    tell() {
      for (const [typed, number] of read)
        context.terminal.note(`${typed} is dialled as ${number} (${region}).`);
    },
  };
}

function regionOf({ options, io, settings }: Context): string | undefined {
  const { env } = io;
  const given = options.region ?? (env.BOTCTL_REGION || undefined);
  if (given !== undefined) return given;
  // Who calls by the environment alone has no profile.
  if (env.BOTCTL_KEY_ID && options.profile === undefined) return undefined;
  return selectedProfile(env, options, settings.profiles)?.settings?.region;
}
