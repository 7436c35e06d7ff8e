import type { Identity } from '../../settings/settings.ts';
import { shellWord } from '../../text/shell-word.ts';

/** The command line that rotates the key of an identity. */
export function rotateLine({ source, profile }: Identity, secretFile?: string): string {
  const words = ['botctl keys rotate'];
  if (source === '--profile' && profile !== undefined) words.push(`--profile ${profile}`);
  // The environment can't be written to, so the secret needs a place.
  if (secretFile !== undefined) words.push(`--secret-file ${shellWord(secretFile)}`);
  else if (profile === undefined) words.push('--secret-file FILE');
  return words.join(' ');
}
