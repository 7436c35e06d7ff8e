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
 * Runs checks one after the other, and yields each finding as soon as it is there. A check that needs a
 * broken one is skipped, and says which that is.
 * @throws the signal's reason, and whatever is thrown that is no `Failure`: a bug
 */
export async function* runChecks(
  context: Context,
  checks: readonly Check[] = allChecks,
): AsyncGenerator<Finding> {
  const subject = await Subject.open(context);
  /** For each check that is broken or could not be made, the broken one at its root. */
  const roots = new Map<string, string>();
  try {
    for (const check of checks) {
      if (check.isWanted?.(subject) === false) continue;
      const needs = typeof check.needs === 'function' ? check.needs(subject) : (check.needs ?? []);
      const [root] = needs.flatMap((name) => roots.get(name) ?? []);
      if (root !== undefined) roots.set(check.name, root);
      const finding = root === undefined ? await runCheck(check, subject) : leftOut(check, root);
      if (finding.verdict === 'broken') roots.set(check.name, check.name);
      yield finding;
    }
  } finally {
    await subject.close();
  }
}

function leftOut({ name }: Check, root: string): Finding {
  return { check: name, verdict: 'skipped', found: `Left out: first see to "${root}".` };
}

async function runCheck({ name, run }: Check, subject: Subject): Promise<Finding> {
  const { signal, terminal } = subject.context;
  signal.throwIfAborted();
  const progress = terminal.progress(`Checking: ${name}`);
  try {
    return { check: name, ...(await run(subject)) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof Failure)) throw thrown;
    const { message, hint, kind } = thrown;
    return { check: name, verdict: 'broken', found: message, remedy: hint, kind };
  } finally {
    progress.stop();
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
