#!/usr/bin/env node

// Written for the oldest Node that may meet it: the version check has to run everywhere.
const needed = [20, 19];
const found = process.versions.node.split('.').map(Number);
const isTooOld = found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1]);

if (isTooOld) {
  const is = process.versions.node;
  process.stderr.write(`botctl needs Node.js ${needed.join('.')} or newer; this is ${is}.\n`);
  process.exitCode = 2;
} else {
  require('../dist/main.cjs');
}
