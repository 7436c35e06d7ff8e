/**
 * The baseline of an upload of many files: the code written by hand that uploads the files of a folder concurrently
 * with Node's own undici, reads and counts each file as it is sent, and prints a line of JSON for each.
 *
 *     documents-loop.cjs ORIGIN FOLDER CONCURRENCY
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

async function main([origin = '', folder = '', concurrency = '']: readonly string[]): Promise<void> {
  const headers = { accept: 'application/json', authorization: 'Bearer a-token-for-the-bench' };
  const names = readdirSync(folder).values();
  const worker = async (): Promise<void> => {
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      const text = bytes.toString().replace(/\s+/gu, ' ').trim();
      const body = new FormData();
      body.set('team_id', '00000000-0000-4000-8000-000000000000');
      body.set('chars', String([...text].length));
      body.set('file', new Blob([bytes]), name);
      const answer = await fetch(`${origin}/api/openapi/v1/documents`, { method: 'POST', headers, body });
      process.stdout.write(`${JSON.stringify(await answer.json())}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
}

void main(process.argv.slice(2));
