import type { HookRun } from './change.ts';

/** The result of a run: `dropped` if the watch ended before it began, or too many were waiting. */
export type HookOutcome = 'done' | 'failed' | 'dropped';

/**
 * Decides which of several watchers of a device runs a hook for a change. A desk keeps the claims in its database, so that
 * eight watchers run a hook once.
 */
export interface HookClaims {
  /**
   * Claims a run. Returns false if another watcher has it: then this one does nothing.
   * @throws Failure if the claims can't be read: then the hook is not run, and the user is warned
   */
  claim(run: HookRun): Promise<boolean>;
  /** Records the result of a run that was claimed here. */
  done(run: HookRun, outcome: HookOutcome): Promise<void>;
}

/** The claims of a machine that shares no database: every run is its own. */
export const ownClaims: HookClaims = {
  claim: async () => true,
  done: async () => undefined,
};
