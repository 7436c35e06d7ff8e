import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { refusal, type Scripted } from '../support/scripted-server.ts';

// This proxy in front of the sandbox replays recorded answers, or lets a call take effect and withholds its answer
// forever, which the sandbox cannot do. Its refusals have details.

/** The requests that the front refuses: all except the token request, or only writes. */
export interface Refusing {
  readonly calls: 'all' | 'writes';
  readonly status: number;
  readonly code: string;
}

/** A proxy in front of the sandbox that forwards requests, or refuses them as the service would. */
export interface Front {
  readonly url: string;
  /** Refuses from now on; with undefined it forwards everything. */
  refuse(refusing: Refusing | undefined): void;
  /**
   * Forwards the next such call (`POST /api/openapi/v1/bots`), and never returns its answer. Resolves once the sandbox
   * has answered.
   */
  hold(call: string): Promise<void>;
  /** The calls since the last `refuse`, without token requests: `POST /api/openapi/v1/bots`. */
  readonly seen: readonly string[];
  /** The same calls with their query and body. */
  readonly sent: readonly string[];
  /** The number of forwarded calls that may change something. */
  readonly changes: number;
  /** Records requests and the sandbox's answers on a tape from now on. */
  record(tape: Tape): void;
  /** Answers from a tape from now on, without calling the sandbox. */
  replay(tape: Tape): void;
  /** Forwards everything again. */
  live(): void;
  close(): Promise<void>;
}

/** The answer to a call that was not recorded. */
const unrecorded: Answered = { status: 400, headers: {}, body: Buffer.from('{}') };

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Recorded answers by call. On replay, each repetition of a call gets its next answer, and later ones the last answer.
 */
export class Tape {
  readonly #answers = new Map<string, Answered[]>();
  readonly #played = new Map<string, number>();
  #hasMissed = false;

  /** Whether a call since the last rewind was not on the tape, and so was refused. */
  get hasMissed(): boolean {
    return this.#hasMissed;
  }

  add(call: string, answer: Answered): void {
    this.#answers.set(call, [...(this.#answers.get(call) ?? []), answer]);
  }

  rewind(): void {
    this.#played.clear();
    this.#hasMissed = false;
  }

  next(call: string): Answered | undefined {
    const at = this.#played.get(call) ?? 0;
    this.#played.set(call, at + 1);
    const answers = this.#answers.get(call) ?? [];
    const answer = answers[Math.min(at, answers.length - 1)];
    this.#hasMissed ||= answer === undefined;
    return answer;
  }
}

/** Returns a call with its body; the random boundary of a form is replaced, so that equal forms are equal. */
function callOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string {
  const [, boundary = ''] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? [];
  const sent = body.toString('latin1');
  return `${method} ${url} ${boundary === '' ? sent : sent.replaceAll(boundary, '')}`;
}

/** Starts a front on a free local port. */
export async function startFront(service: string): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  const seen: string[] = [];
  const sent: string[] = [];
  let refusing: Refusing | undefined;
  let held: { readonly call: string; begin(): void } | undefined;
  let changes = 0;
  let recorded: Tape | undefined;
  let replayed: Tape | undefined;

  const answerOf = (method: string, url: string): Scripted | undefined => {
    if (url.endsWith('/auth/token')) return undefined;
    seen.push(`${method} ${url.split('?')[0]}`);
    if (!refusing || (refusing.calls === 'writes' && method === 'GET')) return undefined;
    return refusal(refusing.status, refusing.code, 'The service says no.', { reason: 'because' });
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await bodyOf(request);
    const answer = answerOf(method, url);
    if (!url.endsWith('/auth/token')) sent.push(`${method} ${url} ${body.toString()}`);
    if (answer) {
      response.writeHead(answer.status ?? 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
      return;
    }
    const call = callOf(request, body);
    const tape = recorded;
    if (replayed) {
      const { status, headers: told, body: text } = replayed.next(call) ?? unrecorded;
      response.writeHead(status, told);
      response.end(text);
      return;
    }
    if (method !== 'GET' && !url.endsWith('/auth/token')) changes += 1;
    const pass = (): void => {
      const onward = httpRequest(`${service}${url}`, { method, headers, agent });
      onward.on('response', (answered) => {
        const asked = `${method} ${url.split('?')[0]}`;
        if (asked === held?.call) {
          answered.resume().on('end', held.begin);
          held = undefined;
          return;
        }
        const { statusCode: status = 500, headers: told } = answered;
        response.writeHead(status, told);
        const chunks: Buffer[] = [];
        answered.on('data', (chunk: Buffer) => chunks.push(chunk));
        answered.on('end', () => tape?.add(call, { status, headers: told, body: Buffer.concat(chunks) }));
        answered.pipe(response);
      });
      onward.on('error', () => {
        // The service closes connections that are idle for some seconds, perhaps just when one is reused.
        if (onward.reusedSocket && !response.headersSent) pass();
        else response.destroy();
      });
      onward.end(body);
    };
    pass();
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    sent,
    get changes() {
      return changes;
    },
    hold: (call) =>
      new Promise((begin) => {
        held = { call, begin };
      }),
    record(tape) {
      recorded = tape;
      replayed = undefined;
    },
    replay(tape) {
      tape.rewind();
      recorded = undefined;
      replayed = tape;
    },
    live() {
      recorded = undefined;
      replayed = undefined;
    },
    refuse(next) {
      refusing = next;
      seen.length = 0;
      sent.length = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
