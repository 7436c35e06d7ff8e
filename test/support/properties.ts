import fc from 'fast-check';

/** Seed of what is generated, where a run is to be repeatable; another each time otherwise. */
export const givenSeed = process.env.BOTCTL_TEST_SEED ? Number(process.env.BOTCTL_TEST_SEED) : undefined;

fc.configureGlobal(givenSeed === undefined ? {} : { seed: givenSeed });
