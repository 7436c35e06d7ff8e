import { defineConfig, type RolldownOptions } from 'rolldown';
import { external, plugins } from '../bundling.ts';
import { licenceNotices } from '../notices.ts';

/** The directory for the intermediate files of `npm run package`. */
const directory = 'node_modules/.cache/botctl-release';

/** Returns the configuration that bundles a script into one file. */
const script = (name: string, input: string): RolldownOptions =>
  defineConfig({
    input: { [name]: input },
    platform: 'node',
    external: [...external],
    plugins: [...plugins],
    output: { dir: directory, format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
  });

/** The PostgreSQL driver: an optional package for npm, but included in an executable. */
const driver = defineConfig({
  input: { index: 'pg' },
  platform: 'node',
  external: [...external, 'pg-native', 'pg-cloudflare'],
  plugins: [licenceNotices(`${directory}/pg/THIRD-PARTY-NOTICES.txt`)],
  output: {
    dir: `${directory}/pg`,
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    minify: true,
  },
});

export default [
  script('build', 'src/build/release/main.ts'),
  script('executable', 'src/executable/main.ts'),
  driver,
];
