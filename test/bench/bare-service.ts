/**
 * The yardstick of the group `service`, in a process of its own that ends with its parent: a server that has the paths of
 * teams, and answers every call from memory. Tells its parent its port. The answers, files of JSON, are its arguments:
 * of a list, and of a creation.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import findMyWay from 'find-my-way';

const path = '/api/openapi/v1/teams';
const [list, creation] = process.argv.slice(2).map((file): unknown => JSON.parse(readFileSync(file, 'utf8')));

function answer(response: ServerResponse, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

const router = findMyWay();
router.on('GET', path, (_, response) => answer(response, list));
router.on('POST', path, async (request, response) => {
  JSON.parse(await text(request));
  answer(response, creation);
});
const server = createServer((request: IncomingMessage, response: ServerResponse) =>
  router.lookup(request, response),
);
// Never in the middle of a case.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1');
void once(server, 'listening').then(() => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
