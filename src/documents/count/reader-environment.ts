import { isSea } from 'node:sea';

/** Set in a child process of an executable that reads documents: it runs the readers instead of the program. */
export const readerMark = 'BOTCTL_READS_DOCUMENTS';

/** Returns the environment of the child process. It contains no secret: the process reads files from outside. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  return isSea() ? { [readerMark]: '1' } : {};
}
