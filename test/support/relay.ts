import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

// This server relays another server's protocol, not HTTP.

/** A relay to a server that tests can cut. */
export interface Relay {
  readonly port: number;
  /** Closes all connections and accepts no new ones. */
  cut(): void;
  /** Cuts it instead of forwarding the next chunk that contains a text. */
  cutAt(text: string): void;
  /** Forwards the next chunk that contains a text, and cuts it instead of returning the answer. */
  cutAfter(text: string): void;
  /** Accepts connections again. */
  mend(): void;
}

/**
 * Starts a relay on a free local port. It stops with the test.
 * @param answered replaces an answer of a few bytes, which arrives in one chunk, with another of the same length
 */
export async function startRelay(
  to: { readonly hostname: string; readonly port: string },
  answered?: (text: string) => string,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let fatal: string | undefined;
  let last: string | undefined;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((caller) => {
    if (isCut) return void caller.destroy();
    const onward = connect(Number(to.port), to.hostname);
    for (const [socket, other] of [
      [caller, onward],
      [onward, caller],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let isLast = false;
    onward.on('data', (bytes) => {
      if (isLast) cut();
      else caller.write(answered ? Buffer.from(answered(bytes.toString('latin1')), 'latin1') : bytes);
    });
    caller.on('data', (piece) => {
      if (last !== undefined && piece.includes(last)) {
        isLast = true;
        last = undefined;
      }
      if (fatal === undefined || !piece.includes(fatal)) return void onward.write(piece);
      fatal = undefined;
      cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    cutAt(text) {
      fatal = text;
    },
    cutAfter(text) {
      last = text;
    },
    mend() {
      isCut = false;
    },
  };
}
