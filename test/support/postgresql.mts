/** What a run says that it lacks without a server: see `needing`. */
export const postgresql = 'PostgreSQL (BOTCTL_TEST_DATABASE names no server; npm run test:long starts one)';
