import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { onServer } from '../../../src/sandbox/store/engine.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';

const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';

/** Members of a running sandbox's control file. */
const note = { pid: 1, base_url: 'http://127.0.0.1:9' };

// A scripted server is not a sandbox, or closes before it responds.

describe('commands for a running sandbox if none runs', () => {
  it.each([
    [['seed', '--teams', '1']],
    [['key', 'create', '--name', 'ci', '--show-secret']],
    [['publish', 'Front desk']],
    [['phone', 'unlink', 'Reception']],
    [['clock', 'advance', '30s']],
    [['status']],
    [['stop']],
    [['reset']],
  ])('exit with code 2 and the command that starts one: %j', async (args) => {
    const ran = await botctl(['sandbox', ...args]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('botctl sandbox start');
  });

  it('suggest --database for a data directory of a sandbox on a server', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'engine'), `${onServer}\n`);
    const { stderr } = await botctl(['sandbox', 'status', '--data', data]);
    expect(stderr).toContain(`botctl sandbox start --database <url> --files <directory> --data ${data}`);
  });

  it('exit with code 2 if a killed sandbox left its control file', async () => {
    const data = temporaryDirectory();
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', token: 'gone', ...note }),
    );
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    expect(ran.exitCode).toBe(2);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['that refuses it', (response) => response.writeHead(401).end('{"error": "Who are you?"}')],
    ['that would speak another protocol', ({ socket }) => socket?.end(switching)],
    ['that answers what is no JSON', (response) => response.end('<h1>Hello</h1>')],
  ])('exit with code 2 if another server has the port by now %s', async (_what, answer) => {
    const data = temporaryDirectory();
    const other = createServer((_, response) => void answer(response));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = z.parse(z.object({ port: z.number() }), other.address());
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: `http://127.0.0.1:${port}`, token: 'old', ...note }),
    );
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    await new Promise((resolve) => other.close(resolve));
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('botctl sandbox start') });
  });

  it('exit with code 8 if the connection breaks during the call', async () => {
    const data = temporaryDirectory();
    const dying = createServer(({ socket }) => socket.resetAndDestroy());
    await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve));
    const { port } = z.parse(z.object({ port: z.number() }), dying.address());
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: `http://127.0.0.1:${port}`, token: 'any', ...note }),
    );
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    await new Promise((resolve) => dying.close(resolve));
    expect(ran).toMatchObject({ exitCode: 8 });
  });

  it('exit with code 2 if the control file is broken', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'control.json'), '{"url": 7}');
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    expect(ran.exitCode).toBe(2);
  });
});

describe('a usage error', () => {
  it.each([
    [['start', '--port', '70000'], 'port'],
    [['start', '--phone', 'loud'], 'auto, manual'],
    [['start', '--rate-limit', '0/s'], '--rate-limit'],
    [['start', '--port', '0', '--data', '/dev/null/x'], '/dev/null/x'],
    [['phone', 'unlink'], 'device'],
    [['seed', '--teams', '-1'], 'teams'],
    [['seed', '--teams', '1', '--seed', ''], 'seed'],
    [['clock', 'advance', '0s'], 'time'],
    [['clock', 'advance', '36601d'], '36600d'],
    [['publish'], 'bot'],
    [['phone', 'scan'], 'No picture'],
    [['phone', 'scan', 'code.png', '--number', '12'], 'number'],
    [['phone', 'scan', '/nowhere/code.png'], '/nowhere/code.png'],
  ])('exits with code 2 and names its cause: sandbox %j', async (args, words) => {
    const ran = await botctl(['sandbox', ...args]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain(words);
  });

  it('exits with code 2 if stdin is a terminal', async () => {
    const ran = await botctl(['sandbox', 'phone', 'scan', '--text'], { terminal: true });
    expect(ran.exitCode).toBe(2);
  });

  it('names the -- that is required before a command with options of its own', async () => {
    for (const words of [
      ['sh', '-c', 'exit 0'],
      ['--phone', 'manual', 'npm', 'test', '--frob'],
    ]) {
      const ran = await botctl(['sandbox', 'run', ...words]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('botctl sandbox run -- ');
    }
    const own = await botctl(['sandbox', 'run', '--phnoe', 'manual', '--', 'npm', 'test']);
    expect(own.stderr).toContain('--phone?');
  });
});
