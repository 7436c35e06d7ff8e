import { Failure } from '../lib/errors.ts';
import { decodeSendableText } from '../lib/files/decode-text.ts';
import { readUserFile } from '../lib/files/text-input.ts';
import { Secret } from '../secrets/secret.ts';

/** Maximum bytes of a secret, more than any secret has. */
const maxSecretBytes = 64 * 1024;

/**
 * Reads a key secret from a file, without surrounding white space.
 * @param from the option or variable that named the file
 * @throws Failure `invalidInput` if the file can't be read or contains no secret, and the signal's reason
 */
export async function readSecretFile(
  file: string,
  from: string,
  signal: AbortSignal | undefined,
): Promise<Secret> {
  const label = `${file} (from ${from})`;
  const start = await readUserFile(file, maxSecretBytes + 1, signal, label);
  const isCut = start.length > maxSecretBytes;
  // Truncation may split a character, so a truncated text isn't decoded as UTF-8. It is rejected anyway.
  const text = isCut ? start.toString('latin1') : decodeSendableText(start, { path: file, label });
  return parseSecret(text.trim(), label, isCut);
}

/**
 * Parses a secret read from a file or a stream: one line, without the newline that editors and `echo` append.
 * @param from the source, as the subject of the message
 * @param isCut whether the source has more bytes than any secret
 * @throws Failure `invalidInput` if it contains no secret or more than one
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
