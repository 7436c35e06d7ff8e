import { Failure } from '../../lib/errors.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Identity } from '../../settings/settings.ts';

/** Commands in hints name its profile. */
type Caller = Pick<Identity, 'profile'>;

/**
 * Returns the failure for a response that contains no list.
 * @param path of the response; undefined if the user typed the path
 */
export function noListFailure(path?: string): Failure {
  if (path === undefined)
    return new Failure('usage', 'The response contains no list to page through.', {
      hint: 'To see the response, leave out --paginate.',
    });
  return new Failure('network', `The response to ${path} contains no list.`, {
    hint: remark`Check the address with ${command('whoami')}.`,
  });
}

/** Returns the failure for a service that returns another page than the one requested. */
export function ignoredPagingFailure(evidence: string, caller: Caller): Failure {
  return new Failure('network', `The service ignores paging: ${evidence}.`, {
    hint: remark`The rows shown are not all. Find the name of the page parameter: ${learnCommand(caller)}\nOr store it: ${pageNameCommand(caller)}`,
  });
}

/** Returns the failure for a service that reports more rows than it returned. */
export function incompleteListFailure(total: number, read: number, caller: Caller): Failure {
  return new Failure('network', `The service reports ${total} rows, but returned ${read}.`, {
    hint: remark`Run the command again. If that does not help, find out how the service counts its pages: ${learnCommand(caller)}`,
  });
}

/** Returns the failure if more pages than the first are needed and no name of the page number is known. */
export function unpagedListFailure(total: number | undefined, read: number, caller: Caller): Failure {
  const message =
    read === 0
      ? "The page parameter of this service is not known, so botctl can't request pages of its lists."
      : `The service gave ${read} rows${total === undefined ? '' : ` of ${total}`}, and its page parameter is not known, so botctl can't request the others.`;
  return new Failure('network', message, {
    hint: remark`Ask the operator of the service for the name of its page parameter, and store it: ${pageNameCommand(caller)}`,
  });
}

/** Returns the command that stores the service's name of the page number. */
export function pageNameCommand({ profile }: Caller): CommandLine {
  const named = profile ?? placeholder('NAME');
  return command('profiles', 'set', named, '--query-name', placeholder('page=WORD'));
}

/** Returns the command that detects the list conventions of a service, and stores them if there is a profile. */
export function learnCommand({ profile }: Caller): CommandLine {
  const saved = profile === undefined ? [] : ['--save', '--profile', profile];
  return command('doctor', '--learn', ...saved);
}
