import { ownMember } from '../lib/json-object.ts';
import type { Parse } from '../lib/parse.ts';
import { numberText } from '../phone-numbers/number-forms.ts';
import { selectedProfile } from '../settings/identity.ts';
import type { RawInput } from './check-input.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';
import type { Argument, Option } from './options.ts';

/** A command that can read phone numbers. */
export interface PhoneNumberCommand {
  readonly command: Command;
  /** Notes each number that is not dialled as typed, or looks unassigned. Call it once the input is complete. */
  reportNumbers(): void;
}

/**
 * Returns a command that parses phone numbers with a country code and, if a region is set, also national numbers of
 * that region. Loads the data for that only if a number was typed or may be asked for.
 * @throws Failure as `selectedProfile`, and as `phoneNumbers`
 */
export async function withPhoneNumbers(
  command: Command,
  raw: RawInput,
  context: Context,
): Promise<PhoneNumberCommand> {
  const mayCome = (typed: unknown, isRequired: boolean): boolean =>
    typed !== undefined || (isRequired && context.prompts.available);
  const needsNumbers =
    Object.entries(command.options).some(
      ([name, { parserWith, required }]) => parserWith && mayCome(ownMember(raw.options, name), required),
    ) ||
    Object.entries(command.arguments).some(
      ([name, { parserWith, optional }]) => parserWith && mayCome(ownMember(raw.arguments, name), !optional),
    );
  if (!needsNumbers) return { command, reportNumbers: () => undefined };
  const region = regionOf(context);
  const { phoneNumbers } = await import('../phone-numbers/national-number.ts');
  const read = phoneNumbers(region);
  const notes = new Set<string>();
  const toDigits: Parse<string> = (typed) => {
    const { digits, isKnown } = read(typed);
    const text = numberText(typed);
    if (text.replace(/\D/g, '').replace(/^00/, '') !== digits)
      notes.add(`${text} is dialled as +${digits}${region === undefined ? '' : ` (${region})`}.`);
    if (!isKnown) notes.add(`+${digits} looks unassigned.`);
    return digits;
  };
  const reading = <T extends Argument<unknown> | Option<unknown>>(declared: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(declared).map(([name, one]) => [
        name,
        one.parserWith ? { ...one, parse: one.parserWith(toDigits) } : one,
      ]),
    );
  return {
    command: { ...command, arguments: reading(command.arguments), options: reading(command.options) },
    reportNumbers() {
      for (const note of notes) context.terminal.note(note);
    },
  };
}

/**
 * Returns the region of national phone numbers, in capitals, or undefined if none is set.
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
  // Credentials from the environment come without a profile.
  if (env.BOTCTL_KEY_ID && options.profile === undefined) return undefined;
  return selectedProfile(env, options, settings.profiles)?.settings?.region?.toUpperCase();
}
