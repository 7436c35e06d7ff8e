import { builtinModules } from 'node:module';
import { defineConfig } from 'rolldown';

/** Takes the pictures of the README. It isn't shipped, and needs a terminal that is only there for tests. */
export default defineConfig({
  input: 'src/build/pictures.ts',
  platform: 'node',
  external: [...builtinModules, /^node:/, '@lydell/node-pty', '@xterm/headless'],
  output: { file: 'node_modules/.cache/botctl-build/pictures.cjs', format: 'cjs' },
});
