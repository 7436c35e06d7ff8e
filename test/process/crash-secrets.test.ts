import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { formsIn } from '../secrets/encodings.ts';
import { canaries } from '../secrets/telltale-service.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

it.each([
  ['an exception', `setTimeout(() => { throw new Error(words); }, 10)`],
  ['a rejection', `setTimeout(() => Promise.reject(new Error(words)), 10)`],
])('%s that is not caught is reported without the secrets in it', async (_, crash) => {
  const file = join(temporaryDirectory(), 'crash.cjs');
  writeFileSync(
    file,
    // The preloaded code crashes the process when it connects to the service, because it has loaded its secrets by
    // then.
    `const words = 'a bug that knows ' + process.env.BOTCTL_KEY_SECRET + ' ' + encodeURIComponent(process.env.BOTCTL_KEY_SECRET);
     const { Socket } = require('node:net');
     const connect = Socket.prototype.connect;
     Socket.prototype.connect = function (...args) { ${crash}; return connect.apply(this, args); };`,
  );
  await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000 });
  const { ended, output } = start(['whoami', '--debug'], {
    env: { NODE_OPTIONS: `--require ${file}`, ...sandbox.env, BOTCTL_KEY_SECRET: canaries.keySecret },
  });
  expect(await ended).toBe(1);
  expect(output.stderr).toContain('botctl failed unexpectedly: a bug that knows');
  expect(output.stderr).toContain('This is a bug.');
  expect(formsIn(output.stdout + output.stderr, canaries.keySecret)).toEqual([]);
});
