import { Failure } from '../lib/errors.ts';
import { decodeSendableText } from '../lib/files/decode-text.ts';
import { readUserFile } from '../lib/files/text-input.ts';
import { Secret } from '../secrets/secret.ts';

/** Far more characters than any secret has; a text beyond it is something else. */
const maxSecretBytes = 64 * 1024;

/**
 * Reads the secret of a key from a file, without white space around it.
 * @param from the option or variable that named the file
 * @throws Failure `invalidInput` where the file can't be read or holds no secret, and the signal's reason
 */
export async function readSecretFile(
  file: string,
  from: string,
  signal: AbortSignal | undefined,
): Promise<Secret> {
  const label = `${file} (from ${from})`;
  const start = await readUserFile(file, maxSecretBytes + 1, signal, label);
  const isCut = start.length > maxSecretBytes;
  // Where it is cut a character may be too; it is refused anyway.
  const text = isCut ? start.toString('latin1') : decodeSendableText(start, { path: file, label });
  return parseSecret(text.trim(), label, isCut);
}

/**
 * Takes a secret out of what was read from a file or a stream: one line. The newline that editors and
 * `echo` put at the end is not part of it.
 * @param from what was read, as the message starts
 * @param isCut whether more follows than any secret has
 * @throws Failure `invalidInput` where there is no secret in it, or more than one
 */
export function parseSecret(text: string, from: string, isCut = false): Secret {
  const secret = text.replace(/[\r\n]+$/, '');
  if (secret.trim() === '') {
    throw new Failure('invalidInput', `${from} is empty.`, {
      hint: 'It must be the secret alone, on one line.',
    });
  }
  if (isCut || secret.length > maxSecretBytes || /[\r\n\0]/.test(secret)) {
    throw new Failure('invalidInput', `${from} contains more than the secret.`, {
      hint: 'It must be the secret alone, on one line.',
    });
  }
  return new Secret(secret);
}
