import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { refusal, type Scripted } from '../support/scripted-server.ts';

// A server of its own stands before the sandbox and plays answers that it wrote down, or lets a call take effect and holds its
// answer for good: the sandbox can't be made to. What it refuses, it refuses with details.

/** The requests that the front refuses: all except the token request, or only writes. */
export interface Refusing {
  readonly calls: 'all' | 'writes';
  readonly status: number;
  readonly code: string;
}

/** Stands before the sandbox and passes on what it is asked, or refuses it in the service's own way. */
export interface Front {
  readonly url: string;
  /** Refuses from now on; undefined: passes everything on. */
  refuse(refusing: Refusing | undefined): void;
  /** Passes the next such call on (`POST /api/openapi/v1/bots`), and never gives its answer. Resolves once the sandbox has answered. */
  hold(call: string): Promise<void>;
  /** The calls since it was last told what to refuse, but for the token's: `POST /api/openapi/v1/bots`. */
  readonly seen: readonly string[];
  /** The same calls as they were sent, with their query and body. */
  readonly sent: readonly string[];
  /** How many calls that may change something were passed on. */
  readonly changes: number;
  /** From now on writes down on a tape what it is asked, and what the sandbox answers. */
  record(tape: Tape): void;
  /** From now on answers from a tape, and asks the sandbox nothing. */
  replay(tape: Tape): void;
  /** Passes everything on again. */
  live(): void;
  close(): Promise<void>;
}

/** What a call gets that was not written down. */
const unrecorded: Answered = { status: 400, headers: {}, body: Buffer.from('{}') };

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * What was asked and answered, by call. Played, the same call again gets the next of its answers, and the last one
 * from then on.
 */
export class Tape {
  readonly #answers = new Map<string, Answered[]>();
  readonly #played = new Map<string, number>();
  #hasMissed = false;

  /** Whether a call since it was rewound is not on it, and so was refused. */
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

/** A call with what it sends, which a form says in other words each time: its parts have a boundary of chance. */
function callOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string {
  const [, boundary = ''] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? [];
  const sent = body.toString('latin1');
  return `${method} ${url} ${boundary === '' ? sent : sent.replaceAll(boundary, '')}`;
}

/** Starts a front on a free port of this machine. */
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
        // The service ends connections that idle for some seconds, maybe just as one is used again.
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
