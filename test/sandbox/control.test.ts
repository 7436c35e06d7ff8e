import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawCode } from '../../src/sandbox/code-picture.ts';
import { callControl, findControl } from '../../src/sandbox/control/client.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture, scanText } from '../support/scan.ts';
import { createTestApi } from './api.ts';
import { hangUp, talk } from './raw.ts';
import { createBot, createTeam } from './samples.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

async function post(
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { url, token } = sandbox.control;
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.reveal()}`, ...headers },
    body,
  });
}

describe('the control channel', () => {
  it('is found through the data directory', () => {
    const control = findControl(sandbox.data);
    expect(control.url).toBe(sandbox.control.url);
    expect(control.token.reveal()).toBe(sandbox.control.token.reveal());
    expect(readFileSync(join(sandbox.data, 'control.json'), 'utf8')).not.toContain(
      sandbox.keySecret.reveal(),
    );
  });

  it.each(['', 'Bearer ', 'Bearer wrong', 'Basic abc'])(
    'refuses the authorization "%s"',
    async (authorization) => {
      for (const path of ['/scan', '/phone', '/publish', '/clock', '/seed', '/nothing']) {
        const answer = await post(path, '{}', { authorization });
        expect(answer.status).toBe(401);
        expect(await answer.json()).toEqual({ error: expect.stringContaining('token') });
      }
    },
  );

  it('refuses tokens of the API, and the API refuses its token', async () => {
    const wrong = { ...sandbox.control, token: new Secret(await api.token()) };
    await expect(callControl(wrong, '/publish', { bot: 'any' })).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    const answer = await api.send('GET', '/api/openapi/v1/teams', { token: sandbox.control.token.reveal() });
    expect(answer.status).toBe(401);
  });

  it.each([
    ['/nothing', '{}', 404],
    ['//x:99999999/', '{}', 404],
    ['/%zz', '{}', 404],
    ['/__proto__', '{}', 404],
    ['/clock', '', 400],
    ['/clock', '{"action": "advance", "milliseconds": 1e99}', 400],
    ['/clock', '{"action": "advance", "milliseconds": 5, "other": 1}', 400],
    ['/clock', '{"action": "set", "time": "9999-12-31T23:59:59-01:00"}', 400],
    ['/publish', '{"bot": "\\u0000"}', 400],
    ['/clock', '['.repeat(200_000), 400],
    ['/clock', '{"__proto__": {"admin": true}, "action": "freeze"}', 400],
    ['/seed', '{"teams": 1e999, "bots": 0, "documents": 0}', 400],
    ['/log', '{"limit": 1, "after": "x"}', 400],
    ['/messages', '{"limit": 1, "device": "\\ud800"}', 400],
    ['/scan', '{"kind": "picture", "bytes": "", "phone_number": "12"}', 400],
    ['/scan', '{"kind": "picture", "bytes": "no base64"}', 400],
    ['/status', '', 400],
    ['/phone', '{"action": "eat", "device": "Counter"}', 400],
    ['/phone', '{"action": "online", "device": "Counter"}', 404],
    ['/phone', '{"action": "online", "device": "\\u0000"}', 400],
  ])('refuses %s with %s', async (path, body, status) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: expect.any(String) });
  });

  it.each([
    '{"limit": 1, "ago": 9007199254740991}',
    '{"limit": 1, "since": "9999-12-31T23:59:59-23:59"}',
    '{"limit": 1, "after": "999999999999999"}',
  ])('accepts the extreme query %s', async (body) => {
    for (const path of ['/log', '/messages']) {
      const answer = await post(path, body);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ rows: expect.any(Array) });
    }
  });

  it.each([
    ['a broken request', 'nonsense\r\n\r\n'],
    ['a head without end', `POST /status HTTP/1.1\r\nx: ${'x'.repeat(40_000)}`],
    ['two lengths', 'POST /status HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
  ])('answers %s once with 400, and serves the next caller', async (_, text) => {
    await hangUp(sandbox.control.url, text);
    const answers = await talk(sandbox.control.url, { pieces: [Buffer.from(text)], ends: true });
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect((await post('/status', '{}')).status).toBe(200);
  });

  it('accepts POST only', async () => {
    const answer = await fetch(`${sandbox.control.url}/clock`, {
      headers: { authorization: `Bearer ${sandbox.control.token.reveal()}` },
    });
    expect(answer.status).toBe(405);
  });

  it('refuses a picture that is too large', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024 + 1);
    await expect(scanPicture(sandbox.control, large)).rejects.toMatchObject({ kind: 'invalidInput' });
    await post('/scan', Buffer.alloc(12 * 1024 * 1024 + 1)).then(
      (answer) => expect(answer.status).toBe(413),
      // The server may answer and close the connection before everything was sent.
      (error: unknown) => expect(error).toBeInstanceOf(TypeError),
    );
    await expect(scanPicture(sandbox.control, drawCode('still there'))).rejects.toMatchObject({
      kind: 'rejected',
    });
  });
});

describe('the control channel', () => {
  it('refuses a picture without a pairing code', async () => {
    await expect(scanPicture(sandbox.control, Buffer.from('GIF89a'))).rejects.toMatchObject({
      kind: 'invalidInput',
    });
    await expect(scanText(sandbox.control, 'no code here')).rejects.toMatchObject({ kind: 'invalidInput' });
    await expect(scanPicture(sandbox.control, drawCode('https://shop.example'))).rejects.toMatchObject({
      kind: 'rejected',
    });
  });

  it('publishes a bot, until it is changed', async () => {
    const team = await createTeam(api);
    const { id } = await createBot(api, team.id, { name: 'Front desk' });
    expect(await callControl(sandbox.control, '/publish', { bot: 'Front desk' })).toEqual({
      bot_id: id,
      name: 'Front desk',
      published: true,
    });
    expect((await api.ok('getBot', { path: { id } })).data.published).toBe(true);
    await api.ok('updateBot', { path: { id }, body: { description: 'New' } });
    expect((await api.ok('getBot', { path: { id } })).data.published).toBe(false);
    await callControl(sandbox.control, '/publish', { bot: id });
    expect((await api.ok('getBot', { path: { id } })).data.published).toBe(true);
  });

  it('does not publish a bot by a name that several bots have', async () => {
    await expect(callControl(sandbox.control, '/publish', { bot: 'Nobody' })).rejects.toMatchObject({
      kind: 'notFound',
    });
    const team = await createTeam(api);
    const bots = [await createBot(api, team.id), await createBot(api, team.id)];
    await expect(callControl(sandbox.control, '/publish', { bot: 'Front desk' })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining(bots[1]?.id ?? ''),
    });
  });

  it('advances the clock, by which tokens expire and responses are dated', async () => {
    const token = await api.token();
    const { now } = await callControl(sandbox.control, '/clock', {
      milliseconds: 25 * 3_600_000,
    });
    expect(new Date(now).getTime() - Date.now()).toBeGreaterThan(24 * 3_600_000);
    expect((await api.send('GET', '/api/openapi/v1/teams', { token })).status).toBe(401);
    const { status, headers } = await api.send('GET', '/api/openapi/v1/teams');
    expect(status).toBe(200);
    // HTTP dates have whole seconds.
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.parse(now))).toBeLessThan(60_000);
  });

  it('aborts a call on its signal', async () => {
    const abort = new AbortController();
    abort.abort(new Error('left'));
    await expect(
      callControl({ ...sandbox.control, signal: abort.signal }, '/publish', { bot: 'any' }),
    ).rejects.toThrow('left');
  });
});
