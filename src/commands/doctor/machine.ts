import { Failure } from '../../lib/errors.ts';
import { minNode, version } from '../../lib/version.ts';
import { type Check, ok } from './check.ts';

/** Checks of what botctl runs on. */
export const machineChecks: readonly Check[] = [
  { name: 'node', run: () => nodeAnswer(process.versions.node) },
];

/**
 * Returns the good answer of the check of Node.js.
 * @param node its version
 * @throws Failure `invalidInput` for one that is too old
 */
export function nodeAnswer(node: string): ReturnType<typeof ok> {
  if (node.localeCompare(minNode, 'en', { numeric: true }) < 0) {
    throw new Failure('invalidInput', `Node.js ${node} is too old: botctl needs ${minNode} or newer.`, {
      hint: 'Install a newer one from https://nodejs.org',
    });
  }
  return ok(`botctl ${version} on Node.js ${node}, ${process.platform} ${process.arch}.`);
}
