import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findPaths } from '../../src/settings/paths.ts';

const { platform } = process;

function runOn(name: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { value: name });
}

afterEach(() => {
  vi.unstubAllEnvs();
  runOn(platform);
});

describe.runIf(platform === 'linux')('the directories', () => {
  it.each([
    ['linux', { config: '.config/botctl', cache: '.cache/botctl', data: '.local/share/botctl' }],
    [
      'darwin',
      {
        config: 'Library/Preferences/botctl',
        cache: 'Library/Caches/botctl',
        data: 'Library/Application Support/botctl',
      },
    ],
    [
      'win32',
      {
        config: 'AppData/Roaming/botctl/Config',
        cache: 'AppData/Local/botctl/Cache',
        data: 'AppData/Local/botctl/Data',
      },
    ],
  ] as const)('of %s are below the home directory', (name, { config, cache, data }) => {
    vi.stubEnv('HOME', '/home/ana');
    runOn(name);
    expect(findPaths({})).toEqual({
      config: `/home/ana/${config}`,
      cache: `/home/ana/${cache}`,
      data: `/home/ana/${data}`,
    });
  });

  it('follow the system variables', () => {
    const xdg = { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/h', XDG_DATA_HOME: '/d' };
    expect(findPaths(xdg)).toEqual({ config: '/c/botctl', cache: '/h/botctl', data: '/d/botctl' });
    runOn('win32');
    expect(findPaths({ APPDATA: '/roaming', LOCALAPPDATA: '/local' })).toEqual({
      config: '/roaming/botctl/Config',
      cache: '/local/botctl/Cache',
      data: '/local/botctl/Data',
    });
  });

  it('are not below a relative variable, which would be the working directory', () => {
    const xdg = { XDG_CONFIG_HOME: 'below/here', XDG_CACHE_HOME: 'here', XDG_DATA_HOME: './here' };
    expect(findPaths(xdg)).toEqual(findPaths({}));
    expect(findPaths(xdg).config).toBe(join(homedir(), '.config', 'botctl'));
  });

  it.each(['', 'here'])('are below the home of the password file if HOME is %j', (home) => {
    const usual = findPaths({});
    vi.stubEnv('HOME', undefined);
    const own = findPaths({});
    vi.stubEnv('HOME', home);
    expect(findPaths({})).toEqual(own);
    expect(usual.config).toMatch(/^\//);
  });
});
