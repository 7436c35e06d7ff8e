#!/usr/bin/env node

// Written for the oldest Node that may meet it: the version check has to run everywhere.
const needed = [20, 19];
const found = process.versions.node.split('.').map(Number);
const isTooOld = found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1]);

if (isTooOld) {
  const is = process.versions.node;
  process.stderr.write(`botctl needs Node.js ${needed.join('.')} or newer; this is ${is}.\n`);
  process.exitCode = 2;
} else if (process.argv[2] === 'completion' && process.argv[3] === '--names') {
  // A person waits for it with a finger on Tab; see src/cli/completion/complete-names.ts.
  require('../dist/complete-names.cjs');
} else if (!isAnswered(process.argv.slice(2))) {
  require('../dist/start.cjs').start(module.constructor);
}

/** Gives the answer that the build has ready for this line, if there is one; see src/build/ready-answers.ts. */
function isAnswered(args) {
  const name = { '-v': 'version', '--version': 'version', '-h': 'help', '--help': 'help' }[args[0]];
  if (args.length !== 1 || typeof name !== 'string') return false;
  // Help is ready for 80 columns, and the same for more.
  if (name === 'help' && columns() < 80) return false;
  const fs = require('node:fs');
  let text;
  let written = 0;
  try {
    text = fs.readFileSync(`${__dirname}/../dist/ready-answers/${name}.txt`);
    while (written < text.length) written += fs.writeSync(1, text, written);
    return true;
  } catch (error) {
    // Whatever is wrong, the program itself copes with it, or says what it is.
    if (written === 0 || error.code !== 'EAGAIN') return false;
    process.stdout.write(text.slice(written));
    return true;
  }
}

/** Only a terminal has columns; asking `process.stdout` for them takes a tenth of a start. */
function columns() {
  try {
    if (!require('node:fs').fstatSync(1).isCharacterDevice()) return 80;
  } catch {
    return 0;
  }
  return process.stdout.isTTY ? process.stdout.columns || 0 : 80;
}
