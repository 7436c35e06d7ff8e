import { type ConnectionOptions, rootCertificates } from 'node:tls';
import { Failure } from '../lib/errors.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { readOwnText } from '../lib/files/read-file.ts';
import type { Io } from '../lib/io.ts';

/**
 * Node's trusted certificates with those of a file. Naming any replaces Node's own list, so that is
 * added again, NODE_EXTRA_CA_CERTS included.
 * @throws Failure `invalidInput` where the file can't be read or holds no certificate
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

/** Returns the text of a file that may be binary: then it has no certificate in PEM form. */
function readPem(file: string): string {
  try {
    return readOwnText(file);
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Node itself ignores the file where it can't be read, with a warning; so do we, without a second one. */
function extraCertificates(file: string | undefined): readonly string[] {
  if (!file) return [];
  try {
    return [readOwnText(file)];
  } catch {
    return [];
  }
}
