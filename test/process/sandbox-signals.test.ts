import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isInUse } from '../../src/sandbox/store/ownership.ts';
import { botctl } from '../support/botctl.ts';
import { start } from '../support/process.ts';
import { newData } from '../support/sandbox.ts';

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a sandbox removes its control file and its lock on %s, and exits with code 0',
  async (signal) => {
    const data = newData();
    const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
    const row: Record<string, unknown> = JSON.parse(await running.firstLine());
    expect(row).toMatchObject({ pid: running.process.pid, data });
    const answer = await fetch(`${String(row.base_url)}/api/openapi/v1/teams`);
    expect(answer.status).toBe(401);
    running.process.kill(signal);
    expect(await running.ended).toBe(0);
    expect(existsSync(join(data, 'control.json'))).toBe(false);
    expect(isInUse(data)).toBe(false);
  },
);

it.each(['SIGINT', 'SIGTERM'] as const)('a sandbox that is still starting dies by %s', async (signal) => {
  const data = newData();
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
  // The directory comes first, and its database takes a while.
  while (!existsSync(data)) await setImmediate();
  running.process.kill(signal);
  expect(await running.ended).toBe(signal);
  expect(existsSync(join(data, 'control.json'))).toBe(false);
  expect(isInUse(data)).toBe(false);
});

it('"sandbox stop" ends a sandbox and waits until its data directory is free', async () => {
  const data = newData();
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
  const { pid }: Record<string, unknown> = JSON.parse(await running.firstLine());
  const stopped = await botctl(['sandbox', 'stop', '--data', data, '-o', 'json']);
  expect(stopped).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify({ data, pid })}\n` });
  expect(isInUse(data)).toBe(false);
  expect(await running.ended).toBe(0);
  expect((await botctl(['sandbox', 'stop', '--data', data])).exitCode).toBe(2);
});

/** Sends one or more requests, and returns the connection once it has received a response. */
async function sent(baseUrl: string, ...requests: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(requests.join('')));
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'data');
  return socket;
}

it('a sandbox waits for a request on Ctrl-C, and ends at once on a second one', async () => {
  const data = newData();
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
  const { base_url: baseUrl }: Record<string, unknown> = JSON.parse(await running.firstLine());
  const whole = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
  const half = 'POST /api/openapi/auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';
  const busy = await sent(String(baseUrl), whole, half);
  const idle = await sent(String(baseUrl), whole);
  running.process.kill('SIGINT');
  // A server that shuts down closes idle connections first.
  await once(idle, 'close');
  expect(busy.destroyed).toBe(false);
  running.process.kill('SIGINT');
  expect(await running.ended).toBe('SIGINT');
});
