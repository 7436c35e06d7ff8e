import { type ConnectionOptions, rootCertificates } from 'node:tls';
import { Failure } from '../lib/errors.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { readOwnText } from '../lib/files/read-file.ts';
import type { Io } from '../lib/io.ts';

/**
 * Returns Node's trusted certificates and those of a file. Setting any replaces Node's own list, so that list is added
 * again, including NODE_EXTRA_CA_CERTS.
 * @throws Failure `invalidInput` if the file can't be read or contains no certificate
 */
export function tlsOptionsFor(caFile: string, env: Io['env']): ConnectionOptions {
  const own = readPem(caFile);
  if (!own.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Failure('invalidInput', `${caFile} holds no certificate in PEM form.`, {
      hint: 'A PEM file begins with -----BEGIN CERTIFICATE-----. Convert it with: openssl x509 -inform der -in FILE',
    });
  }
  return { ca: [...rootCertificates, own, ...extraCertificates(env.NODE_EXTRA_CA_CERTS)] };
}

/** Returns the text of a file. It may be binary: then it contains no certificate in PEM form. */
function readPem(file: string): string {
  try {
    return readOwnText(file);
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Node itself ignores an unreadable file with a warning; botctl ignores it too, without a second warning. */
function extraCertificates(file: string | undefined): readonly string[] {
  if (!file) return [];
  try {
    return [readOwnText(file)];
  } catch {
    return [];
  }
}
