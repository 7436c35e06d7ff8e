import { connect } from 'node:net';
import { expect } from 'vitest';

/** Expects an error envelope. Returns the head of the response. */
export function expectRawRefusal(answer: RawAnswer | undefined, status: number, code: string): string {
  const { head = '', body = '' } = answer ?? {};
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain('content-type: application/json');
  expect(JSON.parse(body)).toMatchObject({ success: false, code, error: expect.any(String) });
  return head;
}

/** A response as it was received. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface RawTalk {
  /** Written one after the other, as the connection accepts them. */
  readonly pieces: readonly Buffer[];
  /** The number of responses after which the caller hangs up; by default it waits until the service does. */
  readonly answers?: number | undefined;
  /** True if the caller ends its side after the last piece, and still reads. */
  readonly ends?: boolean | undefined;
  /** True if the last response has no body. */
  readonly isHead?: boolean | undefined;
}

/**
 * Opens a connection and returns its complete responses.
 * @throws Error if it received anything else
 */
export function talk(baseUrl: string, { pieces, answers, ends, isHead }: RawTalk): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname, async () => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        await new Promise((done) => socket.write(piece, done));
      }
      if (ends) socket.end();
    });
    let received = '';
    const read = (): RawAnswer[] => answersIn(received, isHead ? answers : undefined).found;
    socket.setNoDelay();
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (answers !== undefined && read().length >= answers) socket.destroy();
    });
    // A server that closes while the caller still writes resets the connection; the responses before that count.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const { found, rest } = answersIn(received, isHead ? answers : undefined);
      if (rest === '') resolve(found);
      else reject(new Error(`no whole answer: ${rest.slice(0, 2000)}`));
    });
  });
}

/** Sends bytes, and closes the connection as soon as they are sent. */
export function hangUp(baseUrl: string, bytes: string | Buffer): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('close', () => resolve());
    socket.write(bytes, () => socket.resetAndDestroy());
  });
}

/**
 * @param withoutBody the number of the response without a body, from 1 on
 */
function answersIn(received: string, withoutBody?: number): { found: RawAnswer[]; rest: string } {
  const found: RawAnswer[] = [];
  let rest = received.replace(/^(HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, '');
  for (;;) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, end);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
    const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
    if (end < 4 || status === undefined || length === undefined) return { found, rest };
    const bytes = found.length + 1 === withoutBody ? 0 : Number(length);
    if (rest.length < end + bytes) return { found, rest };
    found.push({ status: Number(status), head, body: rest.slice(end, end + bytes) });
    rest = rest.slice(end + bytes).replace(/^(HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, '');
  }
}
