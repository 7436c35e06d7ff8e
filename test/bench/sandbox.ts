import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { type Comparison, compare, inTurns } from './measure.ts';
import { binary, bundled, type Setting } from './setting.ts';

/** Concurrent connections. */
const connections = 8;

/** Teams on the page that is read. */
const teams = 20;

/** Calls that are measured as one. */
const [reads, writes] = [1000, 300];

/** Minimum number of pairs of starts, because a start is so short that noise shows in it. */
const fewestStarts = 20;

interface Service {
  readonly origin: string;
  readonly token: string;
  /** Milliseconds until it listened. */
  readonly milliseconds: number;
  stop(): Promise<void>;
}

/** Compares the sandbox with a server written by hand. */
export async function sandbox(setting: Setting): Promise<readonly Comparison[]> {
  const ours = (): Promise<Service> => startSandbox(setting);
  const theirs = (): Promise<Service> => startBare(setting);
  const [service, bare] = [await ours(), await theirs()];
  const comparisons: Comparison[] = [];
  for (let made = 0; made < teams; made += 1) for (const one of [service, bare]) await write(one);
  for (const [title, make, calls, least] of [
    ['reads of a page of 20', read, reads, 0.35],
    ['synced writes', write, writes, 0.5],
  ] as const) {
    const side = (to: Service) => () => load(to, make, calls);
    for (const one of [service, bare]) await side(one)();
    const pairs = await inTurns(setting.rounds, side(service), side(bare));
    const speed = (milliseconds: number): number => calls / (milliseconds / 1000);
    const aim = { is: 'at least', value: least } as const;
    comparisons.push(compare(`${title} ÷ node:http and SQLite`, '/s', pairs, speed, aim));
  }
  for (const one of [service, bare]) await one.stop();
  // Each starts with its existing data.
  const startOf = (start: () => Promise<Service>) => async (): Promise<number> => {
    const { milliseconds, stop } = await start();
    await stop();
    return milliseconds;
  };
  const rounds = Math.max(fewestStarts, setting.rounds);
  const starts = await inTurns(rounds, startOf(ours), startOf(theirs));
  const aim = { is: 'at most', value: 3 } as const;
  agent.destroy();
  return [
    compare('sandbox start ÷ node:http and SQLite', 'ms', starts, (figure) => figure, aim),
    ...comparisons,
  ];
}

const introduction = z.object({
  base_url: z.string(),
  key_id: z.optional(z.string()),
  key_secret: z.optional(z.string()),
});

async function startSandbox({ directory, env }: Setting): Promise<Service> {
  const words = ['sandbox', 'start', '--port', '0', '--data', join(directory, 'sandbox'), '-o', 'ndjson'];
  const own = { ...env, BOTCTL_CONFIG_DIR: join(directory, 'sandbox-settings') };
  const { base_url: origin, key, ...started } = await start([binary, ...words], own);
  const answer = await call({ origin, token: '' }, 'POST', '/api/openapi/auth/token', JSON.stringify(key));
  const { data } = z.object({ data: z.object({ access_token: z.string() }) }).parse(JSON.parse(answer));
  return { origin, token: data.access_token, ...started };
}

async function startBare({ directory, env }: Setting): Promise<Service> {
  const file = join(directory, 'bare.db');
  const { base_url: origin, key: _none, ...started } = await start([bundled('bare-service'), file], env);
  return { origin, token: 'a-token-for-the-bench', ...started };
}

const running = new Set<ChildProcess>();
// If the bench is interrupted, the services end too.
process.once('exit', () => {
  for (const child of running) child.kill();
});

/** Starts a service, which prints its address in the first line. */
async function start(args: readonly string[], env: Setting['env']) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(child);
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const milliseconds = performance.now() - begun;
  const { base_url, ...key } = introduction.parse(JSON.parse(line));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    running.delete(child);
  };
  return { base_url, key, milliseconds, stop };
}

type Server = Pick<Service, 'origin' | 'token'>;

const agent = new Agent({ keepAlive: true, maxSockets: connections });

const teamsPath = '/api/openapi/v1/teams';

/** Makes a call, and returns its response. */
async function call(
  { origin, token }: Server,
  method: 'GET' | 'POST',
  path = teamsPath,
  body = '',
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) };
  const sent = request(`${origin}${path}`, { method, agent, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${method} ${path} was answered ${answer}`);
  return answer;
}

const read = (server: Server): Promise<string> => call(server, 'GET');

function write(server: Server): Promise<string> {
  const name = randomUUID();
  const user = { name, email: `${name}@bench.example`, phone: '+5511999990000' };
  return call(server, 'POST', teamsPath, JSON.stringify({ user, team: { name, plan_name: 'pro' } }));
}

/** Makes this many calls, several concurrently, and returns the milliseconds that they took. */
async function load(server: Server, make: (to: Server) => Promise<string>, calls: number): Promise<number> {
  const begun = performance.now();
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await make(server);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  return performance.now() - begun;
}
