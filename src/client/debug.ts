import type { Endpoint } from '../contract/endpoint.ts';
import { membersWithoutSecret } from '../contract/loose.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { isSecretName, mask } from '../secrets/secret.ts';
import type { UploadFile } from './upload.ts';

/** Members whose value is a secret wherever they appear. */
export const secretMembers: ReadonlySet<string> = new Set([
  'key_secret',
  'access_token',
  'token',
  'qr_code',
  'authorization',
  'password',
]);

/** Members of the envelope that hold the service's own words. */
const envelopeMembers: ReadonlySet<string> = new Set(['error', 'code']);

/** Characters of a body that are shown. */
const maxBodyLength = 2000;

/**
 * A JSON body as `--debug` shows it: secrets masked by the name of their member and by their value, cut
 * where it gets long.
 */
export function maskedBody(body: string | undefined, redactor: Redactor): string {
  if (body === undefined || body === '') return '(no body)';
  const json = parseJson(body);
  const masked = json === undefined ? body : withMasks(json, isSecretMember);
  // Masked before it is cut: half a secret would not be recognised.
  return oneLine(redactor.foreign(masked), maxBodyLength);
}

/**
 * The body of an answer as `--debug` shows it. If the call returns a secret, only members that are known to be
 * harmless show their text; any other member is masked.
 */
export function maskedAnswer(body: string, endpoint: Endpoint | undefined, redactor: Redactor): string {
  const shown = endpoint && membersWithoutSecret(endpoint);
  if (!shown || body === '') return maskedBody(body, redactor);
  const json = parseJson(body);
  const isReadable = isObject(json) && (isObject(json.data) || json.success === false);
  if (!isReadable) return '(a body that is not shown, since it may hold a secret)';
  const isHidden = (name: string, value: unknown): boolean =>
    typeof value === 'string' && !shown.has(name) && !envelopeMembers.has(name);
  return maskedBody(withMasks(json, isHidden), redactor);
}

/** A form with a file, as `--debug` shows it: its fields, and which file. */
export function maskedForm(
  fields: Readonly<Record<string, unknown>>,
  file: UploadFile,
  redactor: Redactor,
): string {
  const { name, type, path } = file;
  return `(a form with the file ${redactor.foreign(path)}) ${maskedBody(JSON.stringify({ ...fields, file: { name, type } }), redactor)}`;
}

function isSecretMember(name: string, value: unknown): boolean {
  return (secretMembers.has(name) || isSecretName(name)) && !isObject(value) && value !== null;
}

/** Returns JSON with some of its members masked. */
function withMasks(json: unknown, isMasked: (name: string, value: unknown) => boolean): string {
  try {
    return JSON.stringify(json, (name, value: unknown) => (isMasked(name, value) ? mask : value));
  } catch {
    // The stack ends before the value does.
    return '(a body that is nested too deeply to be shown)';
  }
}
