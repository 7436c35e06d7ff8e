import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { completionScripts } from '../../src/build/completions/scripts.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

it('has completions/ as the command tree gives it (npm run completions writes it)', async () => {
  for (const [name, script] of Object.entries(await completionScripts()))
    expect(readFileSync(join(packageRoot(), 'completions', name), 'utf8') === script, name).toBe(true);
});
