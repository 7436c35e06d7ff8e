import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request, with a body that is sent as it is; a form brings its own type. */
export interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | FormData | undefined;
}

/** An answer, whole. */
export interface Sent {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request by a connection of its own. fetch would take several times the CPU, which tests of a service notice. */
export async function send(url: string, { method, headers, body }: Sending): Promise<Sent> {
  if (body instanceof FormData) {
    const form = new Response(body);
    const type = { 'content-type': form.headers.get('content-type') ?? '' };
    const bytes = new Uint8Array(await form.arrayBuffer());
    return await send(url, { method, headers: { ...type, ...headers }, body: bytes });
  }
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method, headers: { ...length, ...headers }, agent: false };
  return await new Promise((resolve, reject) => {
    const sending = request(url, options, (answer) => {
      const { statusCode = 0, headers: told } = answer;
      text(answer).then((read) => resolve({ status: statusCode, headers: told, body: read }), reject);
    });
    sending.on('error', reject);
    sending.on('close', () => reject(new Error('The connection ended without an answer.')));
    sending.end(body);
  });
}
