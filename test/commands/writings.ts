import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/botctl.ts';
import { type ScriptedServer, success } from '../support/scripted-server.ts';

export const id = '11111111-1111-4111-8111-111111111111';
export const other = '22222222-2222-4222-8222-222222222222';
export const api = '/api/openapi/v1';
const page = { page: 1, limit: 100, total: 0, totalPages: 1 };

/** A command that writes: its words, the call that takes effect, and its answer. */
export interface Writing {
  readonly line: readonly string[];
  readonly route: string;
  readonly answer: object;
  /** The part of the result that identifies it; its id by default, or null if the outcome is not yet known. */
  readonly result?: string | null;
}

const team = { id, name: 'Acme', plan_name: 'pro', user: { id: other } };
const bot = { id, name: 'Desk', role: 'sales', published: false, team_id: other };
const admin = ['--admin-name', 'Ana', '--admin-email', 'ana@a.example', '--admin-phone', '+5511999990000'];

/** One command of each kind that writes. */
export const writings: Readonly<Record<string, Writing>> = {
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
  // Its answer lacks the sent fields, so the bot would be read again.
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

/** Answers the reads of the commands before they write. Returns the words of the command, with a file to upload. */
export function setUp(server: ScriptedServer, { line }: Writing): readonly string[] {
  for (const list of ['teams', 'bots', 'documents']) server.on(`GET ${api}/${list}`, success([], page));
  server.on(`GET ${api}/teams/${id}`, success({ ...team, name: 'Old' }));
  server.on(`GET ${api}/bots/${id}`, success({ ...bot, instructions: 'Be quick.' }));
  server.on(`GET ${api}/documents/${id}`, success({ id, name: 'old.txt' }));
  server.on(`GET ${api}/api-keys/key-2`, success({ key_id: 'key-2', name: 'ci' }));
  server.on(
    `GET ${api}/devices/${id}/status`,
    success({ device_id: id, status: 'started', connected: true }),
  );
  const file = join(temporaryDirectory(), 'menu.txt');
  writeFileSync(file, 'soup');
  return line.map((word) => (word === 'FILE' ? file : word));
}
