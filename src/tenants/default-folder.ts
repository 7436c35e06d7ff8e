/** The default folder for the files of tenants. */
export const defaultFolder = 'tenants';

/** Matches the usual file names of saved plans. */
export const planName = /(?:^|[./\\])plan\.json$/i;
