import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { errorCode } from '../../src/lib/files/error-code.ts';
import { binary, run, type Setting } from './setting.ts';

/** Connections that ask at the same time. */
const connections = 8;

const teamsPath = '/api/openapi/v1/teams';

const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** Ends the connections that are kept, which would keep this process alive. */
export function endConnections(): void {
  agent.destroy();
}

/** What calls of a service are made with. */
export interface Server {
  readonly origin: string;
  readonly token: string;
}

/** Makes a call, and returns its answer. */
export async function call(
  { origin, token }: Server,
  method: 'GET' | 'POST',
  path = teamsPath,
  body = '',
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) };
  const sent = request(`${origin}${path}`, { method, agent, headers });
  sent.end(body);
  try {
    const [response] = await once(sent, 'response');
    const answer = await text(response);
    if (response.statusCode !== 200) throw new Error(`${method} ${path} was answered ${answer}`);
    return answer;
  } catch (error) {
    // A service ends a connection that nobody has used for some seconds, maybe at this very moment.
    if (sent.reusedSocket && errorCode(error) === 'ECONNRESET')
      return call({ origin, token }, method, path, body);
    throw error;
  }
}

/** Reads a page of teams. */
export const read = (server: Server): Promise<string> => call(server, 'GET');

/** Creates a team. */
export function write(server: Server): Promise<string> {
  const name = randomUUID();
  const user = { name, email: `${name}@bench.example`, phone: '+5511999990000' };
  return call(server, 'POST', teamsPath, JSON.stringify({ user, team: { name, plan_name: 'pro' } }));
}

/** Makes so many calls of services in turn, and returns the milliseconds that they took. */
export async function load(
  services: readonly Server[],
  make: (server: Server) => Promise<string>,
  calls: number,
  atOnce = connections,
): Promise<number> {
  const begun = performance.now();
  let left = calls;
  const caller = async (_: unknown, place: number): Promise<void> => {
    for (let turn = place; left > 0; turn += 1) {
      const service = services[turn % services.length];
      if (!service) throw new RangeError('no service');
      left -= 1;
      await make(service);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return performance.now() - begun;
}

/** The rows and uploaded files of a sandbox. */
export interface Place {
  /** Its data directory. */
  readonly data: string;
  /** A database on a server, with the directory of its files, where they are not in the data directory. */
  readonly database?: { readonly url: string; readonly files: string } | undefined;
}

/** A running sandbox, as users start it. */
export interface Started extends Server {
  readonly key: { readonly key_id: string; readonly key_secret: string };
  /** Milliseconds until it said where it is. */
  readonly milliseconds: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const introduction = z.object({
  base_url: z.string(),
  key_id: z.string(),
  key_secret: z.string(),
  pid: z.number(),
});

const running = new Set<ChildProcess>();
// Whoever ends the bench early ends these too.
process.once('exit', () => {
  for (const child of running) child.kill();
});

/** Returns the first line that a process prints; empty if it ends before. */
export async function firstLine(stdout: Readable): Promise<string> {
  let output = '';
  for await (const chunk of stdout) {
    output += String(chunk);
    if (output.includes('\n')) break;
  }
  return output.split('\n')[0] ?? '';
}

/** Starts a sandbox. */
export async function start({ directory, env }: Setting, { data, database }: Place): Promise<Started> {
  const args = [binary, 'sandbox', 'start', '--port', '0', '--data', data, '-o', 'ndjson'];
  const own = {
    ...env,
    BOTCTL_CONFIG_DIR: join(directory, 'sandbox-settings'),
    BOTCTL_SANDBOX_DATABASE: database?.url,
  };
  const files = database ? ['--files', database.files] : [];
  const begun = performance.now();
  const child = spawn(process.execPath, [...args, ...files], {
    env: own,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const line = await firstLine(child.stdout);
  if (line === '') throw new Error(`the sandbox on ${data} did not start`);
  const { base_url: origin, pid, ...key } = z.parse(introduction, JSON.parse(line));
  const milliseconds = performance.now() - begun;
  const credentials = JSON.stringify({ key_id: key.key_id, key_secret: key.key_secret });
  const answer = await call({ origin, token: '' }, 'POST', '/api/openapi/auth/token', credentials);
  const { data: issued } = z.parse(
    z.object({ data: z.object({ access_token: z.string() }) }),
    JSON.parse(answer),
  );
  return {
    origin,
    token: issued.access_token,
    key,
    milliseconds,
    pid,
    async stop() {
      await run(process.execPath, [binary, 'sandbox', 'stop', '--data', data], { env: own });
    },
  };
}

/** Returns the bytes of memory that a process has; Linux alone says it. */
export function resident(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
