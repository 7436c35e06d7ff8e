import type { CommanderError } from 'commander';
import { capitalised } from '../../lib/text/capitalised.ts';

/** A problem that commander found with a line. */
export type UsageProblem =
  /** A noun stands without a verb; its help was printed. */
  | { readonly kind: 'noCommand' }
  | { readonly kind: 'unknownCommand'; readonly name: string; readonly didYouMean?: string | undefined }
  /** `flag` is without the value that may have been joined to it, which may be a secret. */
  | { readonly kind: 'unknownOption'; readonly flag: string; readonly didYouMean?: string | undefined }
  /** `flags` as they are declared: `-o, --output <format>`. */
  | { readonly kind: 'missingValue'; readonly flags: string }
  | { readonly kind: 'other'; readonly sentence: string };

/**
 * Reads what commander threw. Its codes are documented; what a code doesn't say stands in its English sentence
 * alone, which is read here and nowhere else.
 */
export function readCommanderError({ code, message }: CommanderError): UsageProblem {
  if (code === 'commander.help') return { kind: 'noCommand' };
  const [, lacking] = /^error: option '(.+)' argument missing$/.exec(message) ?? [];
  if (code === 'commander.optionMissingArgument' && lacking !== undefined) {
    return { kind: 'missingValue', flags: lacking };
  }
  const [, subject, didYouMean] =
    /^error: unknown \w+ '([\s\S]*)'(?:\n\((Did you mean .+\?)\))?$/.exec(message) ?? [];
  if (code === 'commander.unknownCommand' && subject !== undefined) {
    return { kind: 'unknownCommand', name: subject, didYouMean };
  }
  if (code === 'commander.unknownOption' && subject !== undefined) {
    return { kind: 'unknownOption', flag: subject.replace(/[=\n][\s\S]*/, ''), didYouMean };
  }
  // Nothing behind a "=" is told: it may be the secret that an option was given.
  const [sentence = ''] = message.replace(/^error: /, '').split(/[=\n]/);
  return { kind: 'other', sentence: `${capitalised(sentence).replace(/\.+$/, '')}.` };
}
