#!/usr/bin/env node

// Written for the oldest Node that may meet it: the version check has to run everywhere.
var needed = [20, 19];
var found = process.versions.node.split('.').map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    // biome-ignore lint/style/useNodejsImportProtocol: Node 12 doesn't know it
    require('util').format(
      'botctl needs Node.js %s or newer; this is %s.\n',
      needed.join('.'),
      process.versions.node,
    ),
  );
  process.exitCode = 2;
} else if (process.argv[2] === 'completion' && process.argv[3] === '--names') {
  // A person waits for it with a finger on Tab; see src/completion/complete-names.ts.
  require('../dist/complete-names.cjs');
} else {
  require('../dist/main.cjs');
}
