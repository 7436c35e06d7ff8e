/** Whether `npm run test:long` runs: then a test that has a short and a long form takes the long one. */
export const isLong = process.env.BOTCTL_TEST_LONG === '1';

/** How often a property is tried: half as often where a run is to be short. */
export function runs(whole: number): number {
  return isLong ? whole : Math.ceil(whole / 2);
}
