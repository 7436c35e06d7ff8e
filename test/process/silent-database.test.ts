import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { start } from '../support/process.ts';

// A scripted server accepts connections of PostgreSQL's protocol, and never responds.

it('a command that waits for a database is ended by the first signal', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = z.parse(z.object({ port: z.number() }), server.address());
  const env = {
    BOTCTL_KEY_ID: 'key',
    BOTCTL_KEY_SECRET: 'secret',
    BOTCTL_BASE_URL: 'http://127.0.0.1:1',
    BOTCTL_DATABASE: `postgres://127.0.0.1:${port}/campaigns`,
  };
  const connected = once(server, 'connection');
  const { process, ended } = start(['campaigns', 'list'], { env });
  await connected;
  const begun = performance.now();
  process.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
  expect(performance.now() - begun).toBeLessThan(4000);
});
