// What each process of the tests needs once. Vitest evaluates a file that it is given for this again for each file of tests, and
// what that imports only once.
import './compiled-database.ts';
import './no-sync.ts';
import './properties.ts';
