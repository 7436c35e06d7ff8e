import type { HookRun } from './hook-run.ts';

/**
 * Decides which of several watchers of a device runs a hook for a change. A desk stores the claims in its database, so
 * that eight watchers run a hook once.
 */
export interface HookClaims {
  /**
   * Claims a run. Returns false if another watcher has it: then this one does nothing.
   * @throws Failure if the claims can't be read: then the hook is not run, and the user is warned
   */
  claim(run: HookRun): Promise<boolean>;
}

/** The claims of a machine without a desk: it runs every hook. */
export const localClaims: HookClaims = { claim: async () => true };
