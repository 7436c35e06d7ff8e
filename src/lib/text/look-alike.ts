import { withTidyBlanks } from './stored-text.ts';

/** Returns in a sentence why two names differ although they look the same, or undefined if they look different. */
export function whyLookAlike(one: string, other: string): string | undefined {
  if (one === other || asSeen(one) !== asSeen(other)) return undefined;
  return one.normalize('NFC') === other.normalize('NFC')
    ? 'They look the same, but their accents are encoded differently (Unicode NFC and NFD).'
    : 'They look the same, but one has other blanks or invisible characters.';
}

function asSeen(text: string): string {
  return withTidyBlanks(text.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}
