import { isObject, parseJson } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { mask } from '../secrets/secret.ts';
import type { UploadFile } from './upload-file.ts';

/** Members whose value is a secret wherever they appear. */
export const secretMembers: ReadonlySet<string> = new Set([
  'key_secret',
  'access_token',
  'token',
  'qr_code',
  'authorization',
  'password',
]);

/** Characters of a body that are shown. */
const maxBodyLength = 2000;

/**
 * A JSON body as `--debug` shows it: secrets masked by the name of their member and by their value, cut
 * where it gets long.
 */
export function shownBody(body: string | undefined, redactor: Redactor): string {
  if (body === undefined || body === '') return '(no body)';
  // Masked before it is cut: half a secret would not be recognised.
  return oneLine(redactor.text(maskMembers(body)), maxBodyLength);
}

/** A form with a file, as `--debug` shows it: its fields, and which file. */
export function shownForm(
  fields: Readonly<Record<string, unknown>>,
  file: UploadFile,
  redactor: Redactor,
): string {
  const { name, type, path } = file;
  return `(a form with the file ${redactor.text(path)}) ${shownBody(JSON.stringify({ ...fields, file: { name, type } }), redactor)}`;
}

function maskMembers(body: string): string {
  const json = parseJson(body);
  if (json === undefined) return body;
  try {
    return JSON.stringify(json, (name, value: unknown) =>
      secretMembers.has(name) && !isObject(value) && value !== null ? mask : value,
    );
  } catch {
    // The stack ends before the value does.
    return '(a body that is nested too deeply to be shown)';
  }
}
