import { defineConfig, type RolldownOptions } from 'rolldown';
import { external, plugins } from '../bundling.ts';
import { licenceNotices } from '../notices.ts';

/** The directory of what `npm run package` makes before the release itself. */
const directory = 'node_modules/.cache/botctl-release';

/** Returns the build of a script into one file. */
const script = (name: string, input: string): RolldownOptions =>
  defineConfig({
    input: { [name]: input },
    platform: 'node',
    external: [...external],
    plugins: [...plugins],
    output: { dir: directory, format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
  });

/** The driver of PostgreSQL, which npm installs as an optional package: an executable contains it. */
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
