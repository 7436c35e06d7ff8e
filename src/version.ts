import { version as packageVersion } from '../package.json';

/** The version of botctl, from package.json. */
export const version: string = packageVersion;
