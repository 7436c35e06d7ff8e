/** The folder of tenants' files where none is named. */
export const defaultFolder = 'tenants';
