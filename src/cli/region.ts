import { own } from '../lib/own.ts';
import { isInternational, type Parse } from '../lib/parse.ts';
import { selectedProfile } from '../settings/identity.ts';
import type { RawInput } from './check-input.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';
import type { Argument, Option, ValueType } from './options.ts';

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
  const phonesOf = <T extends Option<unknown> | Argument<unknown>>(declared: Readonly<Record<string, T>>) =>
    Object.entries(declared).filter(([, { isPhone }]) => isPhone);
  const options = phonesOf(command.options);
  const args = phonesOf(command.arguments);
  const isNational = (typed: unknown, isRequired: boolean): boolean =>
    typeof typed === 'string' ? !isInternational(typed) : isRequired && context.prompts.available;
  const needsRegion =
    options.some(([name, { required }]) => isNational(own(raw.options, name), required)) ||
    args.some(([name, { optional }]) => isNational(own(raw.arguments, name), !optional));
  if (!needsRegion) return asItIs;
  const region = regionOf(context);
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
  const localised = <T extends ValueType<unknown>>(phones: readonly (readonly [string, T])[]) =>
    Object.fromEntries(phones.map(([name, one]) => [name, { ...one, parse: parsedThere(one.parse) }]));
  return {
    command: {
      ...command,
      arguments: { ...command.arguments, ...localised(args) },
      options: { ...command.options, ...localised(options) },
    },
    tell() {
      for (const [typed, number] of read)
        context.terminal.note(`${typed} is dialled as ${number} (${region}).`);
    },
  };
}

/**
 * Returns the region whose numbers are read as they are dialled there, in capitals, or undefined if none is set.
 * @throws Failure as `selectedProfile`
 */
export function regionOf({
  options,
  io,
  settings,
}: Pick<Context, 'options' | 'io' | 'settings'>): string | undefined {
  const { env } = io;
  const given = options.region ?? (env.BOTCTL_REGION || undefined);
  if (given !== undefined) return given.toUpperCase();
  // Who calls by the environment alone has no profile.
  if (env.BOTCTL_KEY_ID && options.profile === undefined) return undefined;
  return selectedProfile(env, options, settings.profiles)?.settings?.region?.toUpperCase();
}
