import { fileURLToPath } from 'node:url';

const preload = fileURLToPath(new URL('short-settling.cjs', import.meta.url));

/** The environment of a process that settles a lost call within seconds. */
export const shortSettling = { NODE_OPTIONS: `--require=${preload}` } as const;
