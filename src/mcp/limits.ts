import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { confinedPath, withUnlinked } from '../lib/files/confined-path.ts';
import { privateFile } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { resultMarks } from './result.ts';
import type { ToolInput } from './schema.ts';

/** The permissions of the user, beside the kinds of writes. */
export interface Limits {
  /** Hosts that actions of bots may call and images may come from, in lower case, with the port if it is unusual. */
  readonly hosts: ReadonlySet<string>;
  /** The folder whose files may be uploaded. */
  readonly root: string | undefined;
}

/**
 * Returns the input of a call for its command: with the real path of each file, and each action and address in the form
 * that was checked.
 * @throws Failure `invalidInput` if a file is outside of the folder or hidden, the host of an address is not allowed,
 *   or a text was cut or masked in a result
 */
export function limitedInput(input: ToolInput, { hosts, root }: Limits): ToolInput {
  const { path, actions, imageUrl } = input;
  const marked = Object.entries(input).find(([, value]) => resultMarks.test([value].flat().join('\n')));
  if (marked)
    throw new Failure('invalidInput', `${marked[0]} has a part that was cut or masked in a result.`, {
      hint: 'Ask the user for the whole text, or to change it in a terminal.',
    });
  return {
    ...input,
    ...(imageUrl !== undefined && { imageUrl: checkedAddress(imageUrl, hosts) }),
    ...(Array.isArray(actions) && { actions: actions.map((action) => checkedAction(action, hosts)) }),
    ...(Array.isArray(path) && { path: path.map((one) => realFile(String(one), root)) }),
  };
}

/** Returns an action in the form that was checked: two parsers may read one text differently. */
function checkedAction(text: unknown, hosts: Limits['hosts']): string {
  const action = parseJson(String(text));
  if (!isObject(action)) throw new Failure('invalidInput', 'Each action must be one JSON object, as text.');
  return JSON.stringify({ ...action, endpoint: checkedAddress(action.endpoint, hosts) });
}

/** Returns an address in the form that was checked. */
function checkedAddress(address: unknown, hosts: Limits['hosts']): string {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain && hosts.has(url.host.toLowerCase())) return url.href;
  throw new Failure('invalidInput', `${inSentence(String(address))} is not an address of an allowed host.`, {
    hint: 'The user allows a host with --allow-host when the server starts.',
  });
}

/**
 * Returns the real path of a file. A pattern or a folder is refused: it could name files that the user has not seen.
 */
function realFile(path: string, root: string | undefined): string {
  const refused = (why: string): Failure =>
    new Failure('invalidInput', `${inSentence(path)} ${why}.`, {
      hint: 'Give paths of files, relative to the folder that the user allowed with --root.',
    });
  if (root === undefined) throw refused('is refused, since no folder is allowed');
  let found: string;
  try {
    found = confinedPath(path, root, refused('is outside of the allowed folder'));
  } catch {
    // The reason could name other files.
    throw refused('is no file in the allowed folder');
  }
  const parts = [path, relative(root, found)].flatMap((one) => one.split(/[\\/]/));
  if (parts.some((part) => /^\.[^.]/.test(part) || part.startsWith('...')))
    throw refused('is hidden, or in a hidden folder');
  if (!lstatSync(found).isFile()) throw refused('is not a file');
  return found;
}

/**
 * Runs work with copies of the files, which no other process can replace meanwhile: a file may become a link to another
 * one after it was checked.
 * @throws Failure `invalidInput` if a file is no longer the one that was checked
 */
export async function withCopies<T>(input: ToolInput, work: (copied: ToolInput) => Promise<T>): Promise<T> {
  if (!Array.isArray(input.path)) return work(input);
  const directory = mkdtempSync(join(tmpdir(), 'botctl-upload-'));
  try {
    const copies = input.path.map((path, index) => {
      const copy = join(directory, String(index), basename(String(path)));
      mkdirSync(join(directory, String(index)));
      writeFileSync(copy, readUnlinked(String(path)), { mode: privateFile });
      return copy;
    });
    return await work({ ...input, path: copies });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Reads a file by its real path. */
function readUnlinked(path: string): Buffer {
  const changed = new Failure('invalidInput', `${inSentence(basename(path))} was replaced meanwhile.`);
  try {
    return withUnlinked(path, changed, (handle, opened) => {
      if (!opened.isFile()) throw changed;
      return readFileSync(handle);
    });
  } catch {
    // The error of the file system has the real path.
    throw changed;
  }
}
