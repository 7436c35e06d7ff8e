import type { Api, ResourceRow } from '../../client/api.ts';
import { collect } from '../../lib/iterables.ts';
import { pagesIn } from '../resolve.ts';

/** The quotas for the bots and documents of a team. */
export const countedQuotas = ['bots', 'documents', 'characters'] as const;

export type CountedQuota = (typeof countedQuotas)[number];

/** A team's usage of its quotas (those that the service enforces: `botctl help specification`). */
export interface Usage {
  readonly bots: number;
  readonly documents: number;
  readonly characters: number;
}

/** The bots and documents of a team, with their usage of its quotas. */
export interface Contents {
  readonly bots: readonly ResourceRow[];
  readonly documents: readonly ResourceRow[];
  readonly used: Usage;
}

/**
 * Reads the bots and documents of a team.
 * @throws Failure as `Api.pages`
 */
export async function contentsOf(api: Api, teamId: string): Promise<Contents> {
  const read = async (list: 'listBots' | 'listDocuments'): Promise<readonly ResourceRow[]> =>
    (await collect(pagesIn(api, list, { teamId }))).flatMap(({ rows }) => rows);
  const [bots, documents] = await Promise.all([read('listBots'), read('listDocuments')]);
  return { bots, documents, used: usageOf(bots, documents) };
}

/** Returns the usage of a team's quotas by its bots and documents. */
export function usageOf(bots: readonly ResourceRow[], documents: readonly ResourceRow[]): Usage {
  // A service may write numbers as texts.
  const characters = documents.reduce((sum, { chars }) => sum + (Number(chars) || 0), 0);
  return { bots: bots.length, documents: documents.length, characters };
}
