import type { ResourceRow } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { command, type RemarkText, remark } from '../../lib/text/remark.ts';
import { unlessUnlisted } from '../../resources/namesakes.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { toTeam } from '../../resources/teams/team.ts';
import { usageOf } from '../../resources/teams/usage.ts';

const countedQuotas = ['documents', 'characters'] as const;

/** Numbers of documents and of characters. */
export type DocumentFigures = Readonly<Record<(typeof countedQuotas)[number], number>>;

/** The remaining quotas of a team; those that the service doesn't show are absent. */
export type Headroom = Partial<DocumentFigures>;

/**
 * Reads how many documents and characters a team has room for.
 * @param every all its documents
 * @param isIdTyped true if the team was given by id, so its existence is not checked yet
 * @throws Failure `notFound` for such a team, and as `Api.call`
 */
export async function readHeadroom(
  { api }: Pick<ResourceContext, 'api'>,
  teamId: string,
  every: readonly ResourceRow[],
  isIdTyped: boolean,
): Promise<Headroom> {
  const reading = api.call('getTeam', { path: { id: teamId } });
  const read = isIdTyped ? await reading : await unlessUnlisted(() => reading);
  const quotas = read ? toTeam(read.data).quotas : {};
  const used = usageOf([], every);
  return Object.fromEntries(
    countedQuotas.flatMap((name) => {
      const quota = quotas[name];
      return quota === undefined ? [] : [[name, Math.max(quota - used[name], 0)]];
    }),
  );
}

/** Returns a sentence about the remaining quotas, or undefined if they are unknown. */
export function headroomText(room: Headroom): string | undefined {
  const parts = countedQuotas.flatMap((name) => {
    const left = room[name];
    return left === undefined ? [] : [figure(name, left)];
  });
  return parts.length === 0 ? undefined : `The team has room for ${parts.join(' and ')}.`;
}

/**
 * Returns the failure if a team has no room for new documents, or undefined if it has, as far as is known.
 * @param team as it can be typed
 */
export function headroomFailure(room: Headroom, needed: DocumentFigures, team: string): Failure | undefined {
  const lacking = countedQuotas.flatMap((name) => {
    const lack = needed[name] - (room[name] ?? Infinity);
    return lack > 0 ? [{ name, lack }] : [];
  });
  if (lacking.length === 0) return undefined;
  const more = lacking.map(({ name, lack }) => figure(name, lack)).join(' and ');
  const quotas = lacking.flatMap(({ name, lack }) => ['--quota', `${name}=+${lack}`]);
  return new Failure(
    'rejected',
    `The quotas of the team are too small: it needs ${more} more. Nothing was sent.`,
    {
      hint: remark`Choose fewer files with --include or --exclude, or raise the quotas: ${command('teams', 'update', team, ...quotas)}`,
    },
  );
}

/**
 * Returns the failure `notConfirmed` if there are more documents than expected, since an upload can't be undone;
 * otherwise undefined.
 */
export function tooManyFailure(count: number, most: number, hint: RemarkText): Failure | undefined {
  if (count <= most) return undefined;
  const words = `${groupedNumber(count)} documents are new, but at most ${groupedNumber(most)} are allowed (--max-new)`;
  return new Failure('notConfirmed', `${words}. Nothing was sent.`, { hint });
}

function figure(name: keyof DocumentFigures, value: number): string {
  return `${groupedNumber(value)} ${value === 1 ? name.slice(0, -1) : name}`;
}
