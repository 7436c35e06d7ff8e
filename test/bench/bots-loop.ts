/**
 * The baseline of a long listing: the code written by hand that does the work of `botctl bots list --all -o ndjson`, a
 * loop over the pages with undici that prints a line of JSON for each row. Its argument is the address.
 */
import { once } from 'node:events';
import { request } from 'undici';

async function main(origin: string): Promise<void> {
  const headers = { accept: 'application/json', authorization: 'Bearer a-token-for-the-bench' };
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { body } = await request(`${origin}/api/openapi/v1/bots?page=${page}&limit=100`, { headers });
    const { data } = JSON.parse(await body.text());
    pages = data.pagination.totalPages;
    for (const bot of data.bots) {
      if (!process.stdout.write(`${JSON.stringify(bot)}\n`)) await once(process.stdout, 'drain');
    }
  }
}

void main(process.argv[2] ?? '');
