import type { CommanderError } from 'commander';
import { capitalised } from '../../lib/text/sentence.ts';

/** A usage error that commander found. */
export type UsageProblem =
  /** The verb is missing, and commander printed the help of the noun. */
  | { readonly kind: 'noCommand' }
  | { readonly kind: 'unknownCommand'; readonly name: string }
  /** `flag` is without the value that may have been joined to it, which may be a secret. */
  | { readonly kind: 'unknownOption'; readonly flag: string }
  /** `flags` as they are declared: `-o, --output <format>`. */
  | { readonly kind: 'missingValue'; readonly flags: string }
  | { readonly kind: 'other'; readonly sentence: string };

/** Reads an error of commander. Its codes are documented; the subject of an error is in its message alone. */
export function readCommanderError({ code, message }: CommanderError): UsageProblem {
  if (code === 'commander.help') return { kind: 'noCommand' };
  const [, lacking] = /^error: option '(.+)' argument missing$/.exec(message) ?? [];
  if (code === 'commander.optionMissingArgument' && lacking !== undefined) {
    return { kind: 'missingValue', flags: lacking };
  }
  const [, subject] = /^error: unknown \w+ '([\s\S]*)'$/.exec(message) ?? [];
  if (code === 'commander.unknownCommand' && subject !== undefined) {
    return { kind: 'unknownCommand', name: subject };
  }
  if (code === 'commander.unknownOption' && subject !== undefined) {
    return { kind: 'unknownOption', flag: subject.replace(/[=\n][\s\S]*/, '') };
  }
  // The text after "=" may be a secret that an option was given, so it is not printed.
  const [sentence = ''] = message.replace(/^error: /, '').split(/[=\n]/);
  return { kind: 'other', sentence: `${capitalised(sentence).replace(/\.+$/, '')}.` };
}
