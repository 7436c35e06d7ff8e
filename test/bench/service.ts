import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { engines } from './engines.ts';
import { type Aim, type Comparison, compare, inTurns } from './measure.ts';
import { endConnections, load, read, resident, type Server, start, write } from './running-service.ts';
import { bundled, mebibyte, type Setting } from './setting.ts';

/** Requests that are measured as one, and pairs of them: one per cent is to be told from noise. */
const [batch, batches] = [40, 80];
/** Batches for each side before anything is measured: V8 has compiled what it will by then. */
const warmingBatches = 25;
/** Requests between two looks at the memory. */
const manyRequests = 10_000;
/** Teams that a read of the list gives. */
const teams = 20;

/** From the issue: what is not asked for is free, and the log nearly. */
const idleAim: Aim = { is: 'at most', value: 1.02 };
const logAim: Aim = { is: 'at most', value: 1.05 };
/** The issue says 1.1, of a start that took half as long again. What is added is one more start of botctl, of 0.1 s. */
const detachAim: Aim = { is: 'at most', value: 1.15 };

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
      await load([at(port)], read, batch);
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

/** The sandbox beside a server that answers the same from memory. */
async function throughput(setting: Setting): Promise<readonly Comparison[]> {
  const sandbox = await start(setting, { data: join(setting.directory, 'throughput') });
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
      for (const server of [sandbox, bare]) await load([server], make, calls);
      const pairs = await inTurns(
        setting.rounds,
        () => load([sandbox], make, calls),
        () => load([bare], make, calls),
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
    const started = await start(setting, { data }, options);
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
  const sandbox = await start(setting, { data });
  for (let made = 0; made < teams; made += 1) await write(sandbox);
  const idle = resident(sandbox.pid);
  await load([sandbox], read, manyRequests);
  const pair = [resident(sandbox.pid), idle] as const;
  await sandbox.stop();
  return [compare(`memory after ${manyRequests} reads ÷ idle`, 'MiB', [pair], (bytes) => bytes / mebibyte)];
}

/** What the sandbox costs. */
export async function service(setting: Setting): Promise<readonly Comparison[]> {
  try {
    return [
      ...(await layers(setting)),
      ...(await throughput(setting)),
      ...(await starts(setting)),
      ...(await memory(setting)),
      ...(await engines(setting)),
    ];
  } finally {
    endConnections();
  }
}
