/**
 * Everything that makes botctl start fast, beside the source itself, and what each means gains (how it is measured:
 * bundling.ts; all of it: `npm run bench -- --only start-up`). None changes what the program does.
 *
 * | means | where | gain |
 * |---|---|---|
 * | `--version` and `--help` are answered from a file | bin/botctl.js, ready-answers.ts | 11 ms of 36 |
 * | completing a name loads one small file | bin/botctl.js, rolldown.config.ts | 4 ms beside Node itself, where a help text takes 11 |
 * | compiled code is kept for the next start | src/startup/start.ts, compiled-code.ts | 7 ms of a help text, 27 ms of a list |
 * | it is kept again where a line may have run other functions | `endingOf` in compiled-code.ts | 3 ms of a help text |
 * | it is compared with a second copy: a checksum needs node:zlib, and that all of node:stream | compiled-code.ts | 2 ms of a usage error, with the next one 8 |
 * | help, or that there is no such command or option, is written to a pipe or a file without a stream | src/startup/output-stream.ts | 3 ms of a usage error |
 * | what signals abort is made where a command runs | src/main.ts | 0.4 ms of every other line |
 * | files hold what is used together | `codeSplitting` | 7 ms of a help text, 17 ms of a list |
 * | a file is loaded when something of it is used | `codeSplitting`, `filesWhenUsed` | 2 ms of a usage error, 8 ms of `device --help` |
 * | Node's modules are loaded when used | `builtinsWhenUsed` | 3 ms of a help text, 4 ms of a usage error |
 * | commander loads no node:child_process | `withoutSpawning` | 1.5 ms of every line |
 * | commander sorts suggestions by their letters | `withoutCollation` | 9 ms of a usage error |
 * | parts of packages that nothing uses are left out | `withoutUnused` | 1 to 3 ms of a call, 7 ms of a table |
 * | Node 20 compiles undici's parser a second time only where there are many answers | `delayWasmCompiler` in src/client/transport.ts | 65 ms and 30 MiB of a call |
 * | heavy packages are imported where they are used | `await import()` in the source | |
 */
import type { CodeSplittingOptions, Plugin } from 'rolldown';

/** Before a name that is no member of something: a spread is a use as well, and what follows a lone dot is none. */
const unowned = '(?<![\\w$]|(?<!\\.\\.)\\.)';

/** Node has loaded these by itself, and they are used everywhere. */
const loadedAnyway = new Set(['node:fs', 'node:path']);

/**
 * Loads modules of Node when something of theirs is used and not when the file that imports them is: some of
 * them, such as node:crypto, take a fifth of a start, and most lines never use them. Gain: 3 to 4 ms and 1.4 MiB
 * of a line that calls nothing.
 */
export const builtinsWhenUsed: Plugin = {
  name: 'builtins-when-used',
  renderChunk(code) {
    const imported = /^let (node_[\w$]+) = require\("(node:[\w/]+)"\);\n(?:\1 = \S+\(\1(?:, 1)?\);\n)?/gm;
    let later = code;
    for (const [line, name = '', builtin = ''] of code.matchAll(imported)) {
      const literal = name.replaceAll('$', '\\$');
      // Node's modules are their own default export: they need no copy that has one.
      const use = new RegExp(`${unowned}${literal}(?:\\.default)?(?![\\w$])(?!:)`, 'g');
      const isLoaded = loadedAnyway.has(builtin);
      later = later
        .replace(line, isLoaded ? `const ${name} = require("${builtin}");\n` : '')
        .replace(use, isLoaded ? name : `(require("${builtin}"))`);
      const left = new RegExp(`(?<![\\w$])${literal}(?![\\w$])`);
      if (!isLoaded && left.test(later))
        throw new Error(`${name} is used in a way that this plugin doesn't know`);
    }
    return later === code ? null : later;
  },
};

/**
 * Loads another file of the program when something of it is used, and not with the files that import it: a help text and a
 * usage error need little of what a running command does. Gain: 2 ms of a usage
 * error, 8 ms and 4 MiB of `device --help`.
 */
export const filesWhenUsed: Plugin = {
  name: 'files-when-used',
  renderChunk(code) {
    const imported = /^const (require_(?!program\b)[\w$]+) = (require\("\.\/[^"]+"\));\n/gm;
    let later = code;
    for (const [line, name = '', loading = ''] of code.matchAll(imported)) {
      const use = new RegExp(`${unowned}${name.replaceAll('$', '\\$')}(?=\\.)`, 'g');
      const loaded = `let its_${name};\nfunction ${name}() {\n\treturn (its_${name} ??= ${loading});\n}\n`;
      // What isn't read as a member of the file would still be the function.
      later = later.replace(line, '').replace(use, `(${name}())`);
      if (new RegExp(`${unowned}${name.replaceAll('$', '\\$')}(?!\\(\\)\\)\\.|[\\w$])`).test(later))
        throw new Error(`${name} is used in a way that this plugin doesn't know`);
      later = `${loaded}${later}`;
    }
    return later === code ? null : later;
  },
};

/** A module of a package, and the code that replaces it. */
interface Replacement {
  readonly module: RegExp;
  readonly by: string;
}

const throwing = (what: string): string => `() => { throw new Error('${what} is not built in'); }`;

const replacements: readonly Replacement[] = [
  // Loaded with the client, and node:http2 with it; used only if `allowH2` asks for it, which botctl never does.
  // Gain: 1 to 3 ms and 0.6 MiB of each call.
  {
    module: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/,
    by: `module.exports = ${throwing('HTTP/2')};`,
  },
  // All of fetch, for bodies of FormData; the transport sends texts and streams.
  // Gain: 1 ms and 0.7 MiB of each call, 13 KB.
  {
    module: /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/,
    by: `exports.extractBody = ${throwing('fetch')};`,
  },
  // A table gives cli-table3 nothing but characters of one column (output/table.ts), so it needs no widths of
  // others. Gain: 7 ms and 1 MiB of each table.
  {
    module: /cli-table3[\\/]node_modules[\\/]string-width[\\/]index\.js$/,
    by: 'module.exports = (text) => text.length;',
  },
];

/** Leaves out parts of packages that are loaded although nothing of botctl uses them. */
export const withoutUnused: Plugin = {
  name: 'without-unused',
  load: {
    filter: { id: replacements.map(({ module }) => module) },
    handler: (id) => replacements.find(({ module }) => module.test(id))?.by,
  },
};

/**
 * commander needs node:child_process for commands that are programs of their own; botctl has none.
 * Gain: 1.5 ms and 0.6 MiB of every line.
 */
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
 * commander sorts what it suggests by the order of the user's language, which Node has to load. The names are of
 * ASCII. Gain: 9 ms of a usage error for which commander finds two words, such as `teams lst`: list and ls.
 */
export const withoutCollation: Plugin = {
  name: 'without-collation',
  transform: {
    filter: { id: /commander[\\/]lib[\\/]suggestSimilar\.js$/ },
    handler: (code) => code.replace('.sort((a, b) => a.localeCompare(b))', '.sort()'),
  },
};

/**
 * Modules that are used together are one file: finding and reading a file takes as long as thirty kilobytes of it.
 * Each group takes these modules and all that they import, except what a group above it has.
 */
const groups: readonly (readonly [name: string, modules: readonly string[]])[] = [
  // Nearly every line: what declares the commands of several nouns, and what a result, a help text or a
  // failure needs to be told.
  [
    'program',
    [
      'program',
      'cli/(command|if-absent-option|list/list-options|outcome-fields)',
      'lib/(errors|json-object)',
      'lib/text/(?!similar).*',
      'output/updated',
      'resources/teams/quotas',
      'settings/list-query',
      'terminal/(colour|delayed-spinner|sanitise|width)',
    ],
  ],
  // By itself, although it is small: the first failure is a start that keeps compiled code, with all that failures use.
  ['failure', ['output/failure', 'cli/usage/usage-failure']],
  // A command runs.
  [
    'runner',
    [
      'cli/(namesakes|runner|list/list-rows)',
      'client/retry',
      'lib/files/.*',
      'output/(changed|json|values)',
      'resources/(created-lookup|namesakes)',
      'settings/(base-url|secret-file)',
    ],
  ],
  // A command calls the service.
  ['client', ['client/open', 'resources/call-failure']],
  ['table', ['output/table']],
];

export const codeSplitting: CodeSplittingOptions = {
  groups: groups.map(([name, modules], index) => ({
    name,
    test: new RegExp(`[\\\\/]src[\\\\/](${modules.join('|').replaceAll('/', '[\\\\/]')})\\.ts$`),
    priority: groups.length - index,
  })),
};
