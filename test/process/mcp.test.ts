import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { binary, start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lines', version: '1' } },
};

/** Starts `botctl mcp` with stdin open. */
function startServer() {
  const env = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory(), ...sandbox.env };
  const child = spawn(process.execPath, [binary, 'mcp'], { env, stdio: 'pipe' });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.on('exit', (code, signal) => done(code ?? signal)),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  return {
    child,
    ended,
    stdout: () => stdout,
    ready: () => eventually(() => stdout.includes('"serverInfo"')),
  };
}

it('the client of the protocol starts, calls and ends it', async () => {
  const env = { PATH: process.env.PATH ?? '', BOTCTL_CONFIG_DIR: temporaryDirectory(), ...sandbox.env };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, 'mcp'],
    env,
    stderr: 'pipe',
  });
  const client = new Client(
    { name: 'Test assistant', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(transport);
  const { pid } = transport;
  expect(JSON.stringify(await client.callTool({ name: 'teams_list', arguments: {} }))).toContain('rows');
  await client.close();
  expect(pid).toBeDefined();
  await eventually(() => {
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
    return true;
  });
});

it('exits with code 0 when stdin closes, and on SIGTERM', async () => {
  const closed = startServer();
  await closed.ready();
  closed.child.stdin.end();
  expect(await closed.ended).toBe(0);
  const terminated = startServer();
  await terminated.ready();
  terminated.child.kill('SIGTERM');
  expect(await terminated.ended).toBe('SIGTERM');
  for (const { stdout } of [closed, terminated])
    for (const line of stdout().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

it('exits when the reader of its responses is gone', async () => {
  const server = startServer();
  await server.ready();
  server.child.stdout.destroy();
  for (const id of [2, 3, 4])
    server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  expect(await server.ended).toBe(0);
});

it('no other command loads code of the protocol', async () => {
  const list = join(temporaryDirectory(), 'loaded');
  const preload = join(temporaryDirectory(), 'loaded.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  const chunks = join(packageRoot(), 'dist', 'chunks');
  const ofProtocol = readdirSync(chunks).filter((name) =>
    readFileSync(join(chunks, name), 'utf8').includes('modelcontextprotocol'),
  );
  expect(ofProtocol).not.toEqual([]);
  const running = start(['teams', 'list'], { env: { ...sandbox.env, NODE_OPTIONS: `--require ${preload}` } });
  expect(await running.ended).toBe(0);
  const loaded = readFileSync(list, 'utf8');
  expect(loaded).toContain(chunks);
  expect(ofProtocol.filter((name) => loaded.includes(name))).toEqual([]);
});
