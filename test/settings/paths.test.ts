import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { findPaths } from '../../src/settings/paths.ts';

afterEach(() => void vi.unstubAllEnvs());

it.runIf(process.platform === 'linux')(
  'puts nothing below a relative XDG directory, which would be the working directory',
  () => {
    for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME']) vi.stubEnv(name, 'below/here');
    const paths = findPaths({});
    for (const path of Object.values(paths)) expect(isAbsolute(path)).toBe(true);
    expect(paths.config).toBe(join(homedir(), '.config', 'botctl'));
    vi.stubEnv('XDG_CONFIG_HOME', '/elsewhere');
    expect(findPaths({}).config).toBe('/elsewhere/botctl');
  },
);
