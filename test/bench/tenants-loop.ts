/**
 * The baseline of a plan without changes: the code written by hand that reads the data that a plan of tenants compares,
 * each team and bot by itself and the list of documents, concurrently with undici. Prints nothing.
 *
 *     tenants-loop.cjs ORIGIN TENANTS CONCURRENCY
 */
import { request } from 'undici';

async function main([address = '', tenants = '', concurrency = '']: readonly string[]): Promise<void> {
  const headers = { accept: 'application/json', authorization: 'Bearer a-token-for-the-bench' };
  const read = async (path: string) => {
    const { statusCode, body } = await request(`${address}/api/openapi/v1/${path}`, { headers });
    const { data, meta } = JSON.parse(await body.text());
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
    return { data, meta };
  };
  const ids = Array.from(
    { length: Number(tenants) },
    (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  );
  const paths = ids.flatMap((id) => [`teams/${id}`, `bots/${id}`]).values();
  const kept: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const path of paths) kept.push((await read(path)).data);
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, meta } = await read(`documents?page=${page}&limit=100`);
    kept.push(...data);
    pages = meta.totalPages;
  }
  if (kept.length !== 3 * ids.length) throw new Error(`${kept.length} things were read`);
}

void main(process.argv.slice(2));
