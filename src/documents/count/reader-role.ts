/** The variable that tells an executable to be the process that reads documents. */
export const roleVariable = 'BOTCTL_ROLE';

/** Its value for that process. */
export const readerRole = 'document-reader';
