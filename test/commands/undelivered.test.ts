import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, answerInTurn, answerText, refuse } from '../support/answer.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';
import { api, id, other, setUp, type Writing, writings } from './writings.ts';

// A scripted server answers each command with the data that is written beside it.

/** Runs a command whose result can't be written. */
async function undelivered(writing: Writing, unwritable: 'ENOSPC' | 'EPIPE') {
  const server = await startScriptedServer();
  const words = setUp(server, writing);
  server.on(writing.route, success(writing.answer));
  server.on(`POST ${api}/devices/${id}/disconnect`, () => {
    server.on(`GET ${api}/devices/${id}/status`, success({ device_id: id, status: 'stopped' }));
    return success(writing.answer);
  });
  server.on(`DELETE ${api}/api-keys/key-2`, success({ key_id: 'key-2' }));
  const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the-secret-of-k' };
  const ran = await botctl([...words, '--error-format', 'json'], { env, unwritable });
  const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
  return { ...ran, error, server };
}

describe.each(['ENOSPC', 'EPIPE'] as const)('if stdout ends with %s', (code) => {
  const others = Object.entries(writings).filter(([name]) => name !== 'keys create');

  it.each(others)('%s is done, and prints its id on stderr', async (name, writing) => {
    const { exitCode, error, stderr, server } = await undelivered(writing, code);
    expect({ exitCode, error }, stderr).toMatchObject({
      exitCode: 10,
      error: { code: 'OUTPUT_FAILED', exit: 10 },
    });
    expect(server.seenAt(writing.route)).toHaveLength(1);
    expect(error.message).toContain(
      code === 'ENOSPC' ? 'the disk is full' : 'the reader has closed the pipe',
    );
    const { key_id: key } = { key_id: undefined, ...writing.answer };
    if (name !== 'api POST') expect(error.details.ids).toEqual([key ?? id]);
  });

  const shown = (...more: readonly string[]): Writing => {
    const { route, answer } = writings['device create'] ?? { route: '', answer: {} };
    const line = [
      'device',
      'create',
      '--team',
      other,
      '--bot',
      id,
      '--name',
      'Till',
      '--show-token',
      ...more,
    ];
    return { line, route, answer };
  };

  it('a new device remains, and its unprinted token is reported as lost', async () => {
    const { exitCode, error, stderr, server } = await undelivered(shown(), code);
    expect({ exitCode, error }, stderr).toMatchObject({
      exitCode: 10,
      error: {
        code: 'OUTPUT_FAILED',
        message: expect.stringMatching(
          `^Device ${id} was created, but its token could not be written and is lost: .*\\. It can't be shown again\\.$`,
        ),
        hint: expect.stringContaining(
          `botctl device create --team ${other} --bot ${id} --name Till --allow duplicate --secret-file FILE`,
        ),
        next: [['botctl', 'device', 'connect', id]],
        details: { ids: [id] },
      },
    });
    expect(server.seenAt(`POST ${api}/devices`)).toHaveLength(1);
    expect(stderr).not.toContain('token-of-the-till');
  });

  it('a new device with its token in a file too has lost none', async () => {
    const file = join(temporaryDirectory(), 'till.token');
    const { exitCode, error } = await undelivered(shown('--secret-file', file), code);
    expect({ exitCode, error }).toMatchObject({ exitCode: 10, error: { code: 'OUTPUT_FAILED' } });
    expect(error.message).toContain("The work is done, but its result can't be written");
    expect(readFileSync(file, 'utf8').trim()).toBe('token-of-the-till');
  });

  it('a new key with an unprinted secret is deleted again', async () => {
    const writing = writings['keys create'];
    if (!writing) throw new Error('there is no such command');
    const { exitCode, error, stderr, server } = await undelivered(writing, code);
    expect({ exitCode, error }).toMatchObject({ exitCode: 10, error: { code: 'OUTPUT_FAILED' } });
    expect(error.message).toContain('The new key key-2 was deleted again.');
    expect(server.seenAt(`DELETE ${api}/api-keys/key-2`)).toHaveLength(1);
    expect(stderr).not.toContain('botsecret_of_the_test');
  });
});

describe('if a response is nested too deeply to be printed', () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const sandbox = useSandbox();

  it('a new key with an unprinted secret is deleted again', async () => {
    const key = '"key_id":"key-2","key_secret":"botsecret_of_the_test"';
    const made = answerText(`{"success":true,"data":{${key},"more":${deep}}}`);
    await answerInTurn(sandbox, 'createKey', made);
    await answerInTurn(sandbox, 'deleteKey', answer({ key_id: 'key-2' }));
    const seen = await requestsFromNow(sandbox);
    const line = ['keys', 'create', '--name', 'ci', '--show-secret', '-o', 'json'];
    const ran = await botctl(line, { env: sandbox.env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10, stdout: '' });
    expect(ran.stderr).toContain('it is nested too deeply');
    expect(ran.stderr).toContain('The new key key-2 was deleted again.');
    expect(ran.stderr).not.toContain('botsecret_of_the_test');
    expect((await seen()).filter(({ operation }) => operation === 'deleteKey')).toHaveLength(1);
  });

  it('messages after the result are printed too', async () => {
    const stored = `{"id":"${id}","name":"a.txt","more":${deep}}`;
    const full = refuse(400, 'BAD_REQUEST', 'The quota is used up.');
    await answerInTurn(sandbox, 'createDocument', answerText(`{"success":true,"data":${stored}}`), full);
    const files = ['a.txt', 'b.txt'].map((name) => join(temporaryDirectory(), name));
    for (const file of files) writeFileSync(file, 'text');
    const options = ['--team', other, '--allow', 'duplicate', '--concurrency', '1'];
    const line = ['docs', 'upload', ...files, ...options, '-o', 'json'];
    const ran = await botctl(line, { env: sandbox.env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10, stdout: '' });
    const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'OUTPUT_FAILED', details: { ids: [id] } });
    expect(error.message).toMatch(/it is nested too deeply\. Uploaded 1 of 2 files\. b\.txt failed: .*quota/);
    expect(error.next).toContainEqual(expect.arrayContaining(['upload', files[1]]));
  });
});

const creates = Object.entries(writings).filter(([name]) => name.endsWith(' create'));

it.each(creates)('%s treats a response without an id as a lost one', async (_, writing) => {
  const server = await startScriptedServer();
  const { route } = writing;
  const words = setUp(server, writing);
  server.on(route, success({}));
  const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the-secret-of-k' };
  const ran = await botctl([...words, '-o', 'id'], { env });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 12, stdout: '' });
  expect(server.seenAt(route).filter(({ method }) => method === 'POST')).toHaveLength(1);
});
