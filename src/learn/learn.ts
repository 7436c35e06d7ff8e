import type { FailureKind } from '../lib/errors.ts';
import { type Choice, unknown } from './choice.ts';
import type { Finding } from './finding.ts';
import { Changed, OutOfRequests, type Reading, Stopped } from './reading.ts';

/**
 * Finds out one choice after the other, each after those that it builds on. Where the service answers no more, what can't
 * be told by what was heard is unknown for that reason.
 * @param found is given each finding
 */
export async function* learn(
  choices: readonly Choice[],
  service: Reading,
  found: Map<string, Finding>,
): AsyncGenerator<Finding> {
  for (const choice of choices) {
    const finding = await learnOne(choice, service);
    found.set(choice.name, finding);
    yield finding;
  }
}

async function learnOne(choice: Choice, service: Reading): Promise<Finding> {
  const { name, specification } = choice;
  for (;;) {
    try {
      return { choice: name, specification, ...(await choice.learn(service)) };
    } catch (thrown) {
      // It begins again with the list as it is now.
      if (thrown instanceof Changed) continue;
      if (!(thrown instanceof Stopped)) throw thrown;
      const outcome = unknown(reasonOf(thrown), 'A run that goes on: --resume.');
      return { choice: name, specification, ...outcome };
    }
  }
}

const reasons: Partial<Readonly<Record<FailureKind, string>>> = {
  rateLimited: 'The service allows no more requests for now.',
  authentication: 'The service does not take the key.',
  network: 'The service gave no answer of the API.',
};

/** The words of a failure may hold what was asked for, such as the name of a team. */
function reasonOf({ cause }: Stopped): string {
  if (cause instanceof OutOfRequests) return `All of ${cause.most} requests were made before it.`;
  return reasons[cause.kind] ?? 'The service refuses to be read.';
}
