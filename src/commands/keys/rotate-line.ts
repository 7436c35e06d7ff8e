import { type CommandLine, command, type Placeholder, placeholder } from '../../lib/text/remark.ts';
import type { Identity } from '../../settings/settings.ts';

/** Returns the command line that rotates the key of an identity. */
export function rotateLine({ source, profile }: Identity, secretFile?: string): CommandLine {
  const words: (string | Placeholder)[] = ['keys', 'rotate'];
  if (source === '--profile' && profile !== undefined) words.push('--profile', profile);
  // The environment can't be written to, so the secret needs a place.
  if (secretFile !== undefined) words.push('--secret-file', secretFile);
  else if (profile === undefined) words.push('--secret-file', placeholder('FILE'));
  return command(...words);
}
