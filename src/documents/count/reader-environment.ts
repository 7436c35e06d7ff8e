import { isSea } from 'node:sea';

/** Set for a process of an executable that reads documents: it runs the readers rather than the program. */
export const readerMark = 'BOTCTL_READS_DOCUMENTS';

/** Returns the environment of the process that reads documents. It has no secret: the process reads files that others wrote. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  return isSea() ? { [readerMark]: '1' } : {};
}
