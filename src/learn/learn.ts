import type { FailureKind } from '../lib/errors.ts';
import type { QueryMember } from '../settings/list-query.ts';
import { type Choice, type Finding, unknownOutcome } from './choice.ts';
import { filterChoices, filtersByMember } from './choices/filters.ts';
import { largestPage } from './choices/largest-page.ts';
import { listQuery } from './choices/list-query.ts';
import { firstPage, pageNumber } from './choices/page-number.ts';
import { pageSize } from './choices/page-size.ts';
import { LimitReached } from './limits.ts';
import { type ListReader, ReadingStopped } from './list-reader.ts';
import { pageNumberName, pageSizeName } from './lists.ts';

/** All choices, each after those that it depends on. Their values are stored in the profile. */
export const choices: readonly Choice[] = [
  pageSize,
  pageNumber,
  firstPage,
  largestPage,
  listQuery,
  ...filterChoices,
];

/** The choices whose values are names, by the query member that they name. */
export const namingChoices: readonly { readonly member: QueryMember; readonly choice: string }[] = [
  { member: 'page', choice: pageNumberName },
  { member: 'limit', choice: pageSizeName },
  ...filtersByMember,
];

/**
 * Determines one choice after the other. If no further request can be made, a choice is still decided if the responses
 * so far suffice; otherwise it is unknown.
 * @param found receives each finding; later choices read it
 */
export async function* learn(service: ListReader, found: Map<string, Finding>): AsyncGenerator<Finding> {
  for (const choice of choices) {
    const finding = await learnOne(choice, service);
    found.set(choice.name, finding);
    yield finding;
  }
}

async function learnOne(choice: Choice, service: ListReader): Promise<Finding> {
  const { name, specification } = choice;
  try {
    return { choice: name, specification, ...(await choice.learn(service)) };
  } catch (thrown) {
    if (!(thrown instanceof ReadingStopped)) throw thrown;
    return { choice: name, specification, ...unknownOutcome(reasonOf(thrown), 'Run it again.') };
  }
}

const reasons: Partial<Readonly<Record<FailureKind, string>>> = {
  rateLimited: 'The rate limit of the service was reached.',
  authentication: 'The service rejected the key.',
  network: 'The service gave no valid response.',
};

/** Returns the reason without the message of the failure, which may quote request data such as the name of a team. */
function reasonOf({ cause }: ReadingStopped): string {
  if (cause instanceof LimitReached) return cause.message;
  return reasons[cause.kind] ?? 'The service refused to list anything.';
}
