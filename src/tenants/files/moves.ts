import { mostSimilar } from '../../lib/text/similar.ts';
import { type Address, addressesOf, type DesiredTenant, type Move, parentOf } from '../desired.ts';
import type { FileProblem } from './file-value.ts';

/**
 * Returns the moves, with the tenant's new key in the moves of its objects, and the problems with them.
 * @param moved the moves as written
 */
export function checkMoves(
  moved: readonly Move[],
  tenants: readonly DesiredTenant[],
): { readonly moved: readonly Move[]; readonly problems: readonly FileProblem[] } {
  const declared = new Set(tenants.flatMap(addressesOf));
  const keys = new Map(moved.filter(({ to }) => !to.includes('/')).map(({ from, to }) => [from, to]));
  const following = moved.map((move): Move => {
    const [tenant = '', ...inner] = move.from.split('/');
    const now = inner.length === 0 ? undefined : keys.get(tenant);
    return now === undefined ? move : { ...move, from: [now, ...inner].join('/') };
  });
  const problems = following.flatMap((move, at) => {
    const message = moveProblem(move, following.slice(0, at), declared);
    return message === undefined ? [] : [{ place: move.place, field: `moved.${at + 1}`, message }];
  });
  return { moved: following, problems };
}

function moveProblem(
  { from, to }: Move,
  before: readonly Move[],
  declared: ReadonlySet<Address>,
): string | undefined {
  if (!declared.has(to)) {
    const similar = mostSimilar(to, declared);
    return `${from} can't have moved to ${to}, which is not declared${similar === undefined ? '.' : `; did you mean ${similar}?`}`;
  }
  if (declared.has(from)) return `${from} can't have moved to ${to}: it is still declared.`;
  if (parentOf(from) !== parentOf(to))
    return `${from} can't have moved to ${to}: only a key changes, not the kind of an object or its tenant.`;
  const twice = before.find((other) => other.from === from || other.to === to);
  return twice && `${from} can't have moved to ${to}: ${twice.from} has already moved to ${twice.to}.`;
}
