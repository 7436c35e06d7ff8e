import type { Plugin } from 'rolldown';

/**
 * env-paths asks for the home directory as soon as it is loaded. There may be none: a container's user without a
 * name has none, and then the question itself throws; and where HOME is empty, files would go below the current
 * directory. What is named by nobody is `/` then, which few may write, and whoever may not is told so.
 */
export const homeOrRoot: Plugin = {
  name: 'home-or-root',
  transform: {
    filter: { id: /env-paths[\\/]index\.js$/ },
    handler: (code) => `${code.replace('os.homedir()', 'homeOrRoot()')}\n${homeOrRootSource}`,
  },
};

const homeOrRootSource = `
function homeOrRoot() {
  try {
    const home = os.homedir();
    return path.isAbsolute(home) ? home : os.userInfo().homedir;
  } catch {
    return path.sep;
  }
}`;
