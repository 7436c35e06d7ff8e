import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { type Aim, type Comparison, compare, inTurns } from './measure.ts';
import { binary, bundled, mebibyte, run, type Setting } from './setting.ts';

/** Requests that are measured as one, and pairs of them: one per cent is to be told from noise. */
const [batch, batches] = [40, 80];
/** Connections that ask at the same time. */
const connections = 8;
/** Batches for each side before anything is measured: V8 has compiled what it will by then. */
const warmingBatches = 25;
/** Requests between two looks at the memory. */
const manyRequests = 10_000;
/** Teams that a read of the list gives. */
const teams = 20;
const path = '/api/openapi/v1/teams';

/** From the issue: what is not asked for is free, and the log nearly. */
const idleAim: Aim = { is: 'at most', value: 1.02 };
const logAim: Aim = { is: 'at most', value: 1.05 };
const detachAim: Aim = { is: 'at most', value: 1.1 };

const agent = new Agent({ keepAlive: true, maxSockets: connections });

interface Server {
  readonly origin: string;
  readonly token: string;
}

/** Makes a call, and returns its answer. */
async function call(
  { origin, token }: Server,
  method: 'GET' | 'POST',
  url = path,
  body = '',
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) };
  const sent = request(`${origin}${url}`, { method, agent, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${method} ${url} was answered ${answer}`);
  return answer;
}

const read = (server: Server): Promise<string> => call(server, 'GET');

function write(server: Server): Promise<string> {
  const name = randomUUID();
  const user = { name, email: `${name}@bench.example`, phone: '+5511999990000' };
  return call(server, 'POST', path, JSON.stringify({ user, team: { name, plan_name: 'pro' } }));
}

/** Makes so many calls, and returns the milliseconds that they took. */
async function load(server: Server, make: typeof read, calls: number): Promise<number> {
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

async function told<T>(child: ChildProcess, form: z.ZodMiniType<T>): Promise<T> {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  return z.parse(form, message);
}

const port = z.number();
const served = z.object({ plain: port, faults: port, log: port, token: z.string() });

/** What stands around the routes, each beside the same service without it: CPU time of the process that serves. */
async function layers({ directory, env }: Setting): Promise<readonly Comparison[]> {
  const child = fork(bundled('service-case'), [join(directory, 'layers')], { env });
  try {
    const { token, ...ports } = await told(child, served);
    const at = (port: number): Server => ({ origin: `http://127.0.0.1:${port}`, token });
    for (let made = 0; made < teams; made += 1) await write(at(ports.plain));
    const cpu = (): Promise<number> => {
      child.send('cpu');
      return told(child, z.number());
    };
    const perCall = (port: number) => async (): Promise<number> => {
      const before = await cpu();
      await load(at(port), read, batch);
      return ((await cpu()) - before) / batch;
    };
    for (const port of Object.values(ports))
      for (let round = 0; round < warmingBatches; round += 1) await perCall(port)();
    const rows: [string, number, Aim][] = [
      ['the fault layer, idle ÷ without', ports.faults, idleAim],
      ['the request log ÷ without', ports.log, logAim],
    ];
    const comparisons: Comparison[] = [];
    for (const [title, port, aim] of rows) {
      const pairs = await inTurns(batches, perCall(port), perCall(ports.plain));
      comparisons.push(compare(title, 'ms CPU', pairs, (milliseconds) => milliseconds, aim));
    }
    return comparisons;
  } finally {
    child.kill();
  }
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

/** Starts a sandbox. */
export async function start(
  { directory, env }: Setting,
  data: string,
  { detach }: { readonly detach?: boolean } = {},
): Promise<Started> {
  const args = [binary, 'sandbox', 'start', '--port', '0', '--data', data, '-o', 'ndjson'];
  const own = { ...env, BOTCTL_CONFIG_DIR: join(directory, 'sandbox-settings') };
  const begun = performance.now();
  const child = spawn(process.execPath, [...args, ...(detach ? ['--detach'] : [])], {
    env: own,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('\n')) break;
  }
  const { base_url: origin, pid, ...key } = z.parse(introduction, JSON.parse(output.split('\n')[0] ?? ''));
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

/** The sandbox beside a server that answers the same from memory. */
async function throughput(setting: Setting): Promise<readonly Comparison[]> {
  const sandbox = await start(setting, join(setting.directory, 'throughput'));
  for (let made = 1; made < teams; made += 1) await write(sandbox);
  const [creation, list] = [await write(sandbox), await read(sandbox)];
  const files = {
    list: join(setting.directory, 'list.json'),
    creation: join(setting.directory, 'creation.json'),
  };
  writeFileSync(files.list, list);
  writeFileSync(files.creation, creation);
  const child = fork(bundled('bare-service'), [files.list, files.creation], { env: setting.env });
  try {
    const { port } = await told(child, z.object({ port: z.number() }));
    const bare = { origin: `http://127.0.0.1:${port}`, token: '' };
    const comparisons: Comparison[] = [];
    for (const [title, make, calls] of [
      ['reads of a page of 20', read, 300],
      ['writes', write, 150],
    ] as const) {
      for (const server of [sandbox, bare]) await load(server, make, calls);
      const pairs = await inTurns(
        setting.rounds,
        () => load(sandbox, make, calls),
        () => load(bare, make, calls),
      );
      const speed = (milliseconds: number): number => calls / (milliseconds / 1000);
      comparisons.push(compare(`${title} ÷ find-my-way from memory`, '/s', pairs, speed));
    }
    return comparisons;
  } finally {
    child.kill();
    await sandbox.stop();
  }
}

/** Until a sandbox serves, where there is nothing yet, and where there was one before. */
async function starts(setting: Setting): Promise<readonly Comparison[]> {
  const warm = join(setting.directory, 'warm');
  const cold = join(setting.directory, 'cold');
  const until = (data: string, options?: { readonly detach: boolean }) => async (): Promise<number> => {
    rmSync(cold, { recursive: true, force: true });
    const started = await start(setting, data, options);
    await started.stop();
    return started.milliseconds;
  };
  await until(warm)();
  const figure = (milliseconds: number): number => milliseconds;
  // No aim is on the first, whose two sides differ by more than a machine's whims.
  const first = await inTurns(Math.min(setting.rounds, 3), until(cold), until(warm));
  const detached = await inTurns(setting.rounds, until(warm, { detach: true }), until(warm));
  return [
    compare('cold start ÷ warm start', 'ms', first, figure),
    compare('start --detach ÷ start, warm', 'ms', detached, figure, detachAim),
  ];
}

/** The memory of a sandbox after many requests, beside that before them. */
async function memory(setting: Setting): Promise<readonly Comparison[]> {
  if (process.platform !== 'linux') {
    setting.note('The memory of a running process is read from /proc, which is not here.');
    return [];
  }
  const data = join(setting.directory, 'memory');
  mkdirSync(data);
  const sandbox = await start(setting, data);
  for (let made = 0; made < teams; made += 1) await write(sandbox);
  const idle = resident(sandbox.pid);
  await load(sandbox, read, manyRequests);
  const pair = [resident(sandbox.pid), idle] as const;
  await sandbox.stop();
  return [compare(`memory after ${manyRequests} reads ÷ idle`, 'MiB', [pair], (bytes) => bytes / mebibyte)];
}

function resident(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** What the sandbox costs. */
export async function service(setting: Setting): Promise<readonly Comparison[]> {
  try {
    return [
      ...(await layers(setting)),
      ...(await throughput(setting)),
      ...(await starts(setting)),
      ...(await memory(setting)),
    ];
  } finally {
    agent.destroy();
  }
}
