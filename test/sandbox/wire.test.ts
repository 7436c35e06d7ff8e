import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, expectRefusal, issuePaths } from './api.ts';
import { expectRawRefusal, hangUp, type RawAnswer, talk } from './raw.ts';
import { createDocument, createTeam, documentForm, teamBody } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const teams = '/api/openapi/v1/teams';
const documents = '/api/openapi/v1/documents';

/** Returns the responses until the service closes the connection. */
const raw = (text: string): Promise<RawAnswer[]> => talk(sandbox.baseUrl, { pieces: [Buffer.from(text)] });

describe('a value that cannot be stored as it was sent', () => {
  it('as an integer beyond 2^53 is refused, not rounded', async () => {
    const { id: team_id } = await createTeam(api);
    const action = (value: string) =>
      `{"team_id":"${team_id}","name":"Desk","actions":[{"name":"a","description":"","endpoint":"https://x.example","method":"POST","headers":{},"body":[{"key":"k","value":${value},"type":"number"}]}]}`;
    const create = (value: string) => api.send('POST', '/api/openapi/v1/bots', { body: action(value) });
    expectRefusal(await create('9007199254740993'), 'BAD_REQUEST');
    expect(await create('9007199254740991')).toMatchObject({ status: 200 });
  });
});

describe('a broken request', () => {
  it.each([
    ['a line of words', 'hello there\r\n\r\n'],
    ['a header without colon', `GET ${teams} HTTP/1.1\r\nnonsense\r\n\r\n`],
    ['a head without end', `GET ${teams} HTTP/1.1\r\nx: ${'x'.repeat(40_000)}`],
    ['two lengths', `POST ${teams} HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'a length and chunks',
      `POST ${teams} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a broken chunk', `POST ${teams} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('is answered once in the envelope, and nothing after it is served: %s', async (_, text) => {
    const known = `Host: x\r\nAuthorization: Bearer ${await api.token()}`;
    const body = JSON.stringify(teamBody());
    const hidden = `POST ${teams} HTTP/1.1\r\n${known}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const answers = await raw(text.replace('Host: x', known) + hidden);
    expect(answers).toHaveLength(1);
    expect(expectRawRefusal(answers[0], 400, 'BAD_REQUEST')).toMatch(/^x-request-id: [\da-f]{12}$/m);
    expect((await api.ok('listTeams')).meta.total).toBe(0);
  });

  it('is not answered instead of the complete request before it', async () => {
    const head = `GET ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await api.token()}\r\n\r\n`;
    expect(await raw(`${head}nonsense\r\n\r\n`)).toEqual([]);
  });
});

describe('connections', () => {
  it('answer their requests in order', async () => {
    const known = `Host: x\r\nAuthorization: Bearer ${await api.token()}\r\n`;
    const create = (body: string): string =>
      `POST ${teams} HTTP/1.1\r\n${known}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\n${known}${header}\r\n`;
    const answers = await raw(
      create(JSON.stringify(teamBody())) +
        get('/nowhere') +
        get('/healthz') +
        create('{}') +
        get(teams, 'Connection: close\r\n'),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 400, 200]);
  });

  it('answer Expect: 100-continue, as curl sends it', async () => {
    const body = JSON.stringify(teamBody());
    const head = `POST ${teams} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${await api.token()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const answers = await raw(`${head}Expect: 100-continue\r\n\r\n${body}`);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it.each([
    ['in a body', `POST ${teams} HTTP/1.1\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{`],
  ])('survive callers that hang up %s', async (_, text) => {
    const bytes = text.replaceAll('TOKEN', await api.token());
    for (let times = 0; times < 3; times += 1) await hangUp(sandbox.baseUrl, bytes);
    await api.ok('listTeams');
  });

  it('leave no file of an upload that was aborted', async () => {
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
    const head = `POST ${documents} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await api.token()}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n`;
    const { hostname, port } = new URL(sandbox.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(`${head}${part}${'x'.repeat(100_000)}`);
    const stored = () => readdirSync(sandbox.files);
    await eventually(() => stored().length === 1);
    socket.resetAndDestroy();
    await eventually(() => stored().length === 0);
  });
});

describe('JSON bodies', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) =>
    api.send('POST', teams, { body, headers });

  it('name every member that is wrong', async () => {
    const body = '{"user": 3, "__proto__": {"polluted": true}, "constructor": 1}';
    const refusal = expectRefusal(await post(body), 'BAD_REQUEST');
    expect(issuePaths(refusal)).toEqual(['user', 'team', '__proto__', 'constructor']);
    expect(refusal.error).toMatch(/and 1 more\.$/);
    expect('polluted' in {}).toBe(false);
  });

  it('are refused when they are larger than 1 MiB, announced or not', async () => {
    const large = `{"user":"${'x'.repeat(5_000_000)}"}`;
    expect(expectRefusal(await post(large), 'BAD_REQUEST').error).toContain('1048576');
    const head = `POST ${teams} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${await api.token()}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const [answer] = await raw(`${head}${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`);
    expectRawRefusal(answer, 400, 'BAD_REQUEST');
    await api.ok('listTeams');
  });
});

describe('queries', () => {
  it.each([
    ['page=1&page=1', 'page'],
    ['limit=101', 'limit'],
    ['paying=1', 'paying'],
    ['name=%00', 'name'],
  ])('refuse ?%s', async (query, path) => {
    const refusal = expectRefusal(await api.send('GET', `${teams}?${query}`), 'BAD_REQUEST');
    expect(issuePaths(refusal)).toEqual([path]);
    expect(refusal.error).toContain(path);
  });

  it('are parsed as form data', async () => {
    await createTeam(api, { name: 'A + B' });
    const { body } = await api.send('GET', `${teams}?name=a+%2B%20b&`);
    expect(body).toMatchObject({ meta: { total: 1 } });
  });
});

describe('an unexpected error', () => {
  it('is answered as an internal error without internal details, and changes nothing', async () => {
    const { id } = await createTeam(api);
    const files = sandbox.files;
    rmSync(files, { recursive: true });
    const refusal = await api.refused('createDocument', 'INTERNAL_ERROR', { form: documentForm(id) });
    mkdirSync(files);
    expect((await api.ok('listDocuments')).meta.total).toBe(0);
    expect(JSON.stringify(refusal)).not.toContain(sandbox.data);
    expect(sandbox.takeUnexpected()).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
    await createDocument(api, id);
  });
});

describe('every response', () => {
  it('is JSON that must not be cached', async () => {
    const { headers } = await api.send('GET', teams);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
