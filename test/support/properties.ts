import fc from 'fast-check';
import { runs } from './long.ts';

/** Seed of what is generated, where a run is to be repeatable; another each time otherwise. */
export const givenSeed = process.env.BOTCTL_TEST_SEED ? Number(process.env.BOTCTL_TEST_SEED) : undefined;

// Of how often a property is tried, what has no number of its own.
fc.configureGlobal({ numRuns: runs(100), ...(givenSeed !== undefined && { seed: givenSeed }) });
