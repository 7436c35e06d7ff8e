import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Form, receiveForm } from '../../src/sandbox/http/form-body.ts';

// A scripted server passes requests only to the form parser.

const largest = 100_000;

let directory: string;
let server: Server;
let received: Promise<Form>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'botctl-form-'));
  server = createServer((request, response) => {
    received = receiveForm(request, 'file', directory, largest);
    received
      .catch(() => undefined)
      .finally(() => {
        request.resume();
        response.end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

async function post(bytes: number, name = 'a.txt'): Promise<Form> {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const body = new FormData();
  body.append('before', 'ä');
  body.append('file', new Blob([new Uint8Array(bytes).fill(0x61)]), name);
  body.append('after', '2');
  await fetch(`http://127.0.0.1:${address.port}`, { method: 'POST', body });
  return received;
}

describe('a form', () => {
  it('is accepted with a file of the largest size', async () => {
    const { fields, file } = await post(largest);
    expect(fields).toEqual([
      ['before', 'ä'],
      ['after', '2'],
    ]);
    expect(file).toMatchObject({ name: 'a.txt', size: largest });
    expect(readFileSync(file.path)).toHaveLength(largest);
  });

  it('is refused with a file name that has a NUL character', async () => {
    await expect(post(1, 'a\0.txt')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it.each([largest + 1, largest * 20])(
    'is refused with a file of %d bytes, of which nothing is kept',
    async (bytes) => {
      await expect(post(bytes)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        details: { issues: [{ path: 'file', message: `is larger than ${largest} bytes` }] },
      });
      expect(readdirSync(directory)).toEqual([]);
    },
  );
});
