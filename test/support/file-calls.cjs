/*
 * Preloaded with --require: logs the calls of a process that change a file or others in its directory, in order. Reads
 * are not logged. test/support/file-calls.ts sets the options in the environment.
 */
const fs = require('node:fs');
const { basename, dirname, resolve } = require('node:path');

const { appendFileSync, existsSync, readdirSync, writeFileSync } = fs;
const { file, log, fails, killedAtReplace, pauseMs, meeting, processes } = JSON.parse(
  process.env.BOTCTL_TEST_FILE_CALLS,
);

/** Paths of open files, by their descriptors. */
const open = new Map();

let replaced = 0;

function waitMs(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Returns the role of a path relative to the file; undefined for unrelated paths. */
function roleOf(path) {
  const full = resolve(String(typeof path === 'number' ? open.get(path) : path));
  if (full === file) return 'the file';
  if (full === dirname(file)) return 'its directory';
  if (dirname(full) !== dirname(file)) return undefined;
  return basename(full).includes('.lock') ? 'its lock' : 'one beside it';
}

function tell(does, path) {
  const role = roleOf(path);
  if (role === undefined) return;
  appendFileSync(log, `${does} ${role}\n`);
  if (does === 'replace') {
    replaced += 1;
    if (replaced === killedAtReplace) process.kill(process.pid, 'SIGKILL');
  }
  if (does === fails && role !== 'its lock')
    throw Object.assign(new Error(`EIO: i/o error, ${does}`), { code: 'EIO', errno: -5, syscall: does });
}

/** Replaces a function of node:fs. */
function replace(name, make) {
  fs[name] = make(fs[name]);
}

replace('openSync', (original) => (path, flags, mode) => {
  const descriptor = original(path, flags, mode);
  open.set(descriptor, path);
  return descriptor;
});
for (const name of ['writeSync', 'writeFileSync', 'appendFileSync']) {
  replace(name, (original) => (path, ...rest) => {
    tell('write', path);
    return original(path, ...rest);
  });
}
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  replace(name, (original) => (descriptor) => {
    tell('sync', descriptor);
    return original(descriptor);
  });
}
replace('renameSync', (original) => (from, to) => {
  tell('replace', to);
  return original(from, to);
});
replace('readFileSync', (original) => (path, options) => {
  const content = original(path, options);
  if (pauseMs > 0 && typeof path !== 'number' && roleOf(path) === 'the file') waitMs(pauseMs);
  return content;
});

if (meeting) {
  writeFileSync(`${meeting}/${process.pid}`, '');
  while (existsSync(meeting) && readdirSync(meeting).length < processes) waitMs(5);
}
