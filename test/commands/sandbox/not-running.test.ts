import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { onServer } from '../../../src/sandbox/store/engine.ts';
import { openOwnDatabase } from '../../../src/sandbox/store/own-database.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';

const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';

/** Members of the note of a running sandbox. */
const note = { pid: 1, base_url: 'http://127.0.0.1:9' };

// A server of its own is no sandbox, or ends before it answers.

describe('sandbox status --all', () => {
  it('is empty where none runs, and passes over one that was killed', async () => {
    const data = temporaryDirectory();
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', token: 'gone', ...note }),
    );
    const ran = await botctl(['sandbox', 'status', '--all', '-o', 'json'], {
      env: { BOTCTL_SANDBOX_DATA: data },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await botctl(['sandbox', 'status', '--all', '--data', data])).toMatchObject({ exitCode: 2 });
  });

  it('has a row with the reason for one that can’t say how it is, such as without its database', async () => {
    const data = temporaryDirectory();
    const database = await openOwnDatabase(data);
    const server = createServer((_, response) => response.writeHead(500).end('{"error": "It is away."}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = z.parse(z.object({ port: z.number() }), server.address());
    const address = { url: `http://127.0.0.1:${port}`, token: 'any', ...note };
    writeFileSync(join(data, 'control.json'), JSON.stringify(address));
    const ran = await botctl(['sandbox', 'status', '--all', '-o', 'tsv', '--fields', 'data,error'], {
      env: { BOTCTL_SANDBOX_DATA: data },
    });
    await new Promise((resolve) => server.close(resolve));
    await database.close();
    expect(ran).toMatchObject({ exitCode: 8, stdout: `${data}\tIt is away.\n` });
    expect(ran.stderr).toContain('It is away.');
  });
});

describe('commands for a running sandbox, when none runs', () => {
  it.each([
    [['seed', '--teams', '1']],
    [['key', 'create', '--name', 'ci', '--show-secret']],
    [['publish', 'Front desk']],
    [['phone', 'unlink', 'Reception']],
    [['clock', 'advance', '30s']],
  ])('sandbox %j says how to start one', async (args) => {
    const ran = await botctl(['sandbox', ...args]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('No sandbox is running');
    expect(ran.stderr).toContain('botctl sandbox start');
  });

  it('names the database for one whose rows are on a server', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'engine'), `${onServer}\n`);
    const { stderr } = await botctl(['sandbox', 'status', '--data', data]);
    expect(stderr).toContain(`botctl sandbox start --data ${data} --database <url> --files <directory>`);
  });

  it('nor does one that left its address behind', async () => {
    const data = temporaryDirectory();
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', token: 'gone', ...note }),
    );
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("doesn't answer");
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['that refuses it', (response) => response.writeHead(401).end('{"error": "Who are you?"}')],
    ['that would speak another protocol', ({ socket }) => socket?.end(switching)],
    ['that answers what is no JSON', (response) => response.end('<h1>Hello</h1>')],
  ])('nor one whose port another one has by now %s', async (_what, answer) => {
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

  it('and one that breaks off in the midst of a call may have done what it was told', async () => {
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
    expect(ran).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('broke off') });
  });

  it('nor where the file says something else', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'control.json'), '{"url": 7}');
    const ran = await botctl(['sandbox', 'publish', 'Front desk', '--data', data]);
    expect(ran.exitCode).toBe(2);
  });
});

describe('what is typed wrong is refused before anything happens', () => {
  it.each([
    [['start', '--port', '70000'], 'port'],
    [['start', '--phone', 'loud'], 'auto, manual'],
    [['start', '--qr-delay', 'soon'], 'duration'],
    [['start', '--qr-style', 'baroque'], 'inverted'],
    [['start', '--rate-limit', '20'], '20/s or 600/m'],
    [['start', '--rate-limit', '0/s'], 'from 1 to'],
    [['start', '--latency', '120ms..40ms'], 'the shorter time first'],
    [['start', '--latency', '1..2..3'], '40ms..120ms'],
    [['start', '--latency', 'slow'], 'duration'],
    [['start', '--latency', '1h'], '10 minutes at most'],
    [['start', '--port', '0', '--data', '/dev/null/x'], 'a part of the path is not a directory'],
    [['start', '--log-size', 'lots'], 'size such as 64MiB'],
    [['start', '--log-size', '1000kB'], 'at least 1MiB'],
    [['phone', 'unlink'], 'device'],
    [['seed'], 'Nothing to make'],
    [['seed', '--teams', '-1'], 'teams'],
    [['seed', '--docs', 'many'], 'docs'],
    [['seed', '--teams', '1', '--seed', ''], 'seed'],
    [['clock', 'advance', 'soon'], 'duration'],
    [['clock', 'advance', '0s'], 'must be greater than 0'],
    [['clock', 'advance', '36601d'], '<time> must be 36600d at most'],
    [['clock', 'advance'], 'time'],
    [['behave', '--rename', `provider_id=${'a'.repeat(101)}`], 'up to 100 characters'],
    [['publish'], 'bot'],
    [['phone', 'scan'], 'No picture'],
    [['phone', 'scan', 'code.png', '--number', '12'], 'phone number'],
    [['phone', 'scan', '/nowhere/code.png'], 'there is no such file'],
  ])('sandbox %j', async (args, words) => {
    const ran = await botctl(['sandbox', ...args]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain(words);
  });

  it('a phone that is to read from stdin, where a person sits', async () => {
    const ran = await botctl(['sandbox', 'phone', 'scan', '--text'], { terminal: true });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('nothing is piped into it');
  });
});
