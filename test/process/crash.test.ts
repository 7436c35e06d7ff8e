import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start } from '../support/process.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.each([
  ['has no words at all', 'Object.create(null)'],
  [
    'fails whoever reads it',
    "Object.defineProperty(new Error(), 'message', { get() { throw new Error('deep') } })",
  ],
])('a crash that %s ends the process with 1, and without a trace', async (_what, thrown) => {
  const server = await startScriptedServer();
  server.on('POST /api/openapi/auth/token', 'silence');
  const file = join(temporaryDirectory(), 'crash.cjs');
  writeFileSync(file, `setImmediate(() => { throw ${thrown}; });`);
  const { ended, output } = start(['whoami'], {
    env: {
      NODE_OPTIONS: `--require "${file}"`,
      BOTCTL_BASE_URL: server.url,
      BOTCTL_KEY_ID: 'key-1',
      BOTCTL_KEY_SECRET: 'secret-of-key-1',
    },
  });
  expect(await ended).toBe(1);
  expect(output.stdout).toBe('');
  expect(output.stderr).toMatch(/botctl/);
  expect(output.stderr).not.toMatch(/^\s+at |deep/m);
});
