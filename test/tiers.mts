/** The folders whose tests start processes or need a server: `npm run test:outer` runs them, and `npm test` doesn't. */
export const outerFolders = ['process', 'pty', 'browser', 'shells', 'readme', 'postgresql'];

/** The folders that the outer tier runs again on PostgreSQL. */
export const foldersOnBothEngines = ['database', 'sandbox', 'campaigns'];
