import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { certificateFile, keyFile } from './scripted-server.ts';

// This server speaks part of PostgreSQL's protocol, not HTTP.

/** A server that implements PostgreSQL's protocol up to the password, and refuses every password. */
export interface PasswordServer {
  readonly port: number;
  /** The passwords that it received. */
  readonly passwords: readonly string[];
}

/** PostgreSQL's SSLRequest: its length and number. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Starts a server that stops with the test. With TLS it has the certificate for localhost and 127.0.0.1. */
export async function startPasswordServer({ hasTls = false } = {}): Promise<PasswordServer> {
  const passwords: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      if (!bytes.equals(sslRequest)) return askForPassword(socket);
      if (hasTls) {
        socket.write('S');
        const secured = new TLSSocket(socket, {
          isServer: true,
          cert: readFileSync(certificateFile),
          key: readFileSync(keyFile),
        });
        secured.on('error', () => undefined);
        return void secured.once('data', () => askForPassword(secured));
      }
      socket.write('N');
      // The client may continue without TLS.
      askForPassword(socket);
    });
  });
  const askForPassword = (socket: Socket): void => {
    // AuthenticationCleartextPassword.
    socket.write(message('R', Buffer.from([0, 0, 0, 3])));
    socket.on('data', (bytes) => {
      // PasswordMessage: 'p', its length, and the password with a trailing zero.
      passwords.push(bytes.toString('utf8', 5, bytes.length - 1));
      const fields = ['SFATAL', 'C28P01', 'Mpassword authentication failed for user "ana"', ''];
      socket.end(message('E', Buffer.from(fields.map((field) => `${field}\0`).join(''))));
    });
  };
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
