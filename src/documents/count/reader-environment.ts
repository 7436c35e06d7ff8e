import { isSea } from 'node:sea';
import { own } from '../../lib/json-object.ts';

/** Set for a process of an executable that reads documents: it runs the readers rather than the program. */
export const readerMark = 'BOTCTL_READS_DOCUMENTS';

/** Variables by which an executable finds the directory with its unpacked files. */
const variablesOfPaths = [
  'HOME',
  'USERPROFILE',
  'LOCALAPPDATA',
  'XDG_CACHE_HOME',
  'BOTCTL_CONFIG_DIR',
  'TMPDIR',
  'TEMP',
];

/** Returns the environment of the process that reads documents. It has no secret: the process reads files that others wrote. */
export function readerEnvironment(env: NodeJS.ProcessEnv, isExecutable = isSea()): NodeJS.ProcessEnv {
  if (!isExecutable) return {};
  return { ...Object.fromEntries(variablesOfPaths.map((name) => [name, own(env, name)])), [readerMark]: '1' };
}
