import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();

const crashes = [
  ['has no words at all', 'Object.create(null)'],
  [
    'fails whoever reads it',
    "Object.defineProperty(new Error(), 'message', { get() { throw new Error('deep') } })",
  ],
] as const;
it.each(crashes)(
  'exits with code 1 and without a stack trace after a crash that %s',
  async (_what, thrown) => {
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000 });
    const file = join(temporaryDirectory(), 'crash.cjs');
    writeFileSync(file, `setImmediate(() => { throw ${thrown}; });`);
    const { ended, output } = start(['whoami'], {
      env: { NODE_OPTIONS: `--require "${file}"`, ...sandbox.env },
    });
    expect(await ended).toBe(1);
    expect(output.stdout).toBe('');
    expect(output.stderr).toMatch(/botctl/);
    expect(output.stderr).not.toMatch(/^\s+at |deep/m);
  },
);
