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
    const imported = /^let (node_[\w$]+) = require\("(node:[\w/]+)"\);\n(?:\1 = \S+\(\1(?:, 1)?\);\n)?/gm;
    let later = code;
    for (const [line, name = '', builtin = ''] of code.matchAll(imported)) {
      const literal = name.replaceAll('$', '\\$');
      // Node's modules are their own default export: they need no copy that has one.
      // A spread is a use as well, and what follows a lone dot is none.
      const use = new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${literal}(?:\\.default)?(?![\\w$])(?!:)`, 'g');
      const isLoaded = loadedAnyway.has(builtin);
      later = later
        .replace(line, isLoaded ? `const ${name} = require("${builtin}");\n` : '')
        .replace(use, isLoaded ? name : `(require("${builtin}"))`);
      const left = new RegExp(`(?<![\\w$])${literal}(?![\\w$])`);
      if (!isLoaded && left.test(later)) throw new Error(`${name} is used in a way that nobody thought of`);
    }
    return later === code ? null : later;
  },
};

/** What a module of a package is replaced with, and why nobody misses it. */
interface Replaced {
  readonly module: RegExp;
  readonly by: string;
}

const throwing = (what: string): string => `() => { throw new Error('${what} is not built in'); }`;

const replaced: readonly Replaced[] = [
  // Loaded with the client, and node:http2 with it; used only where `allowH2` asks for it, which ours never does.
  {
    module: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/,
    by: `module.exports = ${throwing('HTTP/2')};`,
  },
  // All of fetch, for bodies of FormData; the transport sends texts and streams.
  {
    module: /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/,
    by: `exports.extractBody = ${throwing('fetch')};`,
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
 * Writes every character that isn't ASCII as an escape: then each of a file takes one byte in memory, not two,
 * and the file is read without decoding (compiled-code.ts). The names of the files don't tell of it any more: it may
 * change nothing that runs.
 */
export const onlyAscii: Plugin = {
  name: 'only-ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escaped(file.code);
  },
};

function escaped(code: string): string {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * What is used together is one file: finding and reading a file takes as long as thirty kilobytes of it. Each
 * group takes these modules and all that they import, but for what a group above it has.
 */
const groups: readonly (readonly [name: string, modules: readonly string[]])[] = [
  // Nearly every line: what declares the commands of several nouns, and what a result, a help text or a
  // failure needs to be told.
  [
    'program',
    [
      'program',
      'command',
      'commands/lists',
      'client/(lookup|retry)',
      'errors',
      'files/.*',
      'input/text-input',
      'json-object',
      'names/fold',
      'settings/(base-url|secret-file)',
      'terminal/(colour|json|life|sanitise|values|width)',
      'suggested-lines',
      'text/.*',
    ],
  ],
  // By itself, although it is small: the first failure is a start that keeps compiled code, with all that failures use.
  ['failure', ['terminal/failure', 'usage-failure']],
  // A command runs.
  ['runner', ['runner']],
  // A command calls the service.
  ['client', ['client/open']],
  ['table', ['terminal/table']],
];

export const codeSplitting: CodeSplittingOptions = {
  groups: groups.map(([name, modules], index) => ({
    name,
    test: new RegExp(`[\\\\/]src[\\\\/](${modules.join('|').replaceAll('/', '[\\\\/]')})\\.ts$`),
    priority: groups.length - index,
  })),
};
