/**
 * Takes the SHA-256 of every file of a folder, one after the other as a sync does, and prints a line of JSON for each. The
 * yardstick of a sync in which nothing has changed.
 *
 *     hash-files.cjs FOLDER
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const rows = readdirSync(folder).map((path) => {
  const sha256 = createHash('sha256')
    .update(readFileSync(join(folder, path)))
    .digest('hex');
  return `${JSON.stringify({ path, sha256 })}\n`;
});
process.stdout.write(rows.join(''));
