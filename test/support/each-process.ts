// What each process of the tests needs once. Vitest evaluates a set-up file anew for each file of tests, but what that imports
// only once.
import './no-sync.ts';
import './properties.ts';
