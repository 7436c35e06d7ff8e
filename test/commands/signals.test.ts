import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../support/scripted-server.ts';

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const api = '/api/openapi/v1';
const page = { page: 1, limit: 100, total: 0, totalPages: 1 };

/** A command that writes: how it is typed, the call that takes effect, and its answer. */
interface Writing {
  readonly line: readonly string[];
  readonly route: string;
  readonly answer: object;
  /** Stands in the result; its id if not given, or null where nobody can tell yet what came of it. */
  readonly result?: string | null;
}

const team = { id, name: 'Acme', plan_name: 'pro', user: { id: other } };
const bot = { id, name: 'Desk', role: 'sales', published: false, team_id: other };
const admin = ['--admin-name', 'Ana', '--admin-email', 'ana@a.example', '--admin-phone', '+5511999990000'];

const writings: Readonly<Record<string, Writing>> = {
  'teams create': {
    line: ['teams', 'create', '--name', 'Acme', '--plan', 'pro', ...admin],
    route: `POST ${api}/teams`,
    answer: { team, user: { id: other, name: 'Ana' } },
  },
  'teams update': {
    line: ['teams', 'update', id, '--name', 'Acme'],
    route: `PATCH ${api}/teams/${id}`,
    answer: { team: { id }, changes: ['name'] },
  },
  'bots create': {
    line: ['bots', 'create', '--team', other, '--name', 'Desk'],
    route: `POST ${api}/bots`,
    answer: bot,
  },
  // Its answer lacks what was sent, so that the bot would be read again.
  'bots update': {
    line: ['bots', 'update', id, '--instructions', 'Be kind.'],
    route: `PATCH ${api}/bots/${id}`,
    answer: bot,
  },
  'bots delete': {
    line: ['bots', 'delete', id, '--confirm', id],
    route: `DELETE ${api}/bots/${id}`,
    answer: { id },
  },
  'docs upload': {
    line: ['docs', 'upload', 'FILE', '--team', other],
    route: `POST ${api}/documents`,
    answer: { id, name: 'menu.txt', team_id: other },
  },
  'docs rename': {
    line: ['docs', 'rename', id, 'new.txt'],
    route: `PATCH ${api}/documents/${id}`,
    answer: { id, name: 'new.txt' },
  },
  'keys create': {
    line: ['keys', 'create', '--name', 'ci', '--show-secret'],
    route: `POST ${api}/api-keys`,
    answer: { key_id: 'key-2', key_secret: 'botsecret_of_the_test', name: 'ci' },
    result: 'botsecret_of_the_test',
  },
  'keys delete': {
    line: ['keys', 'delete', 'key-2', '--confirm', 'key-2'],
    route: `DELETE ${api}/api-keys/key-2`,
    answer: { key_id: 'key-2' },
    result: 'key-2',
  },
  'device create': {
    line: ['device', 'create', '--team', other, '--bot', id, '--name', 'Till', '--discard-token'],
    route: `POST ${api}/devices`,
    answer: { id, name: 'Till', token: 'token-of-the-till' },
  },
  'device disconnect': {
    line: ['device', 'disconnect', id, '--yes'],
    route: `POST ${api}/devices/${id}/disconnect`,
    answer: { device_id: id, status: 'stopped' },
    result: null,
  },
  send: {
    line: ['send', '--device', id, '--to', '+5511999990000', '--message', 'Hi'],
    route: `POST ${api}/send`,
    answer: { device_id: id, status: 'accepted' },
    result: id,
  },
  'api POST': {
    line: ['api', 'POST', `${api}/anything`, '--set', 'a=1'],
    route: `POST ${api}/anything`,
    answer: { id },
  },
};

/** Runs a command that a signal ends while its call is under way. */
async function ended(
  { line, route, answer }: Writing,
  reaction: (signals: { readonly urgent: AbortController }) => Reaction,
  kind: 'interrupted' | 'terminated' = 'interrupted',
) {
  const server = await startScriptedServer();
  const signal = new AbortController();
  const urgent = new AbortController();
  for (const list of ['teams', 'bots', 'documents']) server.on(`GET ${api}/${list}`, success([], page));
  server.on(`GET ${api}/teams/${id}`, success({ ...team, name: 'Old' }));
  server.on(`GET ${api}/bots/${id}`, success({ ...bot, instructions: 'Be quick.' }));
  server.on(`GET ${api}/documents/${id}`, success({ id, name: 'old.txt' }));
  server.on(`GET ${api}/api-keys/key-2`, success({ key_id: 'key-2', name: 'ci' }));
  server.on(
    `GET ${api}/devices/${id}/status`,
    success({ device_id: id, status: 'started', connected: true }),
  );
  const then = reaction({ urgent });
  let requests = 0;
  server.on(route, (request, response) => {
    signal.abort(new Failure(kind, kind === 'interrupted' ? 'Interrupted.' : 'Terminated.'));
    requests = server.seen.length;
    return typeof then === 'function' ? then(request, response) : then;
  });
  const file = join(temporaryDirectory(), 'menu.txt');
  writeFileSync(file, 'soup');
  const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the-secret-of-k' };
  const words = line.map((word) => (word === 'FILE' ? file : word));
  const ends = { signal: signal.signal, urgent: urgent.signal };
  const ran = await botctl([...words, '-o', 'json'], { env, ...ends });
  const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
  return { ...ran, error, answer, after: server.seen.slice(requests) };
}

describe.each(Object.entries(writings))(
  '%s, ended by a signal while its call is under way',
  (_name, writing) => {
    const { result = id } = writing;

    it('prints the result as always, begins no other call, and ends with the code of the signal', async () => {
      const { exitCode, stdout, stderr, error, after } = await ended(writing, () => success(writing.answer));
      if (result !== null) expect(stdout, stderr).toContain(result);
      else expect(error.next).toEqual([['botctl', 'device', 'status', id]]);
      expect(after).toEqual([]);
      expect(stderr).toContain('Waiting up to 3 s for the answer to the call under way');
      expect({ exitCode, error }).toMatchObject({ exitCode: 130, error: { code: 'INTERRUPTED', exit: 130 } });
    });

    it('says what may have happened and how to look, where no answer comes', async () => {
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
      expect(exitCode).toBe(143);
    });

    it('says so too where the connection breaks, or the service fails', async () => {
      const reset: Reaction = (_request, response) => void response.socket?.resetAndDestroy();
      for (const reaction of [reset, refusal(500, 'INTERNAL_ERROR', 'oops')]) {
        const { exitCode, error, after } = await ended(writing, () => reaction);
        expect({ exitCode, after }).toEqual({ exitCode: 130, after: [] });
        expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { in_flight: [{}] } });
      }
    });

    it('tells a refusal as one', async () => {
      const no = refusal(400, 'BAD_REQUEST', 'no such thing');
      const { exitCode, error } = await ended(writing, () => no);
      expect(exitCode).toBe(130);
      expect(error).toMatchObject({ code: 'BAD_REQUEST', exit: 130 });
      expect(error.message).toContain('no such thing');
    });
  },
);
