import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, type ElicitResult, type Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { expect, onTestFinished } from 'vitest';
import type { Io } from '../../src/lib/io.ts';
import { run } from '../../src/program.ts';
import { botctl } from './botctl.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The protocol versions that the tests use: the newest and the one before. */
export const protocols = ['2025-11-25', '2026-07-28'] as const;

/** Options of a client's connection. */
export interface AssistantOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly protocol?: (typeof protocols)[number];
  /** Returns the user's answer to a question; if not set, the client does not support questions. */
  readonly answer?: (question: string, members: readonly string[]) => ElicitResult | Promise<ElicitResult>;
}

/** A server that runs in this process, with its streams. */
export interface RunningServer {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  /** Returns its stderr so far. */
  readonly stderr: () => string;
  /** Its exit code, once stdin has ended. */
  readonly ended: Promise<number>;
  readonly signal: AbortController;
}

/** Starts `botctl mcp` in this process and stops it when the test ends. */
export function startServer(args: readonly string[], env: Readonly<Record<string, string>>): RunningServer {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signal = new AbortController();
  let said = '';
  stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const io: Io = {
    stdin,
    stdout,
    stderr,
    env: { BOTCTL_CONFIG_DIR: temporaryDirectory(), LANG: 'C.UTF-8', ...env },
    signal: signal.signal,
  };
  const ended = run(['mcp', ...args], io);
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  return { stdin, stdout, stderr: () => said, ended, signal };
}

/** A client that is connected to a server. */
export interface ConnectedAssistant extends RunningServer {
  readonly client: Client;
  call(name: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
}

/** The result of a tool call. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The data between the fence lines. */
  readonly data: Record<string, unknown>;
}

/** Connects a client of the protocol's official library to `botctl mcp`. */
export async function connectAssistant(
  args: readonly string[],
  { env, protocol = '2026-07-28', answer }: AssistantOptions,
): Promise<ConnectedAssistant> {
  const server = startServer(args, env);
  const client = new Client(
    { name: 'Test assistant', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: {} } : {},
      versionNegotiation: { mode: protocol === '2026-07-28' ? { pin: protocol } : 'legacy' },
    },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const schema = 'requestedSchema' in params ? params.requestedSchema : { properties: {} };
      return answer(params.message, Object.keys(schema.properties));
    });
  // Both sides of the protocol write lines of JSON, so the server transport works for the client too.
  const transport: Transport = new StdioServerTransport(server.stdout, server.stdin);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    ...server,
    client,
    async call(name, input = {}, signal) {
      const result = await client.callTool(
        { name, arguments: input },
        { ...(signal && { signal }), timeout: 60_000 },
      );
      const [first] = result.content;
      const text = first?.type === 'text' ? first.text : '';
      return { text, isError: result.isError === true, data: dataIn(text) };
    },
  };
}

/** Returns the answer of a user who accepts every question. */
export function sayYes(question: string, members: readonly string[]): ElicitResult {
  const name = /Type (.+) to confirm/.exec(question)?.[1] ?? '';
  return { action: 'accept', content: members.includes('name') ? { name } : { yes: true } };
}

/** Runs a command, fails the test if it fails, and returns its stdout. */
export async function ok(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await botctl(args, { env });
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

/**
 * Creates a team Aurora with a bot Desk and a device Reception in a sandbox; if it is paired, also a document menu.txt
 * and a campaign spring. Returns the environment of its user.
 */
export async function seedService(
  caller: Readonly<Record<string, string>>,
  { isPaired = true } = {},
): Promise<Record<string, string>> {
  const home = temporaryDirectory();
  const env = { ...caller, BOTCTL_CONFIG_DIR: home };
  const files = {
    menu: join(temporaryDirectory(), 'menu.txt'),
    list: join(temporaryDirectory(), 'list.csv'),
  };
  writeFileSync(files.menu, 'Coffee 3');
  writeFileSync(files.list, 'phone\n+5511988887771\n');
  const admin = [
    '--admin-name',
    'Ana',
    '--admin-email',
    'ana@aurora.example',
    '--admin-phone',
    '+5511988887777',
  ];
  await ok(env, 'teams', 'create', 'Aurora', '--plan', 'pro', ...admin);
  await ok(env, 'bots', 'create', 'Desk', '--team', 'Aurora', '--role', 'support', '--instructions', 'Help.');
  await ok(env, 'device', 'create', 'Reception', '--bot', 'Desk', '--discard-token');
  if (!isPaired) return env;
  await ok(env, 'device', 'connect', 'Reception', '--wait', '-o', 'ndjson');
  await ok(env, 'docs', 'upload', files.menu, '--team', 'Aurora');
  const campaign = ['--recipients', files.list, '--message', 'Hello', '--device', 'Reception'];
  await ok(env, 'campaigns', 'create', 'spring', ...campaign);
  return env;
}

function dataIn(text: string): Record<string, unknown> {
  const found = /<(data-[0-9a-f]{16})>\n(.*)\n<\/\1>/s.exec(text)?.[2];
  expect(found, text).toBeDefined();
  return JSON.parse(found ?? '');
}
