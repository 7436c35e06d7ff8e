/** The folder of tenants' files where none is named. */
export const defaultFolder = 'tenants';

/** Names of files that plans are kept in. */
export const planName = /(?:^|[./\\])plan\.json$/i;
