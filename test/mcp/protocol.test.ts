import { describe, expect, it } from 'vitest';
import { connectAssistant, ok, seedService, startServer } from '../support/assistant.ts';
import { eventually } from '../support/eventually.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

/** Starts a server, and returns functions that exchange lines with it. */
function speak(args: readonly string[], env: Readonly<Record<string, string>>) {
  const server = startServer(args, env);
  const answers: Record<string, unknown>[] = [];
  let rest = '';
  server.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) answers.push(JSON.parse(line));
  });
  const send = (...messages: readonly unknown[]): void => {
    for (const message of messages)
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...Object(message) })}\n`);
  };
  const answerTo = (id: number): Promise<Record<string, unknown>> =>
    eventually(() => {
      const found = answers.find((answer) => answer.id === id);
      expect(found, JSON.stringify(answers)).toBeDefined();
      return found ?? {};
    });
  return { ...server, send, answers, answerTo, rest: () => rest };
}

const hello = (protocolVersion: string) => ({
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'lines', version: '1' } },
});

describe('JSON-RPC messages', () => {
  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'of %s are answered in that version',
    async (version) => {
      const { send, answerTo } = speak([], sandbox.env);
      send(hello(version), { method: 'notifications/initialized' }, { id: 2, method: 'tools/list' });
      expect(await answerTo(1)).toMatchObject({
        result: { protocolVersion: version, serverInfo: { name: 'botctl' } },
      });
      expect(JSON.stringify(await answerTo(2))).toContain('"teams_list"');
    },
  );

  it('of an unknown version are answered in a known one', async () => {
    const { send, answerTo } = speak([], sandbox.env);
    send(hello('2031-01-01'));
    expect(await answerTo(1)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });

  it('that are invalid get errors, and the next call a response', async () => {
    const { send, stdin, answerTo } = speak([], sandbox.env);
    send(hello('2025-11-25'), { method: 'notifications/initialized' });
    await answerTo(1);
    stdin.write('no json\n\n{"jsonrpc":"2.0"}\n[]\n');
    send({ id: 2, method: 'tools/call', params: { name: 'login', arguments: {} } });
    send({ id: 3, method: 'tools/call', params: { name: 'teams_list', arguments: { where: 'x' } } });
    send({ id: 4, method: 'unknown/method' });
    send({ id: 5, method: 'tools/call', params: { name: 'whoami' } });
    expect(JSON.stringify(await answerTo(2))).toMatch(/login/);
    expect(JSON.stringify(await answerTo(3))).toMatch(/where/);
    expect(await answerTo(4)).toMatchObject({ error: { code: -32601 } });
    expect(JSON.stringify(await answerTo(5))).toContain('key_id');
  });

  it('are all that is written to stdout', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const { send, answerTo, answers, rest } = speak(['--allow-writes', 'bots'], env);
    send(hello('2025-11-25'), { method: 'notifications/initialized' });
    await answerTo(1);
    const call = (id: number, name: string, args: object) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    send(
      call(2, 'doctor', {}),
      call(3, 'teams_overview', { team: 'Aurora' }),
      call(4, 'bots_get', { bot: 'None' }),
    );
    await Promise.all([2, 3, 4].map(answerTo));
    expect(rest()).toBe('');
    expect(answers.map(({ jsonrpc }) => jsonrpc)).toEqual(answers.map(() => '2.0'));
  });
});

describe('the MCP server', () => {
  it('ends when stdin closes, also during a call', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const { send, answerTo, stdin, ended, stderr } = speak([], env);
    send(hello('2025-11-25'), { method: 'notifications/initialized' });
    await answerTo(1);
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'device_wait', arguments: { device: 'Reception' } },
    });
    await eventually(async () => expect(await ok(env, 'device', 'history', '-o', 'id')).not.toBe(''));
    stdin.end();
    expect(await ended, stderr()).toBe(0);
  });

  it('ends on a signal, with its exit code', async () => {
    const { Failure } = await import('../../src/lib/errors.ts');
    const { send, answerTo, ended, signal } = speak([], sandbox.env);
    send(hello('2025-11-25'));
    await answerTo(1);
    signal.abort(new Failure('terminated', 'Terminated.'));
    expect(await ended).toBe(143);
  });

  it('does not start without an identity', async () => {
    const server = startServer([], {});
    expect(await server.ended).toBe(4);
  });
});

describe('a call', () => {
  it('reports progress, and heartbeats while nothing happens', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    const { client } = await connectAssistant([], { env });
    const seen: string[] = [];
    const cancelling = new AbortController();
    const waiting = client.callTool(
      { name: 'device_wait', arguments: { device: 'Reception' } },
      {
        signal: cancelling.signal,
        onprogress: ({ message }) => {
          seen.push(message ?? '');
          if (message?.startsWith('Running')) cancelling.abort();
        },
      },
    );
    await expect(waiting).rejects.toThrow();
    expect(seen).toEqual(expect.arrayContaining(['stopped', expect.stringMatching(/^Running for \d+ s\.$/)]));
    expect(JSON.stringify(await client.callTool({ name: 'whoami', arguments: {} }))).toContain('key_id');
  }, 30_000);

  it('runs concurrently with others, and each gets its own response', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(env, 'sandbox', 'seed', '--teams', '20', '--data', sandbox.data);
    const { call } = await connectAssistant([], { env });
    const listed = await call('teams_list', { limit: 20 });
    const teams = listed.data.rows as { id: string; name: string }[];
    const answers = await Promise.all(teams.map(({ id }) => call('teams_overview', { team: id })));
    expect(answers.map(({ data }) => Object(data.result).id)).toEqual(teams.map(({ id }) => id));
  });

  it('that is cancelled during a write may have happened, and is not repeated', async () => {
    const env = await seedService(sandbox.env, { isPaired: false });
    await ok(
      env,
      'sandbox',
      'fault',
      'add',
      'POST /bots',
      '--delay',
      '2s',
      '--times',
      '1',
      '--data',
      sandbox.data,
    );
    const { call, client } = await connectAssistant(['--allow-writes', 'bots'], { env });
    const input = { team: 'Aurora', name: 'Slow', role: 'sales', instructions: 'x' };
    const cancelling = new AbortController();
    const creating = client.callTool(
      { name: 'bots_create', arguments: input },
      { signal: cancelling.signal },
    );
    await eventually(async () =>
      expect(await ok(env, 'mcp', 'history', '-o', 'ndjson')).toContain('"begun"'),
    );
    await new Promise((done) => setTimeout(done, 300));
    cancelling.abort();
    await expect(creating).rejects.toThrow();
    await eventually(async () =>
      expect(await ok(env, 'mcp', 'history', '-o', 'ndjson')).toContain('"unknown"'),
    );
    expect((await call('bots_create', input)).text).toMatch(/^REPEATED .*retry: never/);
  });
});
