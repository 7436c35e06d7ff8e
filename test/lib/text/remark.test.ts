import { describe, expect, it } from 'vitest';
import { scopeOf } from '../../../src/commands/branches.ts';
import {
  CommandLine,
  command,
  commandsIn,
  joinRemarks,
  placeholder,
  remark,
  remarkText,
} from '../../../src/lib/text/remark.ts';

describe('a command', () => {
  it('is quoted for a shell as text, and not as an argument list', () => {
    const line = command('teams', 'get', 'Acme & Sons');
    expect(line.text()).toBe('botctl teams get "Acme & Sons"');
    expect(line.argv()).toEqual(['botctl', 'teams', 'get', 'Acme & Sons']);
  });

  it('names the profile only if the failing command did', () => {
    expect(command('teams', 'list').text({ profile: 'my own' })).toBe('botctl --profile "my own" teams list');
    expect(command('teams', 'list').argv({ profile: 'my own' })).toEqual([
      'botctl',
      '--profile',
      'my own',
      'teams',
      'list',
    ]);
  });

  it('names no profile and no base URL if the command had empty ones', () => {
    expect(command('teams', 'list').text({ profile: '', baseUrl: '' })).toBe('botctl teams list');
  });

  it('names the profile under which a sandbox stores its key', () => {
    expect(command('sandbox', 'start').text({ profile: 'mine' })).toBe('botctl --profile mine sandbox start');
  });

  it('has the options of a login without a terminal, except in its help', () => {
    const given = { unattended: true, scopeOf };
    expect(command('login').text(given)).toContain('--key-secret-file');
    expect(command('login', '--help').text(given)).toBe('botctl login --help');
  });

  it('names the base URL only if the failing command did, next to its profile', () => {
    const baseUrl = 'http://localhost:1/v1';
    expect(command('teams', 'list').text({ baseUrl })).toBe(`botctl --base-url ${baseUrl} teams list`);
    const both = ['botctl', '--profile', 'mine', '--base-url', baseUrl, 'teams', 'list'];
    expect(command('teams', 'list').argv({ profile: 'mine', baseUrl })).toEqual(both);
    const rotate = command('keys', 'rotate', '--profile', 'mine');
    expect(rotate.text({ profile: 'mine', baseUrl })).toBe(
      `botctl --base-url ${baseUrl} ${rotate.words.join(' ')}`,
    );
  });

  it('has the connection options of the failing command', () => {
    const given = { baseUrl: 'http://api.example.com', caFile: 'our ca.pem', insecureHttp: true, scopeOf };
    const reached =
      'botctl --base-url http://api.example.com --ca-file "our ca.pem" --insecure-http teams list';
    expect(command('teams', 'list').text(given)).toBe(reached);
    expect(command('sandbox', 'start').text(given)).toBe('botctl sandbox start');
  });

  it('names the database of the failing command if it is about campaigns and opt-outs', () => {
    const database = 'postgres://ana@db.example/campaigns';
    const given = { profile: 'mine', database, scopeOf };
    expect(command('campaigns', 'run', 'spring').argv(given)).toEqual([
      'botctl',
      '--profile',
      'mine',
      'campaigns',
      'run',
      'spring',
      '--database',
      database,
    ]);
    expect(command('optouts', 'list').text(given)).toBe(
      `botctl --profile mine optouts list --database ${database}`,
    );
    for (const line of [command('campaigns', 'create', '--help'), command('device', 'list')])
      expect(line.text({ database, scopeOf })).toBe(line.text());
    for (const other of ['postgres://ana:word@db.example/x', 'postgres://db.example/x?password=word', 'x'])
      expect(command('campaigns', 'list').text({ database: other, scopeOf })).toBe('botctl campaigns list');
  });

  it.each([
    ['names another one', command('login', '--base-url', placeholder('URL')), 'http://localhost:1'],
    ['goes by the directory of a sandbox', command('sandbox', 'start'), 'http://localhost:1'],
    ['forgets what is stored', command('logout'), 'http://localhost:1'],
    ['was given one with a password', command('teams', 'list'), 'http://me:word@localhost:1'],
  ])('names no base URL if it %s', (_, line, baseUrl) => {
    expect(line.text({ baseUrl, scopeOf })).toBe(line.text());
  });

  it.each([
    ['names another profile', command('token', '--profile', 'other')],
    ['asks for help', command('bots', 'list', '--help')],
    ['is of no profile', command('profiles', 'list')],
    ['is a topic of help', command('help', 'bots')],
    ['is of any command', command(placeholder('…'), '--message', '-')],
  ])('is unchanged if it %s', (_, line) => {
    const given = { profile: 'mine', baseUrl: 'http://localhost:1/v1', scopeOf };
    expect(line.text(given)).toBe(line.text());
    expect(line.argv(given)).toEqual(line.argv());
  });

  it.each([
    [['teams', 'get', 'Hi!x'], `botctl teams get 'Hi!x'`],
    [['teams', 'get', '-rf'], 'botctl teams get -- -rf'],
    [['teams', 'list', '--name', '-rf'], 'botctl teams list --name -rf'],
    [['bots', 'get', '-rf', '-o', 'id'], 'botctl bots get -o id -- -rf'],
    [['device', 'connect', '-o'], 'botctl device connect -- -o'],
    [['device', 'status', '-x', '-y', '--watch'], 'botctl device status --watch -- -x -y'],
    [['bots', 'questions', 'remove', '-x', '1', '--yes'], 'botctl bots questions remove --yes -- -x 1'],
  ])('can be typed as printed: %j', (words, text) => {
    expect(command(...words).text()).toBe(text);
  });

  it('with a placeholder is printed and not offered to scripts', () => {
    const line = command('bots', 'get', placeholder('<bot>'));
    expect(line.text()).toBe('botctl bots get <bot>');
    expect(line.argv()).toBeUndefined();
  });

  it('with a variable to be set is printed with it and not offered to scripts', () => {
    const line = new CommandLine(['bots', 'edit', 'Sales'], { EDITOR: 'code -w' });
    expect(line.text({ profile: 'mine' })).toBe('EDITOR="code -w" botctl --profile mine bots edit Sales');
    expect(line.argv()).toBeUndefined();
  });
});

describe('a remark', () => {
  const told = remark`Look: ${command('teams', 'list')}, or ${remark`read ${command('help', 'names')}`}.`;

  it('is printed as one text and keeps its commands as data', () => {
    expect(told.text()).toBe('Look: botctl teams list, or read botctl help names.');
    expect(commandsIn(told).map((line) => line.argv())).toEqual([
      ['botctl', 'teams', 'list'],
      ['botctl', 'help', 'names'],
    ]);
  });

  it('is joined with others, without undefined ones', () => {
    const joined = joinRemarks([undefined, 'First.', false, told]);
    expect(joined && remarkText(joined, { profile: 'p', scopeOf })).toBe(
      'First.\nLook: botctl --profile p teams list, or read botctl help names.',
    );
    expect(joinRemarks([undefined, ''])).toBeUndefined();
  });
});
