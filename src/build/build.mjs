/**
 * Builds `dist`: `node src/build/build.mjs`. With `--if-changed` only where it is not as a whole build left it, or the
 * sources are not those of that build. Node runs it before anything is bundled, so it is not TypeScript.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const programs = join('node_modules', '.cache', 'botctl-build');

/** What the last whole build was made of, and what it left. */
const record = join(root, programs, 'built-of');

/** Each is run by Node, one after the other. */
const steps = [['src/build/bundle.mjs', 'src/build/rolldown.config.ts'], [join(programs, 'man-page.cjs')]];

/** npm's own list of the packages that are installed, optional ones included. */
const packages = join('node_modules', '.package-lock.json');

/** What a build reads. */
const sources = ['src', 'package.json', 'tsconfig.json', packages];

/** What it leaves. */
const results = ['dist', join(programs, 'man-page.cjs')];

/** Returns a hash of the names, sizes and times of files and of all files below directories, or undefined if one is missing. */
function stateOf(names) {
  const hash = createHash('sha256').update(process.version);
  for (const name of names) {
    const found = statSync(join(root, name), { throwIfNoEntry: false });
    if (!found) return undefined;
    const below = found.isDirectory() ? readdirSync(join(root, name), { recursive: true }).sort() : [''];
    for (const one of below) {
      // Another build may remove it just now.
      const file = statSync(join(root, name, one), { throwIfNoEntry: false });
      // The bundler writes its configuration beside that for a moment, which a directory keeps the time of.
      if (file?.isFile()) hash.update(`${join(name, one)} ${file.size} ${file.mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/** Returns what is written down of a build, or undefined if a source or a result is missing. */
function recordOf(made, left) {
  return made && left && `${made} ${left}\n`;
}

function isBuilt() {
  try {
    return readFileSync(record, 'utf8') === recordOf(stateOf(sources), stateOf(results));
  } catch {
    return false;
  }
}

function build() {
  // Before it begins, so that what is changed meanwhile is built the next time.
  const made = stateOf(sources);
  mkdirSync(dirname(record), { recursive: true });
  rmSync(record, { force: true });
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
    if (status !== 0) {
      process.exitCode = status ?? 1;
      return;
    }
  }
  const all = recordOf(made, stateOf(results));
  if (all) writeFileSync(record, all);
}

if (!process.argv.includes('--if-changed') || !isBuilt()) build();
