/**
 * Ends with 0 if `dist` was built of the sources as they are, otherwise with 1: `node src/build/is-built.mjs`. A build begins with
 * `--begin` and ends with `--end`, so that it counts only as a whole, and a change meanwhile is built the next time. Node runs
 * it before anything is bundled, so it is not TypeScript.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'node_modules', '.cache', 'botctl-build', 'built-of');
const begun = `${built}.begun`;

/** What a build reads. The last one is npm's own list of the packages that are installed, optional ones included. */
const sources = ['src', 'package.json', 'tsconfig.json', join('node_modules', '.package-lock.json')];

/** Returns what changes with any of the sources: a hash of their names, sizes and times. */
function stateOfSources() {
  const hash = createHash('sha256').update(process.version);
  const below = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name));
  for (const name of [...sources, ...below].sort()) {
    const found = statSync(join(root, name), { throwIfNoEntry: false });
    // The bundler writes its configuration beside that for a moment, which a directory keeps the time of.
    if (!found?.isDirectory()) hash.update(`${name} ${found?.size} ${found?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function isBuilt() {
  if (!existsSync(join(root, 'dist', 'start.cjs')) || !existsSync(built)) return false;
  return readFileSync(built, 'utf8') === stateOfSources();
}

if (process.argv.includes('--begin')) {
  mkdirSync(dirname(built), { recursive: true });
  rmSync(built, { force: true });
  writeFileSync(begun, stateOfSources());
} else if (process.argv.includes('--end')) renameSync(begun, built);
else process.exitCode = isBuilt() ? 0 : 1;
