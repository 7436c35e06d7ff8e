import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { ask, authorization, startOwn } from '../support/own-sandbox.ts';
import { useSandbox } from '../support/sandbox.ts';
import { hangUp } from './raw.ts';
import { teamBody } from './samples.ts';

/** Opens a raw connection. */
async function dial({ baseUrl }: Sandbox): Promise<{ socket: Socket; heard(text: string): Promise<string> }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let all = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    all += piece;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  onTestFinished(() => void socket.destroy());
  return { socket, heard: (text) => eventually(() => all.includes(text) && all) };
}

const teams = '/api/openapi/v1/teams';

describe('a sandbox that stops', () => {
  it('finishes the requests in flight, refuses new ones with 503, and is not ready meanwhile', async () => {
    const sandbox = await startOwn({ drainTime: 60_000 });
    const token = await authorization(sandbox);
    const body = JSON.stringify(teamBody());
    const [begun, probe, late] = [await dial(sandbox), await dial(sandbox), await dial(sandbox)];
    begun.socket.write(
      `POST ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nExpect: 100-continue\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    await begun.heard('100 Continue');
    // Once the first call is answered, each connection has started its next one.
    probe.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n');
    late.socket.write(
      `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n`,
    );
    await Promise.all([probe.heard('ok\n'), late.heard('ok\n')]);
    const stopped = sandbox.stop();
    await eventually(() =>
      fetch(`${sandbox.baseUrl}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    probe.socket.write('\r\n');
    expect(await probe.heard('draining\n')).toContain('HTTP/1.1 503 ');
    late.socket.write('\r\n');
    const refused = await late.heard('"success":false');
    expect(refused).toContain('HTTP/1.1 503 ');
    expect(refused.toLowerCase()).toContain('retry-after: 1');
    expect(refused).toContain('"code":"INTERNAL_ERROR"');
    expect(refused.toLowerCase()).toContain('connection: close');
    begun.socket.write(body);
    expect((await begun.heard('"success":true')).toLowerCase()).toContain('connection: close');
    await stopped;
  });

  it('does not wait for responses to callers that hung up', async () => {
    const sandbox = await startOwn({ drainTime: 60_000 });
    const call = `GET ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await authorization(sandbox)}\r\n\r\n`;
    for (let times = 0; times < 5; times += 1) await hangUp(sandbox.baseUrl, call.repeat(20));
    await sandbox.stop();
  });

  it('is not ready at once, and keeps serving for the drain delay', async () => {
    const sandbox = await startOwn({ drainDelay: 500 });
    const token = await authorization(sandbox);
    const stopped = sandbox.stop();
    expect(await ask(sandbox, '/readyz')).toBe('503 draining');
    const served = await fetch(`${sandbox.baseUrl}${teams}`, { headers: { authorization: token } });
    expect(served.status).toBe(200);
    expect(await callControl(sandbox.control, '/status', {})).toMatchObject({ base_url: sandbox.baseUrl });
    await stopped;
    await expect(fetch(`${sandbox.baseUrl}/healthz`)).rejects.toThrow();
  });
});

describe('health checks', () => {
  const sandbox = useSandbox();

  it('answer HEAD without a body', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await fetch(`${sandbox.baseUrl}${path}`, { method: 'HEAD' });
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, '']);
    }
  });
});
