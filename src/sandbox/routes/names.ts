import { refuseIssues } from '../http/check.ts';

/**
 * Refuses names of nothing but white space, which a reader can't tell from a missing one.
 * @param names the names that a body gives, by where in it they stand: `team.name`
 * @throws Refusal BAD_REQUEST that names each
 */
export function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  const blank = Object.entries(names).filter(([, name]) => name?.trim() === '');
  if (blank.length === 0) return;
  throw refuseIssues(
    blank.map(([path]) => ({ path, message: 'must not be blank' })),
    'body',
  );
}
