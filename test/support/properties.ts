import fc from 'fast-check';

/** Seed of the generated data if a run has to be repeatable; otherwise each run uses another one. */
export const givenSeed = process.env.BOTCTL_TEST_SEED ? Number(process.env.BOTCTL_TEST_SEED) : undefined;

fc.configureGlobal(givenSeed === undefined ? {} : { seed: givenSeed });
