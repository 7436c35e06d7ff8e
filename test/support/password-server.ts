import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

// A server of its own speaks a part of PostgreSQL's protocol, and not HTTP.

/** A server that speaks as much of PostgreSQL's protocol as asking for a password takes; it refuses every one. */
export interface PasswordServer {
  readonly port: number;
  /** The passwords that it was given. */
  readonly passwords: readonly string[];
}

/** Starts one, which ends with the test. */
export async function startPasswordServer(): Promise<PasswordServer> {
  const passwords: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let isAsked = false;
    socket.on('data', (bytes) => {
      if (!isAsked) {
        isAsked = true;
        // AuthenticationCleartextPassword.
        return void socket.write(message('R', Buffer.from([0, 0, 0, 3])));
      }
      // PasswordMessage: 'p', its length, and the password with a zero behind it.
      passwords.push(bytes.toString('utf8', 5, bytes.length - 1));
      const fields = ['SFATAL', 'C28P01', 'Mpassword authentication failed for user "ana"', ''];
      socket.end(message('E', Buffer.from(fields.map((field) => `${field}\0`).join(''))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, passwords };
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
