import { type CommandLine, command, type Placeholder, placeholder } from '../../lib/text/remark.ts';
import type { Identity } from '../../settings/settings.ts';

/** The identity whose key is rotated. */
type Caller = Pick<Identity, 'source' | 'profile'>;

/** What of a line that rotates a key is typed again. */
interface RotateOptions {
  readonly secretFile?: string | undefined;
  readonly keepOld?: boolean;
  readonly handsOver?: boolean;
}

/** Returns the command line that rotates the key of an identity. The command of --then is not repeated: it may hold secrets. */
export function rotateLine(
  identity: Identity,
  { secretFile, keepOld, handsOver }: RotateOptions = {},
): CommandLine {
  const words: (string | Placeholder)[] = [...rotateOf(identity)];
  // The environment can't be written to, so the secret needs a place.
  if (secretFile !== undefined) words.push('--secret-file', secretFile);
  else if (identity.profile === undefined && !handsOver) words.push('--secret-file', placeholder('FILE'));
  if (keepOld) words.push('--keep-old');
  if (handsOver) words.push('--then', placeholder('COMMAND'));
  return command(...words);
}

/**
 * Returns the command line that deletes the key which a rotation of an identity has kept.
 * @param needsFile true if nothing keeps the new secret yet
 */
export function finishLine(identity: Caller, needsFile = false): CommandLine {
  return command(
    ...rotateOf(identity),
    '--finish',
    ...(needsFile ? ['--secret-file', placeholder('FILE')] : []),
  );
}

/** Returns the words of a line that goes on with the rotation of an identity's key. */
export function rotateOf({ source, profile }: Caller): readonly string[] {
  return source === '--profile' && profile !== undefined
    ? ['keys', 'rotate', '--profile', profile]
    : ['keys', 'rotate'];
}
