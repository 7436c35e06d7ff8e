import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { confirmSuspiciousTexts } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import type { UploadFile } from '../../client/upload.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { requestJson } from '../../lib/exact-json.ts';
import { suspiciousFileName } from '../../lib/files/suspicious-text.ts';
import { readStdin, readTextFile } from '../../lib/files/text-input.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { bodyOf, checkJson, type Setting } from './body.ts';
import { type Method, safeMethods, targetPath } from './target.ts';

export interface Plan {
  readonly method: Method;
  readonly path: string;
  readonly json: string | undefined;
  /** The file that contains exactly this JSON, if there is one. */
  readonly jsonFile: string | undefined;
  readonly upload:
    | { readonly file: UploadFile; readonly fields: Readonly<Record<string, string>> }
    | undefined;
}

/** The options and arguments from which a call is made. */
export interface TypedCall {
  readonly method: Method;
  readonly path: string;
  readonly query: readonly Setting[];
  readonly set: readonly Setting[];
  readonly setString: readonly Setting[];
  readonly setFile: readonly Setting[];
  readonly body: string | undefined;
  readonly file: string | undefined;
  readonly paginate: boolean;
  readonly include: boolean;
  readonly dryRun: boolean;
}

/**
 * Returns the call for the typed options. Reads files and stdin. Sends nothing.
 * @throws Failure `usage`
 */
export async function planCall(session: Session, typed: TypedCall): Promise<Plan> {
  checkTogether(session, typed);
  const { method, set, setString, setFile, body, file } = typed;
  await confirmSuspiciousTexts(
    session,
    set.map(({ name, value }) => suspiciousFileName(name, value, `--set-file ${name}=`)),
  );
  const path = targetPath(typed.path, typed.query, session.api.baseUrl);
  const settings =
    set.length + setString.length + setFile.length > 0
      ? await bodyOf(set, setString, setFile, session.io.signal)
      : undefined;
  if (file !== undefined) {
    const upload = { file: await uploadFile(file), fields: fieldsOf(settings ?? {}) };
    return { method, path, json: undefined, jsonFile: undefined, upload };
  }
  const given = body === undefined ? undefined : await readBody(session, body);
  return {
    method,
    path,
    json: given ?? (settings && requestJson(settings)),
    jsonFile: body !== undefined && given !== undefined && isFileIdentical(body, given) ? body : undefined,
    upload: undefined,
  };
}

function checkTogether({ options }: Session, typed: TypedCall): void {
  const { output, isOutputTyped, fields } = options;
  if (fields !== undefined || (isOutputTyped && output !== 'json' && output !== 'ndjson')) {
    const asked = fields === undefined ? `-o ${output}` : '--fields';
    throw new Failure('usage', `${asked} doesn't work with api, which prints the response as received.`, {
      hint: remark`Use -o json or -o ndjson, or the command for the noun, such as ${command('teams', 'list')}.`,
    });
  }
  const bodies = [
    typed.body !== undefined && '--body',
    typed.file !== undefined && '--file',
    typed.file === undefined &&
      typed.set.length + typed.setString.length + typed.setFile.length > 0 &&
      '--set',
  ].filter((name) => name !== false);
  const other = typed.include ? '--include' : typed.dryRun ? '--dry-run' : undefined;
  const problems = [
    bodies.length > 1 && `${bodies.join(' and ')} can't be used together.`,
    bodies.length > 0 &&
      safeMethods.has(typed.method) &&
      `${typed.method} has no body, so ${bodies[0]} can't be used. Use --query NAME=VALUE.`,
    typed.paginate && typed.method !== 'GET' && '--paginate works with GET only.',
    typed.paginate &&
      other !== undefined &&
      `--paginate and ${other} can't be used together: one makes several calls, the other shows one.`,
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw usageFailure(problems);
}

async function readBody({ io }: Session, from: string): Promise<string> {
  return from === '-'
    ? checkJson(await readStdin(io, '--body'), 'stdin')
    : checkJson(await readTextFile(from, io.signal), from);
}

/**
 * Returns whether a file has exactly the bytes that are sent: it has no byte order mark, is not UTF-16, and is not a
 * pipe.
 */
function isFileIdentical(path: string, json: string): boolean {
  return path !== '-' && statSync(path, { throwIfNoEntry: false })?.size === Buffer.byteLength(json);
}

async function uploadFile(file: string): Promise<UploadFile> {
  const [{ checkFile }, { mediaType }] = await Promise.all([
    import('../../documents/local-file.ts'),
    import('../../documents/kind.ts'),
  ]);
  await checkFile(file);
  const name = basename(file);
  return { path: file, name, type: mediaType(name) };
}

/** A form contains only text, so other values are written as JSON. */
function fieldsOf(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : requestJson(value),
    ]),
  );
}
