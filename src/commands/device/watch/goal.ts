/** What can be waited for. */
export const goals = ['ready', 'stopped', 'lost'] as const;

/** One of them. `lost`: it was or is to be paired, and doesn't come back without somebody's help. */
export type Goal = (typeof goals)[number];
