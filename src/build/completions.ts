import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';
import { completionScripts } from './completions/scripts.ts';

/** Writes the completion scripts that botctl ships. */
async function buildCompletions(): Promise<void> {
  const directory = join(packageRoot(), 'completions');
  mkdirSync(directory, { recursive: true });
  for (const [name, script] of Object.entries(await completionScripts()))
    writeFileSync(join(directory, name), script);
}

void buildCompletions();
