import type * as z from 'zod/mini';
import type { quotas } from '../contract/teams.ts';
import { ownMember } from '../lib/json-object.ts';

/** The six quotas of a team. */
export type Quotas = z.infer<typeof quotas>;

/** Also the quotas of an unlisted plan. */
const starter: Quotas = {
  bots: 3,
  accounts: 1,
  characters: 500_000,
  documents: 20,
  members: 3,
  credits: 1000,
};

/** The quotas of a team by its plan. */
const plans: Readonly<Record<string, Quotas>> = {
  free: { bots: 1, accounts: 1, characters: 100_000, documents: 5, members: 1, credits: 100 },
  starter,
  pro: { bots: 10, accounts: 5, characters: 5_000_000, documents: 200, members: 10, credits: 10_000 },
  business: {
    bots: 50,
    accounts: 20,
    characters: 50_000_000,
    documents: 2000,
    members: 50,
    credits: 100_000,
  },
  enterprise: {
    bots: 1000,
    accounts: 200,
    characters: 1_000_000_000,
    documents: 50_000,
    members: 1000,
    credits: 10_000_000,
  },
};

/** Returns the quotas of a plan. Its name is case-insensitive. */
export function planQuotas(planName: string): Quotas {
  const name = planName.toLowerCase();
  return ownMember(plans, name) ?? starter;
}
