import { type CommandLine, command, type Placeholder, placeholder } from '../../lib/text/remark.ts';
import type { Identity } from '../../settings/settings.ts';

/** The identity whose key is rotated. */
type Caller = Pick<Identity, 'source' | 'profile'>;

/** The options to repeat in the command. */
interface RotateOptions {
  readonly secretFile?: string | undefined;
  readonly keepOld?: boolean;
  readonly handsOver?: boolean;
}

/** Returns the command that rotates the key of an identity. The command of --then is not repeated: it may contain secrets. */
export function rotateLine(
  identity: Identity,
  { secretFile, keepOld, handsOver }: RotateOptions = {},
): CommandLine {
  const words: (string | Placeholder)[] = [...rotateOf(identity)];
  // The environment can't be written to, so the secret needs a file.
  if (secretFile !== undefined) words.push('--secret-file', secretFile);
  else if (identity.profile === undefined && !handsOver) words.push('--secret-file', placeholder('FILE'));
  if (keepOld) words.push('--keep-old');
  if (handsOver) words.push('--then', placeholder('COMMAND'));
  return command(...words);
}

/**
 * Returns the command that deletes the old key which a rotation has kept.
 * @param needsFile true if the new secret is not stored yet
 */
export function finishLine(identity: Caller, needsFile = false): CommandLine {
  return command(
    ...rotateOf(identity),
    '--finish',
    ...(needsFile ? ['--secret-file', placeholder('FILE')] : []),
  );
}

/** Returns the words of a command that continues the rotation of an identity's key. */
export function rotateOf({ source, profile }: Caller): readonly string[] {
  return source === '--profile' && profile !== undefined
    ? ['keys', 'rotate', '--profile', profile]
    : ['keys', 'rotate'];
}
