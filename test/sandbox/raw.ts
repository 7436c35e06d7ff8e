import { connect } from 'node:net';
import { expect } from 'vitest';

/** Returns what came back on a connection until the service closed it, or until as many answers were there. */
export function sendRaw(
  baseUrl: string,
  text: string | Buffer,
  answers = Number.POSITIVE_INFINITY,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (received.split('HTTP/1.1 ').length > answers && received.endsWith('}')) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

/** Expects an answer as it came over the wire to be a refusal in the error envelope. Returns its head. */
export function expectRawRefusal(received: string, status: number, code: string): string {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain('content-type: application/json');
  expect(JSON.parse(body)).toMatchObject({ success: false, code, error: expect.any(String) });
  return head;
}
