/** States that can be waited for. */
export const goals = ['ready', 'stopped', 'lost'] as const;

/**
 * A state to wait for. `lost`: it was paired and doesn't come back by itself. A stopped device counts as lost, since the
 * service doesn't tell whether it was paired before.
 */
export type Goal = (typeof goals)[number];
