import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { botctl } from '../support/botctl.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../support/scripted-server.ts';
import { id, setUp, type Writing, writings } from './writings.ts';

// A scripted server sends the signal when a call has arrived, and then answers: a fault's delay would end by the clock.

/** Runs a command that a signal interrupts during its call. */
async function ended(
  writing: Writing,
  reaction: (signals: { readonly urgent: AbortController }) => Reaction,
  kind: 'interrupted' | 'terminated' = 'interrupted',
) {
  const { route, answer } = writing;
  const server = await startScriptedServer();
  const signal = new AbortController();
  const urgent = new AbortController();
  const words = setUp(server, writing);
  const then = reaction({ urgent });
  let requests = 0;
  server.on(route, (request, response) => {
    signal.abort(new Failure(kind, kind === 'interrupted' ? 'Interrupted.' : 'Terminated.'));
    requests = server.seen.length;
    return typeof then === 'function' ? then(request, response) : then;
  });
  const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the-secret-of-k' };
  const ends = { signal: signal.signal, urgent: urgent.signal };
  const ran = await botctl([...words, '-o', 'json'], { env, ...ends });
  const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
  return { ...ran, error, answer, after: server.seen.slice(requests) };
}

describe.each(Object.entries(writings))('%s, interrupted by a signal during its call', (_name, writing) => {
  const { result = id } = writing;

  it('prints the result as usual, starts no other call, and exits with the code of the signal', async () => {
    const { exitCode, stdout, stderr, error, after } = await ended(writing, () => success(writing.answer));
    if (result !== null) expect(stdout, stderr).toContain(result);
    else expect(error.next).toEqual([['botctl', 'device', 'status', id]]);
    expect(after).toEqual([]);
    expect(stderr).toContain('Waiting up to 3 s for the response to the current call');
    expect({ exitCode, error }).toMatchObject({ exitCode: 130, error: { code: 'INTERRUPTED', exit: 130 } });
  });

  it('reports what may have happened and how to check, if no response arrives', async () => {
    const silent: Parameters<typeof ended>[1] =
      ({ urgent }) =>
      () =>
        urgent.abort();
    const { exitCode, stdout, error, after } = await ended(writing, silent, 'terminated');
    expect(stdout).not.toContain('botsecret');
    expect(after).toEqual([]);
    const [method, path] = writing.route.split(' ');
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      exit: 143,
      message: expect.stringMatching(/^Terminated\. It is not known whether /),
      hint: expect.stringMatching(/\w/),
      details: { in_flight: [{ method, path }] },
    });
    // Only documents are named after a file.
    if (path?.endsWith('/documents')) {
      expect(error.details.in_flight[0].name).toBe('menu.txt');
      expect(error.next).toContainEqual(['botctl', 'docs', 'list', '--name', 'menu.txt']);
    }
    expect(exitCode).toBe(143);
  });

  it('reports that too if the connection breaks or the service fails', async () => {
    const reset: Reaction = (_request, response) => void response.socket?.resetAndDestroy();
    for (const reaction of [reset, refusal(500, 'INTERNAL_ERROR', 'oops')]) {
      const { exitCode, error, after } = await ended(writing, () => reaction);
      expect({ exitCode, after }).toEqual({ exitCode: 130, after: [] });
      expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { in_flight: [{}] } });
    }
  });

  it('reports a refusal as such', async () => {
    const no = refusal(400, 'BAD_REQUEST', 'no such thing');
    const { exitCode, error } = await ended(writing, () => no);
    expect(exitCode).toBe(130);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', exit: 130 });
    expect(error.message).toContain('no such thing');
  });
});
