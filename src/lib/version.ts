import { engines, version as packageVersion } from '../../package.json';

/** The version of botctl, from package.json. */
export const version: string = packageVersion;

/** The oldest version of Node.js that botctl runs on, from package.json. */
export const minNode: string = engines.node.replace(/^>=/, '');
