import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { minNode } from '../../lib/version.ts';
import { type Answer, type Check, type Finding, ok, orFailure, Subject, skipped } from './check.ts';
import { credentialChecks } from './credentials.ts';
import { fileChecks } from './files.ts';
import { networkChecks } from './network.ts';
import { serviceChecks } from './service.ts';
import { storageChecks } from './storage.ts';
import { terminalChecks } from './terminal.ts';
import { versionAnswer } from './version.ts';

/** All checks, each after the checks that it depends on. */
const allChecks: readonly Check[] = [
  { name: 'version', run: ({ context }) => versionAnswer(new Date(context.clock.now())) },
  { name: 'node', run: () => nodeAnswer(process.versions.node) },
  ...fileChecks,
  ...credentialChecks,
  ...networkChecks,
  ...serviceChecks,
  ...storageChecks,
  ...terminalChecks,
];

/**
 * Returns the result of the check of Node.js.
 * @param node its version
 * @throws Failure `invalidInput` if the version is too old
 */
export function nodeAnswer(node: string): Answer {
  if (node.localeCompare(minNode, 'en', { numeric: true }) >= 0)
    return ok(`Node.js ${node} on ${process.platform} ${process.arch}.`);
  throw new Failure('invalidInput', `Node.js ${node} is too old: botctl needs ${minNode} or newer.`, {
    hint: 'Install a newer version: https://nodejs.org',
  });
}

/**
 * Runs the checks in order, and yields each finding at once. A check is skipped if a check that it depends on failed,
 * or if it needs an identity and there is none; the finding names the check to fix.
 * @throws the reason of the signal, and any error that is not a `Failure`, which is a bug
 */
export async function* runChecks(context: Context): AsyncGenerator<Finding> {
  const { signal, terminal } = context;
  const subject = await Subject.open(context);
  /** The failed check that caused each failed or skipped check, and each failure that several checks share. */
  const roots = new Map<string | Failure, string>();
  try {
    for (const { name, needs = [], run } of allChecks) {
      signal.throwIfAborted();
      const before = needs.map((need) => roots.get(need)).find((one) => one !== undefined);
      const progress = terminal.progress(`Checking: ${name}`);
      const found = await orFailure(() => before ?? run(subject)).finally(() => progress.stop());
      signal.throwIfAborted();
      const root = found instanceof Failure ? roots.get(found) : before;
      if (root !== undefined) {
        roots.set(name, root);
        yield { check: name, ...skipped(`Skipped: first fix "${root}".`) };
      } else if (found instanceof Failure) {
        roots.set(name, name).set(found, name);
        yield { check: name, verdict: 'broken', found: found.message, remedy: found.hint, kind: found.kind };
      } else if (typeof found === 'object') yield { check: name, ...found };
    }
  } finally {
    await subject.close();
  }
}

/** Returns the failure of the first failed check, which ends the command, or undefined if none failed. */
export function failureBy(findings: readonly Finding[]): Failure | undefined {
  const broken = findings.filter(({ verdict }) => verdict === 'broken');
  const [first] = broken;
  if (!first) return undefined;
  const count = broken.length === 1 ? '1 check failed' : `${broken.length} checks failed`;
  const names = broken.map(({ check }) => check).join(', ');
  return new Failure(first.kind ?? 'unexpected', `${count}: ${names}.`, { hint: first.remedy });
}
