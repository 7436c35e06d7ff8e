import { Failure } from '../lib/errors.ts';
import { readTextFile } from '../lib/files/text-input.ts';
import { Secret } from '../secrets/secret.ts';

/** Far more characters than any secret has; a text beyond it is something else. */
const maxSecretBytes = 64 * 1024;

/**
 * Reads a secret from a file.
 * @param from the option or variable that named the file
 * @throws Failure `usage` where the file can't be read or holds no secret
 */
export function readSecretFile(file: string, from: string): Secret {
  return parseSecret(readTextFile(file), `${file} (from ${from})`);
}

/**
 * Takes a secret out of what was read from a file or a stream: one line. The newline that editors and
 * `echo` put at the end is not part of it.
 * @param from what was read, as the message starts
 * @throws Failure `usage` where there is no secret in it, or more than one
 */
export function parseSecret(text: string, from: string): Secret {
  const secret = text.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
  if (secret.trim() === '') {
    throw new Failure('usage', `${from} holds no secret: it is empty.`, {
      hint: 'Put the secret into it, alone, on one line.',
    });
  }
  if (secret.length > maxSecretBytes || /[\r\n\0]/.test(secret)) {
    throw new Failure('usage', `${from} holds more than a secret.`, {
      hint: 'Give the secret alone, on one line.',
    });
  }
  return new Secret(secret);
}
