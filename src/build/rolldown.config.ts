import { rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { defineConfig, type Plugin } from 'rolldown';

/** qrcode-terminal writes ESC as an octal escape, which a strict parser refuses. */
const octalEscapes: Plugin = {
  name: 'octal-escapes',
  transform: {
    filter: { id: /qrcode-terminal/ },
    handler: (code) => code.replaceAll('\\033', '\\x1b'),
  },
};

/** conf loads a JSON Schema validator at import; botctl checks with zod and never gives conf a schema. */
const noSchemaValidator: Plugin = {
  name: 'no-schema-validator',
  resolveId: {
    filter: { id: /^ajv/ },
    handler: (id) => ({ id: `\0empty:${id}` }),
  },
  load: {
    filter: { id: /^\0empty:/ },
    handler: () => 'export default {}; export const Ajv2020 = undefined;',
  },
};

/**
 * undici's client loads its HTTP/2 half at once, and with it node:http2. It is used only where `allowH2`
 * asks for it, which the transport never does.
 */
const noHttp2: Plugin = {
  name: 'no-http2',
  load: {
    filter: { id: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ },
    handler: () => "module.exports = () => { throw new Error('HTTP/2 is not built in'); };",
  },
};

/**
 * conf's temporary files are removed by when-exit, which raises every signal a second time: a second
 * Ctrl-C means that the first took too long. Signals are ours; the end of the process is enough for it.
 */
const exitWithoutSignals: Plugin = {
  name: 'exit-without-signals',
  resolveId: {
    filter: { id: /^when-exit$/ },
    handler: () => ({ id: '\0when-exit' }),
  },
  load: {
    filter: { id: /^\0when-exit$/ },
    handler: () => "export default (callback) => void process.once('exit', () => callback());",
  },
};

/** Chunks of an earlier build; the sandbox's template beside them is kept, since it takes seconds to make. */
const removeOldChunks: Plugin = {
  name: 'remove-old-chunks',
  renderStart: () => rmSync('dist/chunks', { recursive: true, force: true }),
};

/**
 * Split CommonJS: a command loads only the chunks that it needs, and CommonJS starts faster than ES
 * modules on every supported Node.
 */
export default defineConfig({
  input: {
    main: 'src/main.ts',
    'database-worker': 'src/sandbox/store/worker.ts',
    'build-template': 'src/build/template.ts',
  },
  platform: 'node',
  external: [/^@electric-sql\/pglite/, ...builtinModules, /^node:/],
  plugins: [removeOldChunks, octalEscapes, noSchemaValidator, noHttp2, exitWithoutSignals],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minify: true,
  },
});
