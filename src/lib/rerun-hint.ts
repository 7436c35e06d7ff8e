import type { Failure } from './errors.ts';

/**
 * Says how to go on after items that failed or were not begun. The same command alone helps only if nothing has to be corrected
 * first: what a service or a check refused is refused again.
 */
export function rerunHint(failures: readonly Failure[]): string {
  const isRefused = ({ kind, isWrongInput }: Failure): boolean => kind === 'rejected' || isWrongInput;
  return failures.length > 0 && failures.every(isRefused)
    ? 'Correct what was refused, then run the same command again for the rest.'
    : 'Run the same command again for the rest.';
}
