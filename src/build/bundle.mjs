/**
 * Bundles configuration files: `node src/build/bundle.mjs FILE...`. The bundler's own command does the same, but prints
 * the size of every file; this one prints warnings and errors only. Node runs it before anything is bundled, so it is
 * not TypeScript.
 */

/** A problem that the user can fix. */
class Problem extends Error {}

async function loadBundler() {
  try {
    return { ...(await import('rolldown')), ...(await import('rolldown/config')) };
  } catch {
    // The bundler's own advice is to remove the lock file, which does not help.
    throw new Problem(
      'The bundler is not installed whole: its program for this machine is an optional package.\n' +
        'Install again, with optional packages: npm ci --include=optional',
    );
  }
}

async function bundle(file) {
  const begun = performance.now();
  const { build, loadConfig } = await loadBundler();
  // Sequentially: a later bundle may read the output of an earlier one.
  for (const config of [await loadConfig(file)].flat()) await build(config);
  process.stdout.write(`Bundled by ${file} in ${((performance.now() - begun) / 1000).toFixed(1)} s.\n`);
}

try {
  for (const file of process.argv.slice(2)) await bundle(file);
} catch (error) {
  // The bundler's errors show the source line; its own stack trace is useless to the reader.
  if (!('errors' in error) && !(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
