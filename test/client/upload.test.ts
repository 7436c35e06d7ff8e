import { randomBytes } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Busboy from '@fastify/busboy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { openTestApi } from '../support/open-test-api.ts';
import {
  certificateFile,
  listen,
  refusal,
  type SeenRequest,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

// Scripted servers record the bytes of a body, of which the sandbox stores only the file, or read it slowly and over
// TLS.
const { direct, open, fail } = useFaultySandbox();

const id = '11111111-1111-4111-8111-111111111111';
const route = 'POST /api/openapi/v1/documents';
const keyFile = certificateFile.replace('.cert.', '.key.');

/** Returns the parts of a multipart body as an independent parser reads them. */
async function parts({ headers, body }: Pick<SeenRequest, 'headers' | 'body'>) {
  const found: { name: string; value: string; filename?: string; type?: string }[] = [];
  const parser = Busboy({ headers: { ...headers, 'content-type': String(headers['content-type']) } });
  parser.on('field', (name, value) => found.push({ name, value }));
  parser.on('file', (name, stream, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () =>
      found.push({ name, value: Buffer.concat(chunks).toString('latin1'), filename, type }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', reject);
    parser.end(body);
  });
  return found;
}

function file(content: string | Buffer, name = 'plan.txt'): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

describe('an upload', () => {
  it.each([
    ['a text', Buffer.from('hello\r\n--boundary\r\n\u00e9')],
    ['nothing', Buffer.alloc(0)],
    ['nearly all that goes at once', Buffer.alloc(261_000, 'abc\u0000\r\n')],
    ['many bytes', Buffer.alloc(2_700_001, 'abc\u0000\r\n')],
  ])('sends fields and file completely (%s)', async (_, content) => {
    const server = await startScriptedServer();
    server.on(route, success({ id, name: 'plan.txt' }));
    const { api } = openTestApi(server.url);
    const upload = { path: file(content), name: 'relatório “final".txt', type: 'text/plain' };
    const { data } = await api.call('createDocument', { body: { team_id: id, chars: 12 }, file: upload });
    expect(data.id).toBe(id);
    const [seen] = server.seenAt(route);
    if (!seen) throw new Error('nothing arrived');
    expect(Number(seen.headers['content-length'])).toBe(seen.body.length);
    expect(await parts(seen)).toEqual([
      { name: 'team_id', value: id },
      { name: 'chars', value: '12' },
      {
        name: 'file',
        value: content.toString('latin1'),
        filename: 'relatório “final%22.txt',
        type: 'text/plain',
      },
    ]);
  });

  const schemes = ['http', 'https'];
  it.each(schemes)('arrives byte for byte if the service reads slowly (%s)', async (scheme) => {
    // More than the buffers of both ends of a connection, so that the sender has to wait in the middle of the file.
    const content = randomBytes(16 * 1024 * 1024 + 1);
    let arrived = Buffer.alloc(0);
    const server: Server =
      scheme === 'https'
        ? createTlsServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) })
        : createServer();
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        if (chunks.push(chunk) % 64 === 1) await setTimeout(10);
      }
      arrived = Buffer.concat(chunks);
      response.end(JSON.stringify(success({ id }).body));
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const { api, cache, clock } = openTestApi(`${scheme}://localhost:${port}`, { caFile: certificateFile });
    cache.token = {
      token: new Secret('any-token'),
      issuedAt: clock.now(),
      expiresAt: clock.now() + 86_400_000,
    };
    const upload = { path: file(content), name: 'a.bin', type: 'text/plain' };
    await api.call('createDocument', { body: { team_id: id, chars: 5 }, file: upload });
    const start = arrived.indexOf('\r\n\r\n', arrived.indexOf('filename=')) + 4;
    expect(arrived.subarray(start, start + content.length).equals(content)).toBe(true);
  });

  it('reports its progress from nothing to the whole file, and again for a retry', async () => {
    const team_id = await direct.team('Aurora Coffee');
    await fail('createDocument', { kind: 'status', status: 401 }, { after: 1, times: 1 });
    const { api } = await open();
    const sent: number[] = [];
    const upload = {
      path: file(Buffer.alloc(700_000, 'abc')),
      name: 'a.txt',
      type: 'text/plain',
      onSent: (bytes: number) => void sent.push(bytes),
    };
    await api.call('createDocument', { body: { team_id, chars: 5 }, file: upload });
    const once = [0, 262_144, 524_288, 700_000];
    expect(sent).toEqual(once);
    await api.call('createDocument', { body: { team_id, chars: 5 }, file: upload });
    expect(sent.slice(-4)).toEqual(once);
    expect(sent.filter((bytes) => bytes === 0)).toHaveLength(3);
  });

  it('is sent again from the start for a retry', async () => {
    const server = await startScriptedServer();
    server.on(
      route,
      refusal(429, 'X', 'slow down'),
      refusal(401, 'UNAUTHORIZED', 'expired'),
      success({ id }),
    );
    const { api } = openTestApi(server.url);
    const upload = { path: file('hello'), name: 'a.txt', type: 'text/plain' };
    await failureOf(api.call('createDocument', { body: { team_id: id, chars: 5 }, file: upload }));
    await api.call('createDocument', { body: { team_id: id, chars: 5 }, file: upload });
    const bodies = await Promise.all(server.seenAt(route).map(parts));
    expect(bodies.map((found) => found.at(-1)?.value)).toEqual(['hello', 'hello', 'hello']);
  });

  it('with a lost response leaves the outcome unknown', async () => {
    const team_id = await direct.team('Aurora Coffee');
    await fail('createDocument', { kind: 'reset', when: 'after' });
    const { api, requests } = await open();
    const upload = { path: file('hello'), name: 'a.txt', type: 'text/plain' };
    const failed = await failureOf(api.call('createDocument', { body: { team_id, chars: 5 }, file: upload }));
    expect(failed.kind).toBe('outcomeUnknown');
    expect(String(failed.hint)).toContain('botctl docs list');
    expect(await requests('createDocument')).toBe(1);
    expect((await api.call('listDocuments')).data).toMatchObject([{ name: 'a.txt' }]);
  });

  it.each([
    ['missing', (path: string) => `${path}.missing`, 'no such file'],
    ['a directory', (path: string) => join(path, '..'), 'is a directory'],
  ])('of a file that is %s fails before any request is sent', async (_, place, words) => {
    const { api, requests } = await open();
    const upload = { path: place(file('hello')), name: 'a.txt', type: 'text/plain' };
    const failed = await failureOf(
      api.call('createDocument', { body: { team_id: id, chars: 5 }, file: upload }),
    );
    expect(failed).toMatchObject({ kind: 'invalidInput', exitCode: 2 });
    expect(failed.message).toContain(words);
    expect(await requests('createDocument')).toBe(0);
  });

  it('of a file that shrinks meanwhile fails with that reason', async () => {
    const path = file('');
    const server = createServer((request) => request.once('data', () => truncateSync(path, 10)).resume());
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const { api, cache, clock } = openTestApi(`http://127.0.0.1:${port}`);
    cache.token = {
      token: new Secret('any-token'),
      issuedAt: clock.now(),
      expiresAt: clock.now() + 86_400_000,
    };
    truncateSync(path, 64 * 1024 * 1024);
    const upload = { path, name: 'a.bin', type: 'text/plain' };
    const failed = await failureOf(
      api.call('createDocument', { body: { team_id: id, chars: 5 }, file: upload }),
    );
    expect(failed.kind).toBe('invalidInput');
    expect(failed.message).toContain('became shorter');
  });
});
