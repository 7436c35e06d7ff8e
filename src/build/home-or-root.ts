import type { Plugin } from 'rolldown';

/**
 * env-paths asks for the home directory as soon as it is loaded. There may be none: a container's user without a
 * name has none, and then the question itself throws; and if HOME is empty or relative, files would go below the
 * current directory. The home is `/` then, where few may write, and a user who may not is told so.
 * Without it such a user can't start botctl, and files appear where it was started
 * (test/process/environments.test.ts).
 *
 * Node's module for it is loaded only where no variable says it, and its directory for temporary files, which botctl
 * doesn't take from env-paths, isn't asked for. Gain: 1 ms of every line that isn't answered from a file.
 */
export const homeOrRoot: Plugin = {
  name: 'home-or-root',
  transform: {
    filter: { id: /env-paths[\\/]index\.js$/ },
    handler: (code) =>
      `${code.replace('os.homedir()', 'homeOrRoot()').replace('os.tmpdir()', "''")}\n${homeOrRootSource}`,
  },
};

const homeOrRootSource = `
function homeOrRoot() {
  // What Node answers there, too, if it is set.
  const named = process.platform === 'win32' ? '' : (process.env.HOME ?? '');
  if (path.isAbsolute(named)) return named;
  try {
    const home = os.homedir();
    return path.isAbsolute(home) ? home : os.userInfo().homedir;
  } catch {
    return path.sep;
  }
}`;
