import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Lines that are answered with a text that never changes, by the name of the file that holds it. */
const lines = { version: '--version', help: '--help' };

/** Where they are, below the directory of the program. */
export const readyAnswerFiles: readonly string[] = Object.keys(lines).map(
  (name) => `ready-answers/${name}.txt`,
);

/**
 * Has the program answer `--version` and `--help` once, when it is built. bin/botctl.js gives these answers
 * without loading anything: then they take no longer than Node itself does.
 */
export const readyAnswers: Plugin = {
  name: 'ready-answers',
  writeBundle({ dir = '.' }) {
    const directory = join(dir, 'ready-answers');
    mkdirSync(directory, { recursive: true });
    for (const [name, line] of Object.entries(lines)) {
      const text = execFileSync(process.execPath, [join(dir, 'main.cjs'), line], { env: {} });
      writeFileSync(join(directory, `${name}.txt`), text);
    }
  },
};
