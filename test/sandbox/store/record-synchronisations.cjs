// Preloaded into a botctl process: in each of its threads but the first, it adds a line to the file that
// SYNCHRONISATIONS_FILE names whenever the system has brought a file or directory to the disk: its path.
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const { openSync, fsyncSync, fdatasyncSync, appendFileSync } = fs;
/** What was opened last, by descriptor. */
const paths = new Map();

fs.openSync = (path, ...more) => {
  const descriptor = openSync(path, ...more);
  paths.set(descriptor, path);
  return descriptor;
};

const recorded = (synchronise) => (descriptor) => {
  synchronise(descriptor);
  if (!isMainThread) appendFileSync(process.env.SYNCHRONISATIONS_FILE, `${paths.get(descriptor)}\n`);
};
fs.fsyncSync = recorded(fsyncSync);
fs.fdatasyncSync = recorded(fdatasyncSync);
