/**
 * What makes botctl start fast, beside the source itself: each of these changes how modules are bundled and
 * loaded, and none changes what the program does. What is gained is measured by `npm run bench -- --only
 * start-up`, and test/process/loading.test.ts names every module that a simple line loads.
 */
import type { CodeSplittingOptions, Plugin } from 'rolldown';

/** Node has loaded these by itself, and they are used everywhere. */
const loadedAnyway = new Set(['node:fs', 'node:path']);

/**
 * Loads modules of Node when something of theirs is used and not when the file that imports them is: some of
 * them, such as node:crypto, take a fifth of a start, and most lines never use them.
 */
export const builtinsWhenUsed: Plugin = {
  name: 'builtins-when-used',
  renderChunk(code) {
    const imported = /^let (node_[\w$]+) = require\("(node:[\w/]+)"\);\n/gm;
    let later = code;
    for (const [line, name = '', builtin = ''] of code.matchAll(imported)) {
      const use = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])(?!:)`, 'g');
      const isReassigned = new RegExp(`^${name.replaceAll('$', '\\$')} = `, 'm').test(code);
      if (loadedAnyway.has(builtin) || isReassigned) continue;
      later = later.replace(line, '').replace(use, `(require("${builtin}"))`);
    }
    return later === code ? null : later;
  },
};

/** What a module of a package is replaced with, and why nobody misses it. */
interface Replaced {
  readonly module: RegExp;
  readonly by: string;
}

const throwing = (what: string): string =>
  `module.exports = () => { throw new Error('${what} is not built in'); };`;

const replaced: readonly Replaced[] = [
  // Loaded with the client, and node:http2 with it; used only where `allowH2` asks for it, which ours never does.
  { module: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/, by: throwing('HTTP/2') },
  // All of fetch, for bodies of FormData; the transport sends texts and streams.
  {
    module: /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/,
    by: `exports.extractBody = ${throwing('fetch').slice(17)}`,
  },
  // A table gives cli-table3 nothing but characters of one column (terminal/table.ts), so nobody needs to know
  // the others there.
  {
    module: /cli-table3[\\/]node_modules[\\/]string-width[\\/]index\.js$/,
    by: 'module.exports = (text) => text.length;',
  },
  // Colours that cells of cli-table3 may be given by name; they get theirs from us.
  { module: /@colors[\\/]colors[\\/]safe\.js$/, by: 'module.exports = {};' },
];

/** Leaves out parts of packages that are loaded although nothing of botctl uses them. */
export const withoutUnused: Plugin = {
  name: 'without-unused',
  load: {
    filter: { id: replaced.map(({ module }) => module) },
    handler: (id) => replaced.find(({ module }) => module.test(id))?.by,
  },
};

/** commander needs node:child_process for commands that are programs of their own; botctl has none. */
export const withoutSpawning: Plugin = {
  name: 'without-spawning',
  transform: {
    filter: { id: /commander[\\/]lib[\\/]command\.js$/ },
    handler: (code) =>
      code
        .replace("const childProcess = require('node:child_process');", '')
        .replaceAll('childProcess.', "require('node:child_process')."),
  },
};

/**
 * What is used together is one file: finding and reading a file takes as long as thirty kilobytes of it. Each
 * group takes these modules and all that they import, but for what a group above it has.
 */
const groups: readonly (readonly [name: string, modules: readonly string[]])[] = [
  // What the sandbox's thread needs too.
  ['base', ['errors', 'json-object', 'files/.*', 'names/fold', 'text/.*']],
  // Every line.
  ['program', ['program']],
  // What is told of a failure, and what a table needs of it.
  ['text', ['terminal/(values|sanitise|width|json|colour)', 'suggested-lines']],
  // What the commands of several nouns need to be declared.
  [
    'commands',
    [
      'command',
      'commands/lists',
      'client/(lookup|retry)',
      'input/text-input',
      'terminal/life',
      'settings/(base-url|secret-file)',
    ],
  ],
  // A command runs.
  ['runner', ['runner']],
  // A command calls the service.
  ['client', ['client/open']],
  ['failure', ['terminal/failure', 'usage-failure']],
  ['table', ['terminal/table']],
];

export const codeSplitting: CodeSplittingOptions = {
  groups: groups.map(([name, modules], index) => ({
    name,
    test: new RegExp(
      `[\\\\/]src[\\\\/](${modules.join('|').replaceAll('/', '[\\\\/]')})\\.ts$${name === 'base' ? '|rolldown[\\\\/]runtime' : ''}`,
    ),
    priority: groups.length - index,
  })),
};
