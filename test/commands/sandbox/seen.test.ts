import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { LoggedRequest } from '../../../src/sandbox/request-log/request-log.ts';
import { startSandbox } from '../../../src/sandbox/start.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { devicesOf } from '../../sandbox/pairing.ts';
import { botctl, type Ran, type RunOptions } from '../../support/botctl.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { newData, useSandbox } from '../../support/sandbox.ts';
import { scanPicture } from '../../support/scan.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);
const devices = devicesOf(api);

const run = (args: readonly string[], options?: RunOptions): Promise<Ran> =>
  botctl(['sandbox', ...args, '--data', sandbox.data], options);

async function rowsOf<Row>(...args: readonly string[]): Promise<readonly Row[]> {
  const ran = await run([...args, '-o', 'json']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

/** Makes each test's path unique, because rows of the log stay between tests. */
let counter = 0;
const ownName = (): string => {
  counter += 1;
  return `own-${counter}`;
};

const startOwn = (data: string) => startSandbox({ host: '127.0.0.1', port: 0, data, phone: 'manual' });

async function pairedDevice(): Promise<string> {
  const id = await devices.waiting();
  await scanPicture(sandbox.control, await devices.picture(id));
  return id;
}

const send = (id: string, message: string, to = '5511988887777') =>
  api.ok('sendMessage', { body: { device_id: id, message, destination_number: to } });

/** Runs a command with --follow, and interrupts it once it has printed this many lines. */
async function follow(
  args: readonly string[],
  lines: number,
  act: () => Promise<unknown>,
  reason = new Failure('interrupted', 'Interrupted.'),
): Promise<Ran> {
  const stop = new AbortController();
  let printed = '';
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ran = run([...args, '--follow'], {
    signal: stop.signal,
    onOutput: (text) => {
      printed += text;
      begin();
      if (printed.split('\n').length > lines) stop.abort(reason);
    },
  });
  await Promise.race([begun, ran]);
  await act();
  return ran;
}

describe('sandbox log', () => {
  it('prints each request with the id of its response', async () => {
    const name = ownName();
    const { headers } = await api.send('GET', `/api/openapi/v1/teams?name=${name}`);
    const [row, ...others] = (await rowsOf<LoggedRequest>('log', '--since', '1h')).filter(({ path }) =>
      path?.includes(name),
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      operation: 'listTeams',
      method: 'GET',
      path: `/api/openapi/v1/teams?name=${name}`,
      status: 200,
      key_id: sandbox.keyId,
      request_id: headers.get('x-request-id'),
    });
    expect((await run(['log', '--limit', '1', '-o', 'id'])).stdout).toBe(`${row?.request_id}\n`);
    const tsv = await run(['log', '--limit', '1', '--fields', 'method,status,path']);
    expect(tsv.stdout).toBe(`GET\t200\t/api/openapi/v1/teams?name=${name}\n`);
  });

  it('shows the newest 50 rows in a terminal, and how to see more', async () => {
    for (let at = 0; at < 55; at += 1) await api.send('GET', `/nowhere/${at}`, { token: null });
    const { stdout, stderr } = await run(['log'], { terminal: true });
    expect(stdout.trimEnd().split('\n')).toHaveLength(51);
    expect(stdout).toContain('/nowhere/54');
    expect(stderr).toContain(`botctl sandbox log --limit 1000 --data ${sandbox.data}`);
    expect((await rowsOf<LoggedRequest>('log')).length).toBeGreaterThan(54);
  });

  it('reads more rows than a page has', async () => {
    const seen = await requestsFromNow(sandbox);
    const calls = 1050;
    for (let at = 0; at < calls; at += 50)
      await Promise.all(Array.from({ length: 50 }, () => api.send('GET', '/nowhere', { token: null })));
    const ids = (await seen()).map(({ request_id: id }) => id);
    expect(new Set(ids).size).toBe(calls);
    const rows = await rowsOf<LoggedRequest>('log', '--limit', '1020');
    expect(rows.map((row) => row.request_id)).toEqual(ids.slice(-1020));
  });

  it('counts --since by the sandbox’s clock', async () => {
    const [early, late] = [ownName(), ownName()];
    await api.send('GET', `/${early}`, { token: null });
    sandbox.advance(3 * 3_600_000);
    await api.send('GET', `/${late}`, { token: null });
    const paths = async (since: string) =>
      // Rows of earlier tests have other times.
      (await rowsOf<LoggedRequest>('log', '--since', since))
        .map(({ path }) => path)
        .filter((path) => [`/${early}`, `/${late}`].includes(path ?? ''));
    expect(await paths('1h')).toEqual([`/${late}`]);
    expect(await paths('4h')).toEqual([`/${early}`, `/${late}`]);
    sandbox.advance(200 * 366 * 86_400_000);
    expect(await paths('99999999999h')).toEqual([`/${early}`, `/${late}`]);
    const [{ time = '' } = {}] = await rowsOf<LoggedRequest>('log', '--limit', '1');
    expect(await paths(time)).toEqual([`/${late}`]);
    expect(await paths('2999-01-01T00:00:00Z')).toEqual([]);
  });

  it('follows as NDJSON in a pipe with --follow, until Ctrl-C', async () => {
    const [before, after] = [ownName(), ownName()];
    await api.send('GET', `/${before}`, { token: null });
    const ran = await follow(['log', '--limit', '1'], 2, () => api.send('GET', `/${after}`, { token: null }));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const rows: LoggedRequest[] = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ path }) => path)).toEqual([`/${before}`, `/${after}`]);
  });

  it.each([
    ['json', '[\n{', (text: string) => JSON.parse(text).map(({ path }: LoggedRequest) => path)],
    ['yaml', '---\n', (text: string) => [...text.matchAll(/^path: (.*)$/gm)].map(([, path]) => path)],
  ])('follows with -o %s, and ends as a whole document', async (format, mark, pathsOf) => {
    const [before, after] = [ownName(), ownName()];
    await api.send('GET', `/${before}`, { token: null });
    const args = ['log', '--limit', '1', '-o', format];
    const stop = new AbortController();
    let printed = '';
    let sent: Promise<unknown> | undefined;
    const ran = await run([...args, '--follow'], {
      signal: stop.signal,
      onOutput: (text) => {
        printed += text;
        if (printed.includes(before)) sent ??= api.send('GET', `/${after}`, { token: null });
        if (printed.includes(after)) stop.abort(new Failure('interrupted', 'Interrupted.'));
      },
    });
    await sent;
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(mark);
    expect(pathsOf(ran.stdout)).toEqual([`/${before}`, `/${after}`]);
  });

  it('exits with code 143 on SIGTERM', async () => {
    await api.send('GET', '/', { token: null });
    const reason = new Failure('terminated', 'Terminated.');
    const ran = await follow(['log', '--limit', '1'], 1, async () => undefined, reason);
    expect(ran.exitCode).toBe(143);
  });

  it('ends when the sandbox ends', async () => {
    const own = await startOwn(newData());
    await fetch(`${own.baseUrl}/`);
    let stopped: Promise<void> | undefined;
    const ran = await botctl(['sandbox', 'log', '--follow', '--data', own.data], {
      onOutput: () => {
        stopped ??= own.stop();
      },
    });
    await stopped;
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--since', 'tomorrow'], '--since'],
    [['--since', '2026-02-31'], '--since'],
    [['--limit', '0'], '--limit'],
  ])('refuses %j', async (args, words) => {
    expect(await run(['log', ...args])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  });
});

interface Message {
  readonly message?: string | undefined;
  readonly request_id?: string | undefined;
}

const texts = (rows: readonly Message[]) => rows.map(({ message }) => message);

describe('sandbox messages', () => {
  it('prints the accepted messages in order, with the request of each', async () => {
    const id = await pairedDevice();
    const seen = await requestsFromNow(sandbox);
    await send(id, 'one');
    const image = { image_url: 'https://shop.example/menu.jpg', image_mime_type: 'image/jpeg' };
    const options = { send_as_audio: true, ai_generates_message: true, ...image };
    await api.ok('sendMessage', { body: { device_id: id, destination_number: '5511988887778', ...options } });
    const [first, second] = await seen();
    expect(await rowsOf('messages')).toEqual([
      {
        id: expect.any(String),
        time: expect.any(String),
        device_id: id,
        name: 'Counter',
        destination_number: '5511988887777',
        message: 'one',
        send_as_audio: false,
        ai_generates_message: false,
        request_id: first?.request_id,
      },
      expect.objectContaining({ ...options, request_id: second?.request_id }),
    ]);
  });

  it('has the message of a send whose response was lost, and the log has no status for it', async () => {
    const id = await pairedDevice();
    await callControl(sandbox.control, '/fault/add', {
      target: 'sendMessage',
      effect: { kind: 'reset', when: 'after' },
    });
    const seen = await requestsFromNow(sandbox);
    await expect(send(id, 'lost')).rejects.toThrow();
    const [row] = await seen();
    expect(row).toMatchObject({ operation: 'sendMessage', fault: expect.stringContaining('reset after') });
    expect(row).not.toHaveProperty('status');
    expect(await rowsOf('messages')).toEqual([
      expect.objectContaining({ message: 'lost', request_id: row?.request_id }),
    ]);
  });

  it('filters by device and by number', async () => {
    const [one, other] = [await pairedDevice(), await pairedDevice()];
    await send(one, 'by one');
    await send(other, 'by the other', '5511988887778');
    await send(other, 'the last', '5511988887779');
    expect(texts(await rowsOf('messages', '--device', one))).toEqual(['by one']);
    expect(texts(await rowsOf('messages', '--device', other, '--limit', '1'))).toEqual(['the last']);
    expect(texts(await rowsOf('messages', '--to', '+55 (11) 98888-7778'))).toEqual(['by the other']);
    expect(texts(await rowsOf('messages', '--to', '+55 11 98888-0000'))).toEqual([]);
    expect(await run(['messages', '--device', 'Counter'])).toMatchObject({ exitCode: 2, stdout: '' });
    const near = await run(['messages', '--device', 'Countr']);
    expect(near).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Counter?') });
  });

  it('are printed since a time of the clock of the sandbox', async () => {
    const id = await pairedDevice();
    await send(id, 'early');
    sandbox.advance(2 * 3_600_000);
    await send(id, 'late');
    expect(texts(await rowsOf('messages', '--since', '1h'))).toEqual(['late']);
  });

  it('follows the messages to one number with --follow', async () => {
    const id = await pairedDevice();
    await send(id, 'before');
    const ran = await follow(['messages', '--to', '+5511988887777'], 2, async () => {
      await send(id, 'to another', '5511988887778');
      await send(id, 'after');
    });
    expect(ran.exitCode).toBe(0);
    const lines: Message[] = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(texts(lines)).toEqual(['before', 'after']);
  });
});
