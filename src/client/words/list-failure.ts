import { Failure } from '../../lib/errors.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Identity } from '../../settings/settings.ts';

/** Why a list can't be read, or not to its end. */
export type ListProblem =
  /** The answer of this path holds no list. */
  | { readonly kind: 'noList'; readonly path: string | undefined }
  /** The service answers another page than the one that was asked for. */
  | { readonly kind: 'ignoresPaging'; readonly evidence: string }
  /** Its pages have another size than was asked for, so that the page that was asked for is another one. */
  | { readonly kind: 'otherPageSize'; readonly size: number; readonly perPage: number; readonly page: number }
  /** It tells of more rows than it gave. */
  | { readonly kind: 'incomplete'; readonly total: number; readonly read: number }
  /** Other pages are wanted than the one that it gives by itself, and no name of the page number is known. */
  | { readonly kind: 'unpaged'; readonly total: number | undefined; readonly read: number };

/** Returns the failure for a list that can't be read, or not to its end. */
export function listFailure(problem: ListProblem, identity: Pick<Identity, 'profile'>): Failure {
  switch (problem.kind) {
    case 'noList':
      return problem.path === undefined
        ? new Failure('usage', 'The answer holds no list to read page by page.', {
            hint: 'Leave --paginate out to see it as it is.',
          })
        : new Failure('network', `The service's answer to ${problem.path} holds no list.`, {
            hint: remark`Check the address with ${command('whoami')}.`,
          });
    case 'ignoresPaging': {
      return new Failure('network', `The service ignores paging: ${problem.evidence}.`, {
        hint: remark`The rows shown are not all. Find out what the service calls the number of a page: ${learnLine(identity)}\nOr say it: ${pageNameLine(identity)}`,
      });
    }
    case 'otherPageSize': {
      const { size, perPage, page } = problem;
      return new Failure(
        'network',
        `The service puts ${size} rows on a page instead of ${perPage}, so page ${page} is another one.`,
        { hint: `Use --limit ${size}, or leave --page out.` },
      );
    }
    case 'incomplete':
      return new Failure(
        'network',
        `The service says that there are ${problem.total} rows, and gave ${problem.read}.`,
        {
          hint: remark`Run the command again. If it stays like this, find out how the service counts its pages: ${learnLine(identity)}`,
        },
      );
    case 'unpaged':
      return new Failure(
        'network',
        problem.read === 0
          ? 'Nobody knows what this service calls the number of a page, so that pages of its lists can not be asked for.'
          : `The service gave ${problem.read} rows${problem.total === undefined ? '' : ` of ${problem.total}`}, and nobody knows how to ask it for the others.`,
        {
          hint: remark`Ask who runs the service what it calls the number of a page, and say it: ${pageNameLine(identity)}`,
        },
      );
  }
}

/** Returns the command that stores the service's name of the page number. */
export function pageNameLine({ profile }: Pick<Identity, 'profile'>): CommandLine {
  const named = profile ?? placeholder('NAME');
  return command('profiles', 'set', named, '--query-name', placeholder('page=WORD'));
}

/** Returns the command that finds out how a service chose, and stores it if there is a profile. */
export function learnLine({ profile }: Pick<Identity, 'profile'>): CommandLine {
  const saved = profile === undefined ? [] : ['--save', '--profile', profile];
  return command('doctor', '--learn', ...saved);
}
