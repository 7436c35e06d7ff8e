import { describe, expect, it } from 'vitest';
import { usePlace } from './every-command/place.ts';

const place = usePlace();

/** An everyday task, the first command that a user of gh, kubectl or stripe types for it, and a part of its output. */
type Task = readonly [task: string, line: readonly string[], answer: string | RegExp];

/** Tasks whose first command works. */
const working: readonly Task[] = [
  ['list the teams', ['teams', 'list'], 'Aurora Coffee'],
  ['list them by the singular', ['team', 'ls'], 'Aurora Coffee'],
  ['find a team by a part of its name', ['teams', 'list', 'aurora'], 'Aurora Coffee'],
  ['search for it', ['teams', 'search', 'aurora'], 'Aurora Coffee'],
  ['look at a team', ['team', 'describe', 'Aurora Coffee'], 'starter'],
  [
    'create a team',
    [
      ...['teams', 'create', 'Blue Note', '--plan', 'starter', '--admin-name', 'Ana'],
      ...['--admin-email', 'ana@blue.example', '--admin-phone', '+5511987654321'],
    ],
    'Blue Note',
  ],
  ['list bots as JSON', ['bots', 'list', '-o', 'json'], '"Front desk"'],
  ['list the bots of a team', ['bot', 'list', '--team', 'Aurora Coffee'], 'Night desk'],
  ['look at a bot', ['bots', 'get', 'Front desk'], 'Front desk'],
  ['create a bot', ['bots', 'create', 'Concierge', '--team', 'Aurora Coffee'], 'Concierge'],
  ['remove a bot in a script', ['bot', 'rm', 'Night desk', '--confirm', 'Night desk'], 'Night desk'],
  ['list the documents of a bot', ['bots', 'docs', 'list', 'Front desk'], 'menu.txt'],
  ['list documents', ['docs', 'list'], 'menu.txt'],
  ['upload a document', ['docs', 'upload', 'prompt.txt', '--team', 'Aurora Coffee'], 'prompt.txt'],
  ['list devices', ['devices', 'list'], 'Reception'],
  ['see the state of a device', ['device', 'get', 'Reception'], 'ready'],
  [
    'create a device',
    ['device', 'create', 'Kitchen', '--team', 'Aurora Coffee', '--bot', 'Front desk', '--discard-token'],
    'Kitchen',
  ],
  [
    'create one where the bot is known',
    ['device', 'create', 'Garden', '--bot', 'Front desk', '--discard-token'],
    'Garden',
  ],
  ['watch a device', ['device', 'watch', 'Reception', '--timeout', '1s'], '"connected"'],
  ['watch it by an option', ['device', 'status', 'Reception', '--watch', '--timeout', '1s'], '"connected"'],
  ['send a message', ['send', 'Reception', '+5511988887777', 'hello'], 'device_id'],
  [
    'prepare a campaign',
    ['campaigns', 'create', 'may', '--recipients', 'people.csv', '--device', 'Reception', '--message', 'Hi'],
    'may',
  ],
  ['see how a campaign goes', ['campaigns', 'status', 'spring'], 'spring'],
  ['create a key for CI', ['keys', 'create', 'deploy', '--secret-file', 'deploy.secret'], 'deploy'],
  ['list keys', ['key', 'list'], 'ci'],
  ['see who I am', ['whoami'], 'sandbox'],
  ['list profiles', ['profile', 'list'], 'sandbox'],
  ['read from the API', ['api', 'GET', '/api/openapi/v1/teams'], 'Aurora Coffee'],
  ['fill the sandbox', ['sandbox', 'seed'], /documents\t5/],
  ['read about QR codes', ['help', 'qr'], 'QR'],
];

/** Tasks whose first command is answered with one that works. */
const answered: readonly Task[] = [
  ['see the quotas of a team', ['teams', 'quota', 'Aurora Coffee'], 'quotas'],
  ['list the documents of a bot, in short', ['bots', 'docs', 'Front desk'], 'menu.txt'],
  ['download a document', ['docs', 'download', 'menu.txt'], 'menu.txt'],
  ['sign in status, as gh has it', ['auth', 'status'], 'sandbox'],
  ['list with --json, as gh has it', ['teams', 'list', '--json'], 'Aurora Coffee'],
  ['the ids alone, as docker has it', ['bots', 'list', '-q'], /^[0-9a-f-]{36}/],
  ['the contexts, as kubectl has it', ['config', 'get-contexts'], 'sandbox'],
];

describe('the first guess', () => {
  it.each(working)('works: %s', async (_, line, answer) => {
    await place.enter('one');
    const { exitCode, stdout, stderr } = await place.run(line);
    expect({ exitCode, stderr }, stderr).toMatchObject({ exitCode: 0 });
    expect(stdout).toMatch(answer);
  });

  it.each(answered)('is answered with a command that works: %s', async (_, line, answer) => {
    await place.enter('one');
    const first = await place.run([...line, '--error-format', 'json']);
    expect(first.exitCode).toBe(2);
    const [next] = JSON.parse(first.stderr.trimEnd().split('\n').at(-1) ?? '').error.next;
    const { exitCode, stdout, stderr } = await place.run(next.slice(1));
    expect({ exitCode, next }, stderr).toEqual({ exitCode: 0, next });
    expect(stdout).toMatch(answer);
  });
});
