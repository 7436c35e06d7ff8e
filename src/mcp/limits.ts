import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from '../lib/errors.ts';
import { confinedPath } from '../lib/files/confined-path.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { ToolInput } from './schema.ts';

/** What the user has allowed beside the kinds of writes. */
export interface Limits {
  /** Hosts that actions of bots may call and images may come from, in lower case, with the port if it is unusual. */
  readonly hosts: ReadonlySet<string>;
  /** The folder whose files may be uploaded. */
  readonly root: string | undefined;
}

/**
 * Returns the input of a call as it is passed on: with the real path of each file, and each action as it was checked.
 * @throws Failure `invalidInput` if a file is outside of the folder or hidden, or an address has another host
 */
export function limitedInput(input: ToolInput, { hosts, root }: Limits): ToolInput {
  const { path, actions, imageUrl } = input;
  if (imageUrl !== undefined) checkHost(imageUrl, hosts);
  return {
    ...input,
    ...(Array.isArray(actions) && { actions: actions.map((action) => checkedAction(action, hosts)) }),
    ...(Array.isArray(path) && { path: path.map((one) => realFile(String(one), root)) }),
  };
}

/** Returns an action written anew: two parsers may read one text differently. */
function checkedAction(text: unknown, hosts: Limits['hosts']): string {
  const action = parseJson(String(text));
  if (!isObject(action)) throw new Failure('invalidInput', 'Each action must be one JSON object, as text.');
  checkHost(action.endpoint, hosts);
  return JSON.stringify(action);
}

function checkHost(address: unknown, hosts: Limits['hosts']): void {
  const host =
    typeof address === 'string' && URL.canParse(address) ? new URL(address).host.toLowerCase() : '';
  if (hosts.has(host)) return;
  throw new Failure('invalidInput', `The host of ${inSentence(String(address))} is not allowed.`, {
    hint: 'The user allows a host with --allow-host when the server starts.',
  });
}

/** Returns the real path of a file. A pattern or a folder would name files that nobody has seen. */
function realFile(path: string, root: string | undefined): string {
  const refused = (why: string): Failure =>
    new Failure('invalidInput', `${inSentence(path)} ${why}.`, {
      hint: 'Give paths of files, relative to the folder that the user allowed with --root.',
    });
  if (root === undefined) throw refused('is refused, since no folder is allowed');
  const found = confinedPath(path, root, refused('is outside of the allowed folder'));
  const parts = [path, relative(root, found)].flatMap((one) => one.split(/[\\/]/));
  if (parts.some((part) => /^\.[^.]/.test(part) || part.startsWith('...')))
    throw refused('is hidden, or in a hidden folder');
  if (!statSync(found).isFile()) throw refused('is not a file');
  return found;
}
