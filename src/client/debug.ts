import type { Endpoint } from '../contract/endpoint.ts';
import { membersWithoutSecret } from '../contract/loose.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { isSecretName, mask } from '../secrets/secret.ts';
import type { UploadFile } from './upload.ts';

/** Members whose value is always a secret. */
export const secretMembers: ReadonlySet<string> = new Set([
  'key_secret',
  'access_token',
  'token',
  'qr_code',
  'authorization',
  'password',
]);

/** Members of the envelope that contain the service's error message and code. */
const envelopeMembers: ReadonlySet<string> = new Set(['error', 'code']);

/** Maximum characters of a body in the log. */
const maxBodyLength = 2000;

/** Returns a JSON body for `--debug`: with secrets masked by member name and by value, and shortened. */
export function maskedBody(body: string | undefined, redactor: Redactor): string {
  if (body === undefined || body === '') return '(no body)';
  const json = parseJson(body);
  const masked = json === undefined ? body : withMasks(json, isSecretMember);
  // Masked before it is shortened: half a secret would not be recognised.
  return oneLine(redactor.foreign(masked), maxBodyLength);
}

/**
 * Returns the body of a response for `--debug`. If the call returns a secret, only members that are known to be
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

/** Returns a form with a file for `--debug`: its fields and the path of the file. */
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

/** Returns JSON with the selected members masked. */
function withMasks(json: unknown, isMasked: (name: string, value: unknown) => boolean): string {
  try {
    return JSON.stringify(json, (name, value: unknown) => (isMasked(name, value) ? mask : value));
  } catch {
    // The nesting is too deep for the stack.
    return '(a body that is nested too deeply to be shown)';
  }
}
