import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

// A server of its own relays another one's protocol, and not HTTP.

/** A way to a server that can be cut. */
export interface Relay {
  readonly port: number;
  /** Ends all connections, and takes no more. */
  cut(): void;
  /** Cuts it in place of handing on the next piece that holds a text. */
  cutAt(text: string): void;
  /** Hands on the next piece that holds a text, and cuts it in place of handing back the answer. */
  cutAfter(text: string): void;
  /** Takes connections again. */
  mend(): void;
}

/**
 * Starts one on a free port of this machine, which ends with the test.
 * @param answered changes an answer of a few bytes, which comes in one piece, into another one as long
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
