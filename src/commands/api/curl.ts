import type { Session } from '../../cli/context.ts';
import { findEndpoint } from '../../contract/find.ts';
import { shellLiteral } from '../../lib/text/quote.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Plan } from './plan.ts';

/** Returns the call as a curl command for a POSIX shell, with a note on the source of `$TOKEN`. Sends nothing. */
export function dryRun({ api, identity, options, terminal }: Session, plan: Plan): string {
  const { origin, pathname } = new URL(api.baseUrl);
  const [path = ''] = plan.path.split('?');
  const prefix = pathname.replace(/\/+$/, '');
  const found = path.startsWith(prefix) ? findEndpoint(plan.method, path.slice(prefix.length)) : undefined;
  const needsToken = found?.endpoint.withoutToken !== true;
  // The hint names the profile of this command: a token of another profile would be sent to the wrong service.
  if (needsToken) terminal.note(remark`Set the token first: TOKEN=$(${command('token')})`);
  const fileField = found?.endpoint.file ?? 'file';
  const caFile = options.caFile ?? identity.settings?.caFile;
  return curlLine(plan, { url: origin + plan.path, needsToken, fileField, caFile });
}

/** The parts of a command that are not in the plan. */
interface CurlTarget {
  /** The absolute address with its query. */
  readonly url: string;
  readonly needsToken: boolean;
  /** The name of the field that contains a file. */
  readonly fileField: string;
  readonly caFile: string | undefined;
}

function curlLine({ method, json, jsonFile, upload }: Plan, target: CurlTarget): string {
  const { url, needsToken, fileField, caFile } = target;
  const words = ['curl', '-sS'];
  if (/[[\]{}]/.test(url)) words.push('--globoff');
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET') words.push('-X', method);
  if (caFile !== undefined) words.push('--cacert', shellLiteral(caFile));
  if (needsToken) words.push('-H', '"Authorization: Bearer $TOKEN"');
  if (json !== undefined) words.push('-H', "'Content-Type: application/json'");
  if (jsonFile !== undefined) words.push('--data-binary', shellLiteral(`@${jsonFile}`));
  else if (json !== undefined) words.push('--data-raw', shellLiteral(json));
  for (const [name, value] of Object.entries(upload?.fields ?? {})) {
    words.push('--form-string', shellLiteral(`${name}=${value}`));
  }
  if (upload) words.push('-F', shellLiteral(`${fileField}=@${fileName(upload.file.path)}`));
  return `${[...words, shellLiteral(url)].join(' ')}\n`;
}

/** curl reads a quoted file name like a C string, and ends an unquoted one at a comma or semicolon. */
function fileName(path: string): string {
  return /[",;\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
