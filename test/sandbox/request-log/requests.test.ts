import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { maskedUrl } from '../../../src/sandbox/request-log/masked-url.ts';
import { startSandbox } from '../../../src/sandbox/start.ts';
import { mask } from '../../../src/secrets/secret.ts';
import { eventually } from '../../support/eventually.ts';
import { readWholeLog, requestsFromNow } from '../../support/requests.ts';
import { newData, useSandbox } from '../../support/sandbox.ts';
import { createTestApi } from '../api.ts';
import { expectRawRefusal, talk } from '../raw.ts';
import { teamBody } from '../samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);
const teams = '/api/openapi/v1/teams';

describe('the request log', () => {
  it('has a row for each request, as its response was sent', async () => {
    const token = await api.token();
    const seen = await requestsFromNow(sandbox);
    const body = JSON.stringify(teamBody());
    const created = await api.send('POST', teams, { token, body });
    const listed = await api.send('GET', `${teams}?limit=5`, { token });
    const refused = await api.send('DELETE', '/nowhere', { token: null });
    const [post, list, nowhere, ...others] = await seen();
    expect(others).toEqual([]);
    expect(post).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      request_id: created.headers.get('x-request-id'),
      operation: 'createTeam',
      method: 'POST',
      path: teams,
      status: 200,
      duration_ms: expect.any(Number),
      key_id: sandbox.keyId,
      request_bytes: Buffer.byteLength(body),
      response_bytes: Number(created.headers.get('content-length')),
    });
    expect(list).toMatchObject({
      request_id: listed.headers.get('x-request-id'),
      operation: 'listTeams',
      path: `${teams}?limit=5`,
    });
    expect(nowhere).toEqual({
      time: expect.any(String),
      request_id: refused.headers.get('x-request-id'),
      method: 'DELETE',
      path: '/nowhere',
      status: 404,
      duration_ms: expect.any(Number),
      response_bytes: expect.any(Number),
    });
  });

  it('uses the sandbox’s clock, and names the key only if its token is valid', async () => {
    const seen = await requestsFromNow(sandbox);
    sandbox.advance(48 * 3_600_000);
    await api.send('GET', teams, { token: 'nonsense' });
    const [row] = await seen();
    expect(row).toMatchObject({ status: 401, operation: 'listTeams' });
    expect(row).not.toHaveProperty('key_id');
    expect(Date.parse(row?.time ?? '')).toBeGreaterThan(Date.now() + 47 * 3_600_000);
    const hour = 3_600_000;
    // Earlier tests may have logged more rows than one page scans.
    expect(await readWholeLog(sandbox, { ago: hour })).toEqual([row]);
  });

  it('has a row for a broken request, with the id of its response', async () => {
    const seen = await requestsFromNow(sandbox);
    const [answer] = await talk(sandbox.baseUrl, { pieces: [Buffer.from('hello there\r\n\r\n')] });
    const head = expectRawRefusal(answer, 400, 'BAD_REQUEST');
    expect(await seen()).toEqual([
      {
        time: expect.any(String),
        request_id: /^x-request-id: (\w+)$/m.exec(head)?.[1],
        status: 400,
        duration_ms: expect.any(Number),
        response_bytes: expect.any(Number),
      },
    ]);
  });

  it('has one row for a request whose caller hung up', async () => {
    const token = await api.token();
    const seen = await requestsFromNow(sandbox);
    const { hostname, port } = new URL(sandbox.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const head = `POST ${teams} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`;
    // A connection reset would discard unread bytes; a normal end arrives after them.
    socket.end(head);
    await eventually(async () => (await seen()).length > 0);
    await api.ok('listTeams', { token });
    expect(await seen()).toEqual([
      expect.objectContaining({ operation: 'createTeam', request_bytes: 100 }),
      expect.objectContaining({ operation: 'listTeams' }),
    ]);
  });

  it('masks secrets in a URL', async () => {
    const token = await api.token();
    const secret = sandbox.keySecret.reveal();
    const seen = await requestsFromNow(sandbox);
    const encoded = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    for (const path of [
      `${teams}?access_token=${token}&name=x`,
      `${teams}?name=${secret}`,
      `${teams}?name=${encoded}`,
      `${teams}/${secret}`,
      `${teams}?%74oken=short&key_secret=quiet%zz`,
    ])
      await api.send('GET', path, { token: null });
    const rows = await seen();
    const told = JSON.stringify(rows);
    for (const part of [secret, encoded, token, 'short', 'quiet']) expect(told).not.toContain(part);
    expect(rows.map(({ path }) => path)).toEqual([
      `${teams}?access_token=${mask}&name=x`,
      `${teams}?name=${mask}`,
      `${teams}?name=${mask}`,
      `${teams}/${mask}`,
      `${teams}?%74oken=${mask}&key_secret=${mask}`,
    ]);
  });

  it.each(['/', teams, `${teams}?name=a%20b&limit=5&q`, `${teams}?name=%ff%zz`, '*', 'http://x/?a=b&c'])(
    'keeps the URL %s unchanged',
    (url) => expect(maskedUrl(url)).toBe(url),
  );

  it('refuses an invalid cursor or limit', async () => {
    const after = 'nonsense';
    await expect(callControl(sandbox.control, '/log', { after, limit: 1 })).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    await expect(callControl(sandbox.control, '/log', { limit: 0 })).rejects.toMatchObject({
      kind: 'invalidInput',
    });
  });

  it('ends a wait with the next request, or when its caller leaves', async () => {
    const { cursor: after } = await callControl(sandbox.control, '/log', { last: 1, limit: 1 });
    const waiting = callControl(sandbox.control, '/log', { after, limit: 10, wait: 20_000 });
    await api.send('GET', '/nowhere', { token: null });
    const page = await waiting;
    expect(page).toMatchObject({ rows: [{ path: '/nowhere' }], ended: false });
    const enough = new AbortController();
    const next = callControl({ ...sandbox.control, signal: enough.signal }, '/log', {
      after: page.cursor,
      limit: 10,
      wait: 20_000,
    });
    enough.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});

describe('a sandbox of its own', () => {
  const start = (data: string) => startSandbox({ host: '127.0.0.1', port: 0, data, phone: 'manual' });

  it('shows its requests from before a restart, and ends a waiting reader when it stops', async () => {
    const data = newData();
    const first = await start(data);
    await fetch(`${first.baseUrl}/before`);
    const { cursor: after, rows } = await callControl(first.control, '/log', { limit: 10 });
    expect(rows).toHaveLength(1);
    const waiting = callControl(first.control, '/log', { after, limit: 10, wait: 20_000 });
    // This call ensures that the waiting one has arrived before the sandbox stops.
    await callControl(first.control, '/log', { limit: 1 });
    await first.stop();
    expect(await waiting).toMatchObject({ rows: [], ended: true });
    const second = await start(data);
    await fetch(`${second.baseUrl}/after`);
    const all = await callControl(second.control, '/log', { limit: 10 });
    expect(all.rows.map(({ path }) => path)).toEqual(['/before', '/after']);
    await second.stop();
  });
});
