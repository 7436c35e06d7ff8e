import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { type Check, type Finding, Subject } from './check.ts';
import { credentialChecks } from './credentials.ts';
import { fileChecks } from './files.ts';
import { machineChecks } from './machine.ts';
import { networkChecks } from './network.ts';
import { serviceChecks } from './service.ts';
import { storageChecks } from './storage.ts';
import { terminalChecks } from './terminal.ts';

/** Every check, each after those that it needs. */
const allChecks: readonly Check[] = [
  ...machineChecks,
  ...fileChecks,
  ...credentialChecks,
  ...networkChecks,
  ...serviceChecks,
  ...storageChecks,
  ...terminalChecks,
];

/**
 * Runs the checks one after the other, and yields each finding as soon as it is there. A check that needs a broken one, or
 * the identity where there is none, is skipped, and says which check to see to.
 * @throws the signal's reason, and whatever is thrown that is no `Failure`: a bug
 */
export async function* runChecks(context: Context): AsyncGenerator<Finding> {
  const { signal, terminal } = context;
  const subject = await Subject.open(context);
  /** For each check that is broken or could not be made, the broken one at its root. */
  const roots = new Map<string, string>();
  /** The failures that a check was broken by: of an identity that all others miss too. */
  const failures = new Map<Failure, string>();
  try {
    for (const { name, needs = [], run } of allChecks) {
      signal.throwIfAborted();
      const progress = terminal.progress(`Checking: ${name}`);
      let [root] = needs.flatMap((need) => roots.get(need) ?? []);
      let finding: Omit<Finding, 'check'> | undefined;
      try {
        finding = root === undefined ? await run(subject) : undefined;
        if (root === undefined && !finding) continue;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof Failure)) throw thrown;
        root = failures.get(thrown);
        failures.set(thrown, root ?? name);
        const { message, hint, kind } = thrown;
        finding = { verdict: 'broken', found: message, remedy: hint, kind };
      } finally {
        progress.stop();
      }
      if (root !== undefined) finding = { verdict: 'skipped', found: `Left out: first see to "${root}".` };
      if (root !== undefined || finding?.verdict === 'broken') roots.set(name, root ?? name);
      if (finding) yield { check: name, ...finding };
    }
  } finally {
    await subject.close();
  }
}

/** Returns the failure of the first broken check, by which the command ends, or undefined if none is broken. */
export function failureBy(findings: readonly Finding[]): Failure | undefined {
  const broken = findings.filter(({ verdict }) => verdict === 'broken');
  const [first] = broken;
  if (!first) return undefined;
  const names = broken.map(({ check }) => check).join(', ');
  const count = broken.length === 1 ? '1 check failed' : `${broken.length} checks failed`;
  return new Failure(first.kind ?? 'unexpected', `${count}: ${names}.`, { hint: first.remedy });
}
