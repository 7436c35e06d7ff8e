/** A machine that others use too may starve a test of its time: where that is so, a failure counts once it repeats. */
export const retry = Number(process.env.BOTCTL_TEST_RETRY ?? 0);
