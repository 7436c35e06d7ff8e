import { mask } from '../secret.ts';
import { isObject, oneLine } from './answer.ts';
import type { Redactor } from './redact.ts';

/** Members whose value is a secret wherever they appear. */
const secretMembers = new Set([
  'key_secret',
  'access_token',
  'token',
  'qr_code',
  'authorization',
  'password',
]);

/** Characters of a body that are shown. */
const longestBody = 2000;

/**
 * A JSON body as `--debug` shows it: secrets masked by the name of their member and by their value, cut
 * where it gets long.
 */
export function shownBody(body: string | undefined, redactor: Redactor): string {
  if (body === undefined || body === '') return '(no body)';
  return redactor.text(oneLine(maskMembers(body), longestBody));
}

function maskMembers(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), (name, value: unknown) =>
      secretMembers.has(name) && !isObject(value) && value !== null ? mask : value,
    );
  } catch {
    return body;
  }
}
