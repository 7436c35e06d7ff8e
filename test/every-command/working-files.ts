import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a working directory with the files that first examples read (see `place.ts`). */
export function makeWorkingDirectory(
  directory: string,
  { keySecret, picture }: { readonly keySecret: string; readonly picture: Uint8Array },
): void {
  mkdirSync(directory);
  const bot = 'name: Weekend desk\nrole: sales\ninstructions: Offer the menu.\ntemperature: 0.5\n';
  const files = { 'menu.txt': 'soup\n', 'prompt.txt': 'Answer in one sentence.\n', 'bot.yaml': bot };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, 'key.secret'), `${keySecret}\n`, { mode: 0o600 });
  writeFileSync(join(directory, 'pair.png'), picture);
}
